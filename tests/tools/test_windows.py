"""A window over pieces shows what slicing the whole text would, however the text is cut into pieces."""

from __future__ import annotations

import io
import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from chatcli.tools.text import UTF_8, Encoding
from chatcli.tools.windows import CharWindow, LineWindow, count_lines, tail_start

texts = st.text(alphabet="ab\n\r\t é界\u2028\x0b\x85e\u0301🏳️‍🌈", max_size=60)
cuts = st.lists(st.integers(0, 60), max_size=5)
WIDE = 10_000


def pieces(text: str, at: list[int]) -> list[str]:
    borders = [0, *sorted(min(cut, len(text)) for cut in at), len(text)]
    return [text[a:b] for a, b in pairwise(borders)]


def lines_of(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


@given(texts, cuts, st.integers(1, 12), st.none() | st.integers(0, 12))
def test_lines_are_those_of_the_plain_computation(
    text: str, at: list[int], first: int, count: int | None
) -> None:
    last = None if count is None else first + count
    window = LineWindow(first, last, WIDE)
    for piece in pieces(text, at):
        window.feed(piece)
    shown = window.shown()
    expected = lines_of(text)[first - 1 : last]
    assert shown.text == "".join(expected)
    assert not shown.more
    assert window.total_lines == len(lines_of(text)) == count_lines(text)
    if expected:
        assert (shown.first_line, shown.last_line) == (first, first + len(expected) - 1)
        assert shown.start_char == sum(map(len, lines_of(text)[: first - 1]))


@given(texts, cuts, st.integers(1, 30))
def test_pages_of_lines_put_together_are_the_whole_text(text: str, at: list[int], room_chars: int) -> None:
    whole, first = "", 1
    while True:
        window = LineWindow(first, None, room_chars)
        for piece in pieces(text, at):
            window.feed(piece)
        shown = window.shown()
        assert len(shown.text) <= room_chars
        if shown.inside_line:  # a line without room is gone on with by characters
            assert lines_of(text)[first - 1].startswith(shown.text)
            whole, first = whole + lines_of(text)[first - 1], first + 1
            continue
        whole, first = whole + shown.text, shown.last_line + 1
        if not shown.more:
            break
    assert whole == text


@given(texts, cuts, st.integers(0, 70), st.none() | st.integers(1, 70))
def test_characters_are_those_of_the_plain_computation_but_for_a_split_one(
    text: str, at: list[int], start: int, count: int | None
) -> None:
    window = CharWindow(start, count, WIDE)
    for piece in pieces(text, at):
        window.feed(piece)
    shown = window.shown()
    expected = text[start:] if count is None else text[start : start + count]
    assert expected.startswith(shown.text)
    assert bool(shown.text) == bool(expected)
    assert window.seen_chars == len(text)
    if len(shown.text) < len(expected):
        left = text[start + len(shown.text) :]
        assert left.startswith("\r\n") or not text[: start + len(expected) + 1].isascii() or left[0] == "\n"


@given(texts, st.integers(1, 20))
def test_pages_of_characters_put_together_are_the_whole_text(text: str, room_chars: int) -> None:
    parts: list[str] = []
    while True:
        window = CharWindow(sum(map(len, parts)), None, room_chars)
        window.feed(text)
        shown = window.shown()
        parts.append(shown.text)
        if not shown.more:
            break
    assert "".join(parts) == text
    if room_chars > 1:
        assert not any(a.endswith("\r") and b.startswith("\n") for a, b in pairwise(parts))


encodings = st.sampled_from(
    [
        UTF_8,
        Encoding("utf-8", b"\xef\xbb\xbf"),
        Encoding("utf-16-le", b"\xff\xfe"),
        Encoding("utf-16-be", b"\xfe\xff"),
        Encoding("utf-32-le", b"\xff\xfe\x00\x00"),
    ]
)


@given(texts | st.text(alphabet="\n\u0a0a\u0a00\u000a界", max_size=30), encodings, st.integers(1, 12))
def test_the_last_lines_are_found_from_the_end(text: str, encoding: Encoding, lines: int) -> None:
    data = encoding.bom + text.encode(encoding.codec)
    begin = tail_start(io.BytesIO(data), len(data), encoding, lines, 1 << 20)
    assert data[begin:].decode(encoding.codec) == "".join(lines_of(text)[-lines:])


def test_looking_for_the_last_lines_stops_at_the_limit() -> None:
    data = b"x" * 1_000_000
    assert tail_start(io.BytesIO(data), len(data), UTF_8, 1, 1_000) == len(data) - 1_000
