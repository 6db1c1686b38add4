"""Foreign text inside an answer: in a fence that it cannot close, and not too much of it."""

from __future__ import annotations

import re

from chatcli.i18n import ngettext
from chatcli.providers.offline.situation import Round

MAX_LINES = 60
_BACKTICKS = re.compile(r"`{3,}")


def fenced(text: str, max_lines: int = MAX_LINES) -> str:
    """`text` as a code block; what is left out is counted below it."""
    lines = text.rstrip("\n").splitlines()
    fence = "`" * max((len(run) + 1 for run in _BACKTICKS.findall(text)), default=3)
    block = "\n".join((fence + "text", *lines[:max_lines], fence))
    if (omitted := len(lines) - max_lines) > 0:
        block += "\n\n" + ngettext("{n} more line.", "{n} more lines.", omitted).format(n=omitted)
    return block


def quoted(outcomes: Round) -> str:
    """What the tools returned, as it is."""
    return "\n\n".join(fenced(outcome.text) for outcome in outcomes)
