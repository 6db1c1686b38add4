"""What a command line is allowed to do: allow, ask or deny."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from chatcli.gate.paths import Territory
from chatcli.gate.reasons import N_, Reason
from chatcli.gate.rules import Rule

Decision = Literal["allow", "ask", "deny"]


class Verdict(Struct, frozen=True):
    """The gate's word about one command line. `rule` is what a lasting yes would store."""

    decision: Decision
    read_only: bool
    reasons: tuple[str, ...] = ()
    rule: Rule | None = None


class Analysis(Struct, frozen=True):
    """What a command line does, whatever the autonomy and the rules say."""

    read_only: bool
    uncovered: tuple[Reason, ...]
    dangers: tuple[Reason, ...]
    rule: Rule | None


def analyse(text: str, folder: Path, territory: Territory) -> Analysis:
    return Analysis(False, (Reason(N_("it is not known to only read")),), (), None)
