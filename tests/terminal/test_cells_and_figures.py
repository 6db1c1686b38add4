"""Widths in cells, and figures for people."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.i18n import filled, set_language
from chatcli.terminal.cells import behind, clip, clip_start, fill, width_cells, wrap
from chatcli.terminal.figures import money, number, percent, short_count, short_seconds

TEXTS = st.text("ab 中é\u0301🎉-/", max_size=60)
CELLS = st.integers(2, 30)


def test_widths() -> None:
    assert [width_cells(text) for text in ("abc", "中文", "e\u0301", "🎉", "")] == [3, 4, 1, 2, 0]


@given(TEXTS, CELLS)
def test_clipped_texts_fit_and_say_so(text: str, cells: int) -> None:
    for clipped in (clip(text, cells), clip_start(text, cells)):
        assert width_cells(clipped) <= cells
        assert clipped == text or "…" in clipped


@given(TEXTS, CELLS)
def test_hard_breaks_drop_nothing(text: str, cells: int) -> None:
    rows = wrap(text, cells)
    assert "".join(rows) == text
    assert all(width_cells(row) <= cells for row in rows)


@given(TEXTS, CELLS)
def test_filled_prose_fits_and_keeps_its_words(text: str, cells: int) -> None:
    rows = fill(text, cells)
    assert all(width_cells(row) <= cells for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")


def test_a_combining_mark_stays_with_its_letter() -> None:
    assert wrap("abe\u0301cd", 3) == ["abe\u0301", "cd"]


def test_the_lead_stands_before_the_first_row_only() -> None:
    assert behind("! ", ["a", "b"]) == ["! a", "  b"]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0K"),
        (2_149, "2.1K"),
        (9_960, "10K"),
        (48_200, "48K"),
        (1_230_000, "1.2M"),
    ],
)
def test_counts(count: int, shown: str) -> None:
    assert short_count(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.04, "0.0 s"),
        (0.14, "0.1 s"),
        (9.94, "9.9 s"),
        (12.3, "12 s"),
        (185, "3 min 05 s"),
        (3_720, "1 h 02 min"),
    ],
)
def test_durations(seconds: float, shown: str) -> None:
    assert short_seconds(seconds) == shown


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (None, "unknown"),
        (0.0, "$0.00"),
        (0.0123, "$0.0123"),
        (0.00001, "<$0.0001"),
        (0.5, "$0.50"),
        (12.345, "$12.35"),
    ],
)
def test_money(usd: float | None, shown: str) -> None:
    assert money(usd) == shown


def test_percentages_stay_between_0_and_100() -> None:
    assert [percent(1, 3), percent(5, 3), percent(1, 0)] == [33, 100, 0]


@pytest.fixture
def portuguese() -> Iterator[None]:
    set_language("pt_BR")
    yield
    set_language("en")


def test_numbers_and_money_are_written_as_the_language_does(portuguese: None) -> None:
    assert [number(2_019), number(1_234_567), number(0.5, 1)] == ["2.019", "1.234.567", "0,5"]
    assert [money(0.0123), money(1_234.5), money(0.00001)] == ["$0,0123", "$1.234,50", "<$0,0001"]
    assert [short_count(2_149), short_seconds(0.14)] == ["2,1K", "0,1 s"]


def test_numbers_in_a_text_are_and_words_are_not(portuguese: None) -> None:
    text = filled("{n:,} of {part:.1f} in {path} ({share:.0%})", n=2_019, part=1.5, path="a.b,c", share=0.5)
    assert text == "2.019 of 1,5 in a.b,c (50%)"


def test_in_english_they_stay() -> None:
    assert filled("{n:,} of {part:.1f} in {path}", n=2_019, part=1.5, path="a") == "2,019 of 1.5 in a"
    assert [number(2_019), money(0.0123), short_seconds(0.14)] == ["2,019", "$0.0123", "0.1 s"]
