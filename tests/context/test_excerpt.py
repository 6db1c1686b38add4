from __future__ import annotations

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from chatcli.context import excerpt
from chatcli.context.excerpt import Excerpt, read_excerpt
from chatcli.context.limits import PREVIEW
from chatcli.context.previews import render
from tests.context.builders import Long, Originals, lines_of
from tests.context.texts import untimed

HUGE = lines_of(9_000_000)


def test_a_text_of_common_size_is_loaded() -> None:
    store = Originals()
    original = store.put(lines_of(100_000))
    assert read_excerpt(original, 4_000, store) == Excerpt.of(store.text(original), original)


def test_of_a_huge_one_only_the_ends_are_read() -> None:
    store = Originals()
    original = store.put(HUGE)
    ends = read_excerpt(original, 4_000, store)
    assert ends.end is not None
    assert len(ends.start) + len(ends.end) < len(HUGE) // 2
    assert HUGE.startswith(ends.start)
    assert HUGE.endswith(ends.end)


def test_a_huge_text_is_shown_as_if_all_of_it_were_loaded() -> None:
    store = Originals()
    errors = "\nerror: one\n" + HUGE[:300_000] + HUGE + "\nerror: two\n" + HUGE[:300_000]
    original = store.put(errors)
    ends = read_excerpt(original, 4_000, store)
    assert ends.end is not None
    assert render(ends, PREVIEW, original, None) == render(errors, PREVIEW, original, None)
    assert "error: two" in render(ends, PREVIEW, original, None).text


@untimed
@given(
    st.lists(st.sampled_from(["a", "é", "狐", "😀", "\n", "\r\n", "error: x\n"]), min_size=1, max_size=40),
    st.integers(3, 60),
)
def test_no_character_is_torn_where_reading_stops(pieces: list[str], window: int) -> None:
    text = Long("".join(pieces) * 30)
    store = Originals()
    original = store.put(text)
    with mock.patch.multiple(excerpt, WINDOW_CHARS=window, _LOADED_MAX_BYTES=100):
        ends = read_excerpt(original, 5, store)
        assert text.startswith(ends.start)
        assert text.endswith(ends.last)
        assert "\ufffd" not in ends.start + ends.last
        sizes = type(PREVIEW)(kind="preview", head_chars=5, tail_chars=5, error_chars=90)
        rendered = render(ends, sizes, original, None)
    assert rendered.kept_chars + rendered.omitted_chars == len(text)
