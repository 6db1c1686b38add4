"""Streamed markdown: what was printed never changes, however the text was cut on its way."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatcli.terminal import blocks
from chatcli.terminal.cells import width_cells
from chatcli.terminal.stream import MarkdownStream

_SGR = re.compile(r"\x1b\[[0-9;]*m")

LINES = st.sampled_from(
    [
        "",
        "",
        "plain words that go on for a while, long enough to be wrapped at forty columns",
        "more **bold _and_ italic** `code` text",
        "# Heading",
        "## Second *one*",
        "- item",
        "  - nested item",
        "  more of the item",
        "1. first",
        "2) second",
        "    indented",
        "```python",
        "```",
        "~~~",
        "def f(x): return '''text",
        "/* comment",
        "| a | b |",
        "|---|--:|",
        "| 1 | two |",
        "> quote",
        "---",
        "===",
        "***",
        "[x]: https://example.com",
        "see [x] and [y](https://example.org/a_b)",
        "<div>",
        "中文字符 é e\u0301 🎉 👨‍👩‍👧",
        "\x1b[2J\x1b]52;c;aGk=\x07 \u202eevil &#x202e; &#27;[1m",
        "unclosed **bold and `code",
        "trailing\\",
        "\tTab",
        "#not a heading",
        "#",
        "*",
        "-",
    ]
)
DOCUMENTS = st.lists(LINES, max_size=25).map("\n".join)


def rendered(text: str, columns: int = 60, *, color: bool = True) -> list[str]:
    stream = MarkdownStream(color=color)
    return stream.feed(text, columns) + stream.finish(columns)


def cut(text: str, sizes: list[int]) -> list[str]:
    pieces, position = [], 0
    for size in sizes:
        pieces.append(text[position : position + size])
        position += size
    return [*pieces, text[position:]]


@given(DOCUMENTS, st.lists(st.integers(1, 40), max_size=60), st.integers(20, 100))
@settings(max_examples=150, deadline=None)
def test_the_pieces_in_which_a_text_arrives_do_not_matter(text: str, sizes: list[int], columns: int) -> None:
    stream = MarkdownStream(color=True)
    lines: list[str] = []
    for piece in cut(text, sizes):
        lines += stream.feed(piece, columns)
        assert len(stream.preview(columns, 5)) <= 5
    assert lines + stream.finish(columns) == rendered(text, columns)


@given(
    st.text(
        st.sampled_from("\r\n\n\t \x00\x0b\x0c\x1c\x85\u2028\u00a0`~#-+|>*_[]()<!&;:\\\\a1."), max_size=80
    )
)
@settings(max_examples=400, deadline=None)
def test_no_text_of_a_model_breaks_the_view_and_every_line_end_counts_alike(text: str) -> None:
    lines = rendered(text, color=False)
    assert not any("\n" in line or "\r" in line for line in lines)
    assert rendered(text.replace("\n", "\r\n"), color=False) == rendered(
        re.sub(r"\r+\n", "\n", text), color=False
    )


def test_a_lone_carriage_return_is_shown_and_starts_no_line() -> None:
    assert rendered("shown \rover\r\n\nnext", color=False) == ["shown ␍over", "", "next"]


@given(DOCUMENTS, st.integers(0, 400))
@settings(max_examples=100, deadline=None)
def test_what_was_handed_out_is_a_beginning_of_the_whole(text: str, size: int) -> None:
    early = MarkdownStream(color=True).feed(text[:size], 50)
    assert rendered(text, 50)[: len(early)] == early


@given(DOCUMENTS, st.integers(40, 100))
@settings(max_examples=100, deadline=None)
def test_nothing_but_colours_reaches_the_screen(text: str, columns: int) -> None:
    for line in rendered(text, columns):
        visible = _SGR.sub("", line)
        assert "\x1b" not in visible
        assert "\x07" not in visible
        assert "\u202e" not in visible
        assert visible == visible.rstrip()
        assert width_cells(visible) <= columns


@given(DOCUMENTS)
@settings(max_examples=50, deadline=None)
def test_without_colours_it_is_plain_text(text: str) -> None:
    assert all("\x1b" not in line for line in rendered(text, color=False))


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=12), max_size=60), st.integers(12, 80))
@settings(deadline=None)
def test_prose_loses_no_word(words: list[str], columns: int) -> None:
    assert " ".join(rendered(" ".join(words), columns, color=False)).split() == words


@pytest.mark.parametrize("line", ["| 1 | 2 |", "> quote", "    code", "- item"])
def test_the_work_for_a_long_block_grows_with_its_length(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed_lines = 0
    parse = blocks.parser().parse

    def counted(source: str) -> object:
        nonlocal parsed_lines
        parsed_lines += source.count("\n")
        return parse(source)

    monkeypatch.setattr(blocks.parser(), "parse", counted)
    splitter = blocks.BlockSplitter()
    for text in ["| a | b |", "|---|---|", *[line] * 1_000]:
        splitter.feed(text + "\n")
    assert parsed_lines < 40_000


def test_the_preview_of_an_endless_line_of_code_looks_at_its_end_only() -> None:
    stream = MarkdownStream(color=False)
    stream.feed("```\n" + "x" * 1_000_000 + "end", 40)
    began = time.perf_counter()
    assert stream.preview(40, 5)[-1].endswith("end")
    assert time.perf_counter() - began < 0.2


def test_a_paragraph_is_printed_when_it_has_ended() -> None:
    stream = MarkdownStream(color=False)
    assert stream.feed("one\ntwo\n", 40) == []
    assert stream.preview(40, 5) == ["one two"]
    assert stream.feed("\nthree", 40) == ["one two"]
    assert stream.feed("\n# four\n", 40) == ["", "three"]
    assert stream.preview(40, 5) == ["four"]


def test_items_of_a_list_are_printed_one_by_one() -> None:
    stream = MarkdownStream(color=False)
    assert stream.feed("Steps:\n- one\n- two\n  - inner\n- three\n", 40) == [
        "Steps:",
        "• one",
        "• two",
        "  • inner",
    ]


def test_lines_of_a_code_fence_are_printed_as_they_come() -> None:
    stream = MarkdownStream(color=False)
    assert stream.feed("```py\nx = 1\n", 40) == ["```py", "x = 1"]
    assert stream.feed("  y = ", 40) == []
    assert stream.preview(40, 5) == ["  y ="]
    assert stream.feed("2\n```\nafter\n", 40) == ["  y = 2", "```"]
    assert stream.finish(40) == ["", "after"]


def test_a_preview_shows_the_end_of_what_is_unfinished() -> None:
    stream = MarkdownStream(color=False)
    stream.feed("word " * 100, 40)
    assert len(stream.preview(40, 3)) == 3


def test_a_width_that_changes_applies_to_what_is_printed_from_then_on() -> None:
    stream = MarkdownStream(color=False)
    first = stream.feed("aaaa " * 20 + "\n\n" + "bbbb " * 20 + "\n", 80)
    assert max(map(width_cells, first)) > 40
    assert max(map(width_cells, stream.finish(40))) <= 40


def test_a_fence_is_closed_only_by_its_own_mark() -> None:
    text = "````md\n```py\nx\n```\n````\ndone"
    assert rendered(text, color=False) == ["````md", "```py", "x", "```", "````", "", "done"]


def test_an_endless_block_is_let_go_at_last() -> None:
    stream = MarkdownStream(color=False)
    lines = stream.feed("word word word word\n" * 10_000, 80)
    assert len(lines) > 1_000


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_the_end_of_the_text_does_not_add_lines(ending: str) -> None:
    assert rendered(f"one\n\ntwo{ending}", color=False) == ["one", "", "two"]
