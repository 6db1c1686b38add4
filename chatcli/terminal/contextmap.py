"""The window as a square of a hundred cells, each of them one hundredth of it, with a legend.

Every kind has a sign of its own, so that the map can be read without colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from chatcli.terminal.cells import clip, pad, width_cells
from chatcli.terminal.figures import percent, short_count
from chatcli.terminal.look import Look, Style

_SIDE = 10
_CELLS = _SIDE * _SIDE
_GAP = "   "
_NARROWEST_LEGEND = 28


class Area(NamedTuple):
    """A kind of content, and how much of the window it takes."""

    name: str
    sign: str
    style: Style
    tokens: int


def map_rows(areas: Sequence[Area], look: Look, columns: int) -> list[str]:
    """The square with the legend beside it, or below it where there is no room. At most `columns` wide.

    The areas come to the whole window together, or to all there is where it is overfull.
    """
    cells = [look.paint(area.sign, area.style) for area in _cells(areas)]
    square = [" ".join(cells[start : start + _SIDE]) for start in range(0, _CELLS, _SIDE)]
    square_columns = 2 * _SIDE - 1
    beside = columns - square_columns - len(_GAP)
    if beside < _NARROWEST_LEGEND:
        return [*square, "", *_legend(areas, look, columns)]
    pairs = zip_longest(square, _legend(areas, look, beside), fillvalue="")
    return [f"{row or ' ' * square_columns}{_GAP}{entry}".rstrip() for row, entry in pairs]


def _cells(areas: Sequence[Area]) -> list[Area]:
    """One area for each cell: in proportion, and at least one cell for whatever there is."""
    whole = max(1, sum(area.tokens for area in areas))
    exact = [area.tokens * _CELLS / whole for area in areas]
    counts = [max(1, int(cells)) if cells else 0 for cells in exact]
    while (missing := _CELLS - sum(counts)) and any(counts):
        step = 1 if missing > 0 else -1
        most_wronged = max(
            (at for at, count in enumerate(counts) if count + step >= 1),
            key=lambda at: step * (exact[at] - counts[at]),
        )
        counts[most_wronged] += step
    return [area for area, count in zip(areas, counts, strict=True) for _cell in range(count)]


def _legend(areas: Sequence[Area], look: Look, columns: int) -> list[str]:
    there = [area for area in areas if area.tokens]
    whole = sum(area.tokens for area in there)
    figures = [f"{short_count(area.tokens):>6} {percent(area.tokens, whole):>3} %" for area in there]
    names = min(
        max((width_cells(area.name) for area in there), default=0),
        columns - max(map(len, figures), default=0) - 3,
    )
    return [
        f"{look.paint(area.sign, area.style)} {pad(clip(area.name, names), names)} {figure}"
        for area, figure in zip(there, figures, strict=True)
    ]
