"""The map of the window: a hundred cells, read without colours, right at any width."""

from __future__ import annotations

from unicodedata import east_asian_width

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.terminal.cells import width_cells
from chatcli.terminal.contextmap import Area, map_rows
from chatcli.terminal.look import Look

PLAIN, COLOURS = Look(color=False, live=False), Look(color=True, live=True)
SIGNS = "▤▦▧◆●■□·×"
NAMES = (
    "tools",
    "a name that is much longer than what there is room for beside a map",
    "出力の結果",
    *"cdefgh",
)


def areas(tokens: list[int]) -> list[Area]:
    signs = zip(NAMES, SIGNS, tokens, strict=False)
    return [Area(name, sign, "accent", count) for name, sign, count in signs]


def cells(rows: list[str]) -> str:
    return "".join(row[:19].replace(" ", "") for row in rows[:10])


def test_each_cell_is_a_hundredth_and_the_kinds_stand_in_order() -> None:
    rows = map_rows(areas([3_000, 0, 0, 27_000, 0, 10_000, 0, 50_000, 10_000]), PLAIN, 80)
    assert cells(rows) == "▤" * 3 + "◆" * 27 + "■" * 10 + "·" * 50 + "×" * 10
    assert rows[0] == "▤ ▤ ▤ ◆ ◆ ◆ ◆ ◆ ◆ ◆   ▤ tools   3.0K   3 %"


def test_what_is_there_has_a_cell_and_what_is_not_has_none_and_no_line() -> None:
    rows = map_rows(areas([1, 0, 99_999]), PLAIN, 80)
    assert cells(rows) == "▤" + "▧" * 99
    assert len([row for row in rows if "%" in row]) == 2


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_it_fits_and_the_legend_stands_below_where_there_is_no_room_beside(columns: int) -> None:
    rows = map_rows(areas([9_000, 500, 700, 2_000, 0, 40_000, 3_000, 100_000, 16_000]), PLAIN, columns)
    assert max(map(width_cells, rows)) <= columns
    assert len(rows) == (10 if columns >= 60 else 10 + 1 + 8)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=9).filter(any), st.integers(24, 200))
def test_always_a_hundred_cells_within_the_columns(tokens: list[int], columns: int) -> None:
    rows = map_rows(areas(tokens), PLAIN, columns)
    assert len(cells(rows)) == 100
    assert max(map(width_cells, rows)) <= columns


def test_colours_add_nothing_but_colours() -> None:
    given_areas = areas([9_000, 0, 0, 0, 0, 40_000])
    coloured = "\n".join(map_rows(given_areas, COLOURS, 80)).replace("\x1b[36m", "").replace("\x1b[0m", "")
    assert coloured == "\n".join(map_rows(given_areas, PLAIN, 80))


def test_no_sign_is_wide() -> None:
    assert not {east_asian_width(sign) for sign in SIGNS} & {"W", "F"}
    assert len(set(SIGNS)) == len(SIGNS)
