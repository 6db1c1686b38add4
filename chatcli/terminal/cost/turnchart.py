"""Turns as bars: what of each prompt was read from the cache, what was written, what was plain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

from msgspec import Struct, structs

from chatcli.i18n import _
from chatcli.terminal.cells import fill, width_cells
from chatcli.terminal.chart import chart_row
from chatcli.terminal.figures import money, short_count
from chatcli.terminal.look import Look, Style

_ROWS = 8
_VISIBLE = 0.01
"""A smaller share of a bar is not drawn; a larger one has a row at least."""
_BAR_CELLS = ((3, 1), (2, 1), (1, 1), (1, 0))
"""Width of a bar and of the gap behind it: the first for which there is room."""
_TEXTURES: tuple[tuple[str, Style], ...] = (("░", "good"), ("█", "accent"), ("▒", "warn"))
"""Read, written, plain: told apart without colours too."""


MARKS: dict[str, Callable[[], str]] = {
    "r": lambda: _("rewritten on purpose"),
    "x": lambda: _("cache lost otherwise"),
}
"""What may stand below a bar."""


class Bar(Struct, frozen=True, kw_only=True):
    """One turn, in tokens."""

    read: int
    written: int
    plain: int
    output: int
    usd: float | None
    mark: str = ""
    """One of `MARKS`, or nothing."""

    @property
    def prompt(self) -> int:
        return self.read + self.written + self.plain


def turn_chart(bars: Sequence[Bar], columns: int, look: Look) -> list[str]:
    """Rows of at most `columns` cells, of 30 at least; where turns have no room, the largest of several."""
    largest = max((bar.prompt for bar in bars), default=0)
    if not largest:
        return []
    labels = {_ROWS: short_count(largest), _ROWS // 2: short_count(largest // 2)}
    names = _("turn"), _("output"), _("cost"), _("lost")
    left = max(map(width_cells, (*names, *labels.values())))
    room = max(1, columns - left - 2)
    shown = _shown(bars, room)
    width, gap = next(size for size in _BAR_CELLS if sum(size) * len(shown) - size[1] <= room)

    def row(label: str, axis: str, cells: Sequence[str]) -> str:
        drawn = (" " * gap).join(cells).rstrip()
        return " " * (left - width_cells(label)) + f"{label} {axis}{drawn}"

    stacks = [_stack(bar, largest) for bar in shown]
    lines = []
    for level in range(_ROWS, 0, -1):
        cells = [width * (stack[level - 1] if level <= len(stack) else " ") for stack in stacks]
        line = row(labels.get(level, ""), "┤" if level in labels else "│", cells)
        lines.append(_painted(line, look))
    drawn_cells = (width + gap) * len(shown) - gap
    lines.append(row("0", "└", []) + "─" * drawn_cells)
    last = str(len(bars)) if len(bars) > 1 and len(str(len(bars))) < drawn_cells else ""
    lines.append(f"{row(names[0], ' ', [])}1{last.rjust(drawn_cells - 1)}".rstrip())
    lines.append(row(names[1], " ", [width * cell for cell in _small([bar.output for bar in shown])]))
    if _has_prices(bars):
        micros = [round((bar.usd or 0.0) * 1e6) for bar in shown]
        lines.append(row(names[2], " ", [width * cell for cell in _small(micros)]))
    if any(bar.mark for bar in bars):
        lines.append(row(names[3], " ", [bar.mark.center(width) for bar in shown]))
    return lines


def chart_legend(bars: Sequence[Bar], columns: int, look: Look) -> list[str]:
    """What the textures mean, and how high the small rows are."""
    names = (_("read"), _("written"), _("plain"))
    told = "   ".join(f"{texture} {name}" for (texture, _s), name in zip(_TEXTURES, names, strict=True))
    heights = [_("output: up to {n}").format(n=short_count(max(bar.output for bar in bars)))]
    if _has_prices(bars):
        heights.append(_("cost: up to {usd}").format(usd=money(max(bar.usd or 0.0 for bar in bars))))
    marks = [f"{mark} {meaning()}" for mark, meaning in MARKS.items() if any(b.mark == mark for b in bars)]
    parts = (told, "   ".join(heights), "   ".join(marks))
    return [_painted(row, look) for part in parts if part for row in fill(part, columns)]


def _shown(bars: Sequence[Bar], cells: int) -> list[Bar]:
    """All turns, or the largest of each few of them, with what is marked among them."""
    count = min(len(bars), cells)
    bounds = [len(bars) * number // count for number in range(count + 1)]
    return [_largest(bars[start:end]) for start, end in pairwise(bounds)]


def _largest(bars: Sequence[Bar]) -> Bar:
    largest = max(bars, key=lambda bar: bar.prompt)
    return structs.replace(largest, mark=max(bar.mark for bar in bars))


def _stack(bar: Bar, largest: int) -> str:
    """The textures of a bar from the bottom up."""
    sizes = [size if size >= _VISIBLE * bar.prompt else 0 for size in (bar.read, bar.written, bar.plain)]
    rows = [max(round(_ROWS * size / largest), 1) if size else 0 for size in sizes]
    height = max(round(_ROWS * bar.prompt / largest), sum(size > 0 for size in sizes))
    rows[rows.index(max(rows))] += height - sum(rows)
    return "".join(texture * count for (texture, _s), count in zip(_TEXTURES, rows, strict=True))


def _small(values: Sequence[int]) -> str:
    return chart_row(values, max(1, *values), len(values))


def _has_prices(bars: Sequence[Bar]) -> bool:
    return all(bar.usd is not None for bar in bars) and any(bar.usd for bar in bars)


def _painted(line: str, look: Look) -> str:
    styles = dict(_TEXTURES)
    runs = ("".join(run) for _same, run in groupby(line, key=styles.get))
    return "".join(look.paint(run, styles[run[0]]) if run[0] in styles else run for run in runs)
