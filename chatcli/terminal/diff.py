"""A unified diff for the screen: coloured, safe, never wider than the screen, limited in height."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chatcli.gate.screen import exact_text
from chatcli.i18n import _
from chatcli.terminal.cells import clip, wrap
from chatcli.terminal.look import Look, Style


def diff_lines(diff: str, columns: int, look: Look) -> list[str]:
    """The whole diff. Long lines are broken, not cut: what is approved is seen."""
    return list(_rows(_split(diff), columns, look))


def diff_head(diff: str, columns: int, rows: int, look: Look, how: str = "") -> list[str]:
    """At most `rows` rows, then how many lines are missing and `how` they are reached."""
    raw = _split(diff)
    shown: list[str] = []
    for number, line in enumerate(raw):
        new = list(_rows([line], columns, look))
        last = number == len(raw) - 1
        if len(shown) + len(new) > rows - (not last):
            missing = _("… {n} more lines").format(n=len(raw) - number)
            return [*shown, look.paint(clip(f"{missing}{' · ' + how if how else ''}", columns), "dim")]
        shown += new
    return shown


def count_changes(diff: str) -> tuple[int, int]:
    """Lines added and removed."""
    added = removed = 0
    for line in _split(diff):
        if line.startswith("+") and not line.startswith("+++ "):
            added += 1
        elif line.startswith("-") and not line.startswith("--- "):
            removed += 1
    return added, removed


def _split(diff: str) -> list[str]:
    return diff.removesuffix("\n").split("\n")


def _rows(lines: Iterable[str], columns: int, look: Look) -> Iterator[str]:
    for line in lines:
        style = _style(line)
        # Tabs are usual in source text; everything else that is not what it seems is shown.
        text = "\t".join(exact_text(part) for part in line.removesuffix("\r").split("\t"))
        for row in wrap(text.expandtabs(4), max(columns, 1)):
            yield look.paint(row, style) if style else row


def _style(line: str) -> Style | None:
    match line[:1]:
        case "+":
            return "bold" if line.startswith("+++ ") else "good"
        case "-":
            return "bold" if line.startswith("--- ") else "bad"
        case "@":
            return "accent"
        case _:
            return None
