"""No cut may split what a reader or a terminal takes as one. The whole text is the oracle here: the
code under test looks only at the neighbourhood of the cut."""

from __future__ import annotations

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from chatcli.context.cuts import head_end, safe_after, safe_before, tail_start, without_ansi
from tests.context.texts import PIECES, untimed

ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x00-\x1f\x7f]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
texts = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def unsplittable(text: str) -> list[tuple[int, int]]:
    spans = [match.span() for match in ANSI.finditer(text)]
    spans += [match.span() for match in regex.finditer(r"\X", text)]
    spans += [match.span() for match in re.finditer("[\ud800-\udbff][\udc00-\udfff]", text)]
    return spans


def splits(text: str, position: int) -> bool:
    return any(start < position < end for start, end in unsplittable(text))


@untimed
@given(texts, st.integers(0, 80), st.booleans())
def test_no_head_splits_a_unit_or_is_too_long(text: str, most: int, records: bool) -> None:
    end = head_end(text, most, records=records)
    assert end <= max(most, 0)
    assert not splits(text, end)


@untimed
@given(texts, st.integers(0, 80), st.booleans())
def test_no_tail_splits_a_unit_or_is_too_long(text: str, most: int, records: bool) -> None:
    start = tail_start(text, most, records=records)
    assert len(text) - start <= most
    assert not splits(text, start)


@untimed
@given(texts, st.integers(0, 80))
def test_a_safe_position_stays_where_it_is(text: str, position: int) -> None:
    position = min(position, len(text))
    before, after = safe_before(text, position), safe_after(text, position)
    assert before <= position <= after
    assert safe_before(text, before) == before
    assert safe_after(text, after) == after
    if not splits(text, position):
        assert before == position == after


@pytest.mark.parametrize(
    ("unit", "name"),
    [
        ("👨‍👩‍👧‍👦", "a family of four"),
        ("🇧🇷", "a flag"),
        ("e\u0301", "a letter with a combining accent"),
        ("\r\n", "a CRLF"),
        ("\x1b[38;5;196m", "a colour"),
        ("\x1b]8;;https://example.org/" + "x" * 1_900 + "\x1b\\", "a link"),
        ("\ud83d\ude00", "a surrogate pair"),
    ],
)
def test_whole_or_not_at_all(unit: str, name: str) -> None:
    text = "abc" + unit + "xyz"
    for inside in range(4, 3 + len(unit)):
        assert head_end(text, inside) == 3, name
        assert tail_start(text, len(text) - inside) == 3 + len(unit), name


def test_the_head_ends_with_its_last_line_when_that_costs_less_than_half() -> None:
    assert head_end("x" * 60 + "\n" + "y" * 60, 100) == 61
    assert head_end("x" * 40 + "\n" + "y" * 80, 100) == 100


def test_the_tail_begins_with_its_first_line_when_that_costs_less_than_half() -> None:
    assert tail_start("x" * 100 + "\n" + "y" * 60, 100) == 101
    assert tail_start("x" * 100 + "\n" + "y" * 40, 100) == 41


def test_a_tail_that_begins_at_a_line_start_stays_there() -> None:
    assert tail_start("abc\ndef\nghi\n", 8) == 4


def test_json_on_one_line_is_cut_after_a_record() -> None:
    text = "[" + ",".join('{"id":1234567}' for _ in range(20)) + "]"
    assert text[: head_end(text, 100, records=True)].endswith("},")
    assert text[tail_start(text, 100, records=True) :].startswith('{"id"')


def test_a_grapheme_without_end_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 5_000
    assert 2_000 <= head_end(text, 2_500) <= 2_500


def test_colours_and_links_are_taken_out() -> None:
    assert without_ansi("\x1b[1;31merror\x1b[0m: \x1b]8;;http://x\x1b\\E1\x1b]8;;\x1b\\") == "error: E1"
