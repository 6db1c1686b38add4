"""Bar charts as inline SVG: no script, colours by class so that the page's style decides on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from msgspec import Struct

WIDTH, HEIGHT = 960, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 8, 12, 24
_WIDEST_BAR = 48
_MOST_LABELS = 12


class Column(Struct, frozen=True, kw_only=True):
    """One bar: its parts from the bottom up, in the order of the classes of the chart."""

    parts: tuple[float, ...]
    label: str
    """Below the bar."""
    told: str
    """What stands there when somebody points at it; lines are kept."""
    mark: str = ""
    """A class of the style for a dot above the bar, or nothing."""


def bar_chart(
    columns: Sequence[Column], classes: Sequence[str], name: str, shown: Callable[[float], str]
) -> str:
    """Stacked bars. `classes` are those of the style, `shown` writes a value at the axis."""
    largest = max((sum(column.parts) for column in columns), default=0.0) or 1.0
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(columns))
    width = min(_WIDEST_BAR, step * 0.8)
    room = HEIGHT - _TOP - _BOTTOM
    rows = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(name)}">']
    for share in (0.0, 0.5, 1.0):
        y = _TOP + room * (1 - share)
        rows.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        label = escape(shown(largest * share))
        rows.append(f'<text class="axis" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    every = -(-len(columns) // _MOST_LABELS)
    for index, column in enumerate(columns):
        middle = _LEFT + step * (index + 0.5)
        rows.append(_bar(column, classes, middle - width / 2, width, room / largest))
        if index % every == 0:
            label = escape(column.label)
            rows.append(
                f'<text class="axis" x="{middle:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{label}</text>'
            )
    return "\n".join([*rows, "</svg>"])


def _bar(column: Column, classes: Sequence[str], left: float, width: float, scale: float) -> str:
    y = float(HEIGHT - _BOTTOM)
    parts = [f"<g><title>{escape(column.told)}</title>"]
    for name, value in zip(classes, column.parts, strict=True):
        height = value * scale
        y -= height
        if height > 0:
            parts.append(
                f'<rect class="{name}" x="{left:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>'
            )
    if column.mark:
        parts.append(f'<circle class="{column.mark}" cx="{left + width / 2:.1f}" cy="{y - 5:.1f}" r="3"/>')
    return "".join([*parts, "</g>"])
