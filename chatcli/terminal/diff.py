"""A unified diff for the screen: coloured, safe, never wider than the screen, limited in height."""

from __future__ import annotations

from collections.abc import Sequence

from chatcli.gate.screen import exact_text
from chatcli.i18n import _
from chatcli.terminal.cells import wrap
from chatcli.terminal.look import Look, Style


def diff_lines(diff: str, columns: int, look: Look) -> list[str]:
    """The whole diff. Long lines are broken, not cut: what is approved is seen."""
    lines = []
    for line in diff.removesuffix("\n").split("\n"):
        style = _style(line)
        for row in wrap(exact_text(line.removesuffix("\r")).expandtabs(4), max(columns, 1)):
            lines.append(look.paint(row, style) if style else row)
    return lines


def limited(lines: Sequence[str], rows: int, look: Look, how: str = "") -> list[str]:
    """At most `rows` of the lines, then how many are missing and `how` they are reached."""
    if len(lines) <= rows:
        return list(lines)
    kept = max(rows - 1, 1)
    text = _("… {n} more lines").format(n=len(lines) - kept)
    return [*lines[:kept], look.paint(f"{text}{' · ' + how if how else ''}", "dim")]


def count_changes(diff: str) -> tuple[int, int]:
    """Lines added and removed."""
    added = removed = 0
    for line in diff.split("\n"):
        if line.startswith("+") and not line.startswith("+++"):
            added += 1
        elif line.startswith("-") and not line.startswith("---"):
            removed += 1
    return added, removed


def _style(line: str) -> Style | None:
    match line[:1]:
        case "+":
            return "bold" if line.startswith("+++") else "good"
        case "-":
            return "bold" if line.startswith("---") else "bad"
        case "@":
            return "accent"
        case _:
            return None
