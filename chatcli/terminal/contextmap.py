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


class Share(NamedTuple):
    """A kind of content, and how much of the window it takes."""

    name: str
    sign: str
    style: Style
    tokens: int


def map_rows(shares: Sequence[Share], look: Look, columns: int) -> list[str]:
    """The square with the legend beside it, or below it where there is no room. At most `columns` wide.

    The shares come to the whole window together, or to all there is where it is overfull.
    """
    cells = [look.paint(share.sign, share.style) for share in _cells(shares)]
    square = [" ".join(cells[start : start + _SIDE]) for start in range(0, _CELLS, _SIDE)]
    square_columns = 2 * _SIDE - 1
    beside = columns - square_columns - len(_GAP)
    if beside < _NARROWEST_LEGEND:
        return [*square, "", *_legend(shares, look, columns)]
    pairs = zip_longest(square, _legend(shares, look, beside), fillvalue="")
    return [f"{row or ' ' * square_columns}{_GAP}{entry}".rstrip() for row, entry in pairs]


def _cells(shares: Sequence[Share]) -> list[Share]:
    """One share for each cell: in proportion, and at least one cell for whatever there is."""
    whole = max(1, sum(share.tokens for share in shares))
    exact = [share.tokens * _CELLS / whole for share in shares]
    counts = [max(1, int(cells)) if cells else 0 for cells in exact]
    while (missing := _CELLS - sum(counts)) and any(counts):
        step = 1 if missing > 0 else -1
        most_wronged = max(
            (at for at, count in enumerate(counts) if count + step >= 1),
            key=lambda at: step * (exact[at] - counts[at]),
        )
        counts[most_wronged] += step
    return [share for share, count in zip(shares, counts, strict=True) for _cell in range(count)]


def _legend(shares: Sequence[Share], look: Look, columns: int) -> list[str]:
    there = [share for share in shares if share.tokens]
    whole = sum(share.tokens for share in there)
    figures = [f"{short_count(share.tokens):>6} {percent(share.tokens, whole):>3} %" for share in there]
    names = min(
        max((width_cells(share.name) for share in there), default=0),
        columns - max(map(len, figures), default=0) - 3,
    )
    return [
        f"{look.paint(share.sign, share.style)} {pad(clip(share.name, names), names)} {figure}"
        for share, figure in zip(there, figures, strict=True)
    ]
