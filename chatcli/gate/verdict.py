"""From what a command line does to whether it may run: autonomy and rules applied to an analysis."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from chatcli.gate.analysis import Analysis, Unit
from chatcli.gate.reasons import Reason
from chatcli.gate.rules import Rule
from chatcli.settings import Autonomy

Decision = Literal["allow", "ask", "deny"]

# Programs whose further arguments name files and options, but no code: for them a rule may end with `*`.
# Interpreters, shells and package runners are left out, and so is everything with a flag for a program.
_OPEN_ENDED = frozenset(
    {
        ("pytest",),
        ("ruff",),
        ("mypy",),
        ("pyright",),
        ("black",),
        ("isort",),
        ("flake8",),
        ("tsc",),
        ("prettier",),
        ("eslint",),
        ("jest",),
        ("vitest",),
        ("mkdir",),
        ("touch",),
        ("git", "add"),
        ("git", "commit"),
        ("git", "switch"),
    }
)


class Verdict(Struct, frozen=True):
    """The gate's word about one command line. `rule` is what a lasting yes would store."""

    decision: Decision
    read_only: bool
    why: tuple[Reason, ...] = ()
    rule: Rule | None = None
    dangerous: bool = False
    """Asks under every autonomy."""
    refused: bool = False
    """No answer can allow it."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """For the model, in English."""
        return tuple(str(reason) for reason in self.why)


class Allowed(Protocol):
    """The rules that count: for commands, and for files that redirections write."""

    @property
    def rules(self) -> Sequence[Rule]: ...

    def writes_by_rule(self, path: Path) -> bool: ...


def decide(analysis: Analysis, autonomy: Autonomy, allowed: Allowed) -> Verdict:
    """`allowed` holds what counts at this autonomy."""
    why = tuple(dict.fromkeys((*analysis.dangers, *analysis.doubts)))
    if analysis.refused:
        return Verdict("deny", False, (analysis.refused,), refused=True)
    if analysis.read_only:
        return Verdict("allow", True)
    dangerous = bool(analysis.errors) or any(_dangers(unit, allowed) for unit in analysis.units)
    uncovered = [unit for unit in analysis.units if not _covered(unit, allowed)]
    if not (dangerous or uncovered or analysis.unjudged):
        return Verdict("allow", False)
    if autonomy == "all" and not dangerous:
        return Verdict("allow", False)
    offered = None if dangerous or analysis.unjudged else _offer(uncovered, allowed)
    return Verdict("deny" if autonomy == "plan" else "ask", False, why, offered, dangerous)


def _dangers(unit: Unit, allowed: Allowed) -> tuple[Reason, ...]:
    """A rule that spells out every word was written in the knowledge of what it does."""
    exact = any(not rule.any_arguments and rule.covers_command(unit.words) for rule in allowed.rules)
    return () if exact and unit.words else unit.dangers


def _covered(unit: Unit, allowed: Allowed) -> bool:
    if not all(allowed.writes_by_rule(path) for path in unit.writes):
        return False
    return _words_covered(unit, allowed)


def _words_covered(unit: Unit, allowed: Allowed) -> bool:
    if unit.reason is None:
        return True
    if unit.words and any(rule.covers_command(unit.words) for rule in allowed.rules):
        return True
    return bool(unit.inner) and all(_covered(inner, allowed) for inner in unit.inner)


def _offer(uncovered: Sequence[Unit], allowed: Allowed) -> Rule | None:
    """The one rule that would cover the line; None when it takes several, or a write."""
    if len(uncovered) != 1 or any(not allowed.writes_by_rule(path) for path in uncovered[0].writes):
        return None
    unit = uncovered[0]
    if unit.inner:
        return _offer([inner for inner in unit.inner if not _covered(inner, allowed)], allowed)
    return offered_rule(unit.words)


def offered_rule(words: Sequence[str | None]) -> Rule | None:
    """The narrowest rule that is of lasting use: the exact words, or a known program with any arguments."""
    for head in _OPEN_ENDED:
        if tuple(words[: len(head)]) == head:
            return Rule("exec", head, any_arguments=True)
    exact = [word for word in words if word is not None]
    if not exact or len(exact) != len(words) or not " ".join(exact).isprintable():
        return None
    return Rule("exec", tuple(exact))
