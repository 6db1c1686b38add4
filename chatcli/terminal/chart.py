"""Figures over time in one row of the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_LEVELS = " ▁▂▃▄▅▆▇█"


def chart_row(values: Sequence[int], largest: int, columns: int) -> str:
    """One cell for each value, full at `largest`; without room for all, for the highest of several."""
    if not values or largest <= 0:
        return ""
    cells = min(len(values), max(columns, 1))
    bounds = [len(values) * cell // cells for cell in range(cells + 1)]
    peaks = [max(values[start:end]) for start, end in pairwise(bounds)]
    return "".join(_LEVELS[-(-peak * (len(_LEVELS) - 1) // largest)] for peak in peaks)
