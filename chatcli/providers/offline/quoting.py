"""Foreign text inside an answer: in a fence that it cannot close, and not too much of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from chatcli.i18n import _, ngettext
from chatcli.providers.offline.situation import Outcome, Round

_MAX_LINES = 80
_MAX_LINE_CHARS = 300
_BACKTICKS = re.compile(r"`+")


def fenced(lines: Sequence[str], *, language: str = "", max_lines: int = _MAX_LINES) -> str:
    """A code block; how many lines are left out stands below it."""
    longest_run = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(longest_run + 1, 3)
    shown = (clipped(line) for line in lines[:max_lines])
    block = "\n".join((fence + language, *shown, fence))
    if (omitted := len(lines) - max_lines) > 0:
        block += "\n\n" + ngettext("{n} more line.", "{n} more lines.", omitted).format(n=omitted)
    return block


def last_lines(lines: Sequence[str], *, shortened: bool, max_lines: int = 30) -> str:
    """A code block of the end; above it how many lines are left out, when `lines` are all there were."""
    omitted = max(0, len(lines) - max_lines)
    block = fenced(lines[omitted:])
    if shortened:
        return paragraphs(_("It printed much; this is the end:"), block)
    if not omitted:
        return block
    return paragraphs(ngettext("{n} line before:", "{n} lines before:", omitted).format(n=omitted), block)


def code(text: str) -> str:
    """One piece of foreign text inside a sentence."""
    flat = clipped(" ".join(text.split()))
    fence = "`" * (max((len(run) for run in _BACKTICKS.findall(flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}" if flat else ""


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def paragraphs(*parts: str) -> str:
    """What is not empty, with a blank line between."""
    return "\n\n".join(part for part in parts if part)


def trouble(outcomes: Round) -> str:
    """What the first failed call of a round says; nothing when all went well."""
    for outcome in outcomes:
        if not outcome.ok:
            return failed(outcome)
    return ""


def failed(outcome: Outcome) -> str:
    return paragraphs(_("That did not work:"), fenced(outcome.text.splitlines(), max_lines=20))


def clipped(line: str, max_chars: int = _MAX_LINE_CHARS) -> str:
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"
