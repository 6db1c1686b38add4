"""Text measured in terminal cells: wide characters take two, combining ones none."""

from __future__ import annotations

from collections.abc import Sequence

from wcwidth import wcwidth

ELLIPSIS = "…"


def width_cells(text: str) -> int:
    """Cells that `text` takes in one row. Control characters count as none."""
    if text.isascii():
        return len(text)
    return sum(max(wcwidth(char), 0) for char in text)


def clip(text: str, cells: int) -> str:
    """The beginning of `text` that fits, with an ellipsis when something is missing."""
    if width_cells(text) <= cells:
        return text
    if cells < 1:
        return ""
    return _head(text, cells - 1) + ELLIPSIS


def clip_start(text: str, cells: int) -> str:
    """The end of `text` that fits: what matters in a path."""
    if width_cells(text) <= cells:
        return text
    if cells < 1:
        return ""
    room = cells - 1
    start = len(text)
    while start and (room := room - max(wcwidth(text[start - 1]), 0)) >= 0:
        start -= 1
    while start < len(text) and wcwidth(text[start]) == 0:
        start += 1
    return ELLIPSIS + text[start:]


def pad(text: str, cells: int) -> str:
    """`text` with blanks behind it, up to this width."""
    return text + " " * (cells - width_cells(text))


def wrap(text: str, cells: int) -> list[str]:
    """Rows of at most `cells` cells that together are exactly `text`: hard breaks, nothing dropped."""
    rows = []
    for line in text.split("\n"):
        rest = line
        while width_cells(rest) > cells:
            head = _head(rest, cells) or rest[0]
            rows.append(head)
            rest = rest[len(head) :]
        rows.append(rest)
    return rows


def fill(text: str, cells: int) -> list[str]:
    """Prose in rows of at most `cells` cells, broken between words where that is possible."""
    rows: list[str] = []
    for line in text.split("\n"):
        row = ""
        for word in line.split(" "):
            longer = f"{row} {word}" if row else word
            if width_cells(longer) <= cells:
                row = longer
                continue
            if row:
                rows.append(row)
            *full, row = wrap(word, cells)
            rows += full
        rows.append(row)
    return rows


def behind(lead: str, rows: Sequence[str]) -> list[str]:
    """The rows with `lead` before the first one and as many blanks before the others."""
    blank = " " * width_cells(lead)
    return [(blank if number else lead) + row for number, row in enumerate(rows)]


def _head(text: str, cells: int) -> str:
    used = 0
    for index, char in enumerate(text):
        used += max(wcwidth(char), 0)
        if used > cells:
            return text[:index]
    return text
