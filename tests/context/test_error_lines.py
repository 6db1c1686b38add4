from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.context.error_lines import MAX_LINES, Piece, find_error_lines
from tests.context.texts import untimed


def errors_in(text: str, start: int = 0, stop: int | None = None, most: int = 500) -> list[tuple[int, str]]:
    line = 1 + text.count("\n", 0, start)
    return find_error_lines([Piece(text, start, len(text) if stop is None else stop, line)], most)


NOISE = "compiling module of no interest\n" * 40


@pytest.mark.parametrize(
    "line",
    [
        "error[E0308]: mismatched types",
        "src/main.c:10:5: error: expected ';' before 'return'",
        "src/main.c:3:10: fatal error: nope.h: No such file or directory",
        "src/app.ts(12,5): error TS2304: Cannot find name 'foo'.",
        "Traceback (most recent call last):",
        "ValueError: invalid literal for int() with base 10: 'x'",
        "requests.exceptions.ConnectionError: refused",
        "AssertionError",
        "E       assert 1 == 2",
        "FAILED tests/test_a.py::test_b - assert 1 == 2",
        "ERROR tests/test_a.py - ImportError",
        "--- FAIL: TestParse (0.00s)",
        "FAIL    example.org/pkg 0.012s",
        "test tests::parses ... FAILED",
        "panic: runtime error: index out of range [3] with length 3",
        "thread 'main' panicked at src/main.rs:2:5:",
        'Exception in thread "main" java.lang.NullPointerException',
        "npm ERR! code ELIFECYCLE",
        "2026-11-30 09:00:00 [ERROR] worker died",
        "2026-11-30 09:00:00 | ERROR | worker died",
        "The build failed with 3 problems",
        "\x1b[1m\x1b[31merror\x1b[0m: could not compile",
        "./main.go:5:2: undefined: foo",
        "  ✕ adds two numbers (5 ms)",
        "  ● Calculator › adds two numbers",
        "Tests:       1 failed, 3 passed, 4 total",
        "make: *** [Makefile:3: all] Error 1",
        "main.c:(.text+0x9): undefined reference to `foo'",
        "Segmentation fault (core dumped)",
    ],
)
def test_it_looks_like_an_error(line: str) -> None:
    text = NOISE + line + "\n" + NOISE
    found = errors_in(text)
    assert [number for number, _ in found] == [41]
    assert "\x1b" not in found[0][1]


@pytest.mark.parametrize(
    "line",
    [
        "0 errors, 0 warnings",
        "from chatcli.errors import StorageError",
        "    except ValueError as error:",
        '    raise ValueError("bad")',
        "class ParseError(Exception):",
        '{"error": null, "failed": 0}',
        "tests/test_error_lines.py",
        "mirror: the moderator",
        "12 passed, 0 failed in 1.2s",
        "hispanic panicle",
        "● a point of a list",
        "see main.go:5 for more",
    ],
)
def test_it_does_not_look_like_an_error(line: str) -> None:
    text = NOISE + line + "\n" + NOISE
    assert errors_in(text) == []


def test_lines_are_numbered_as_in_the_whole_text() -> None:
    text = "one\ntwo\nerror: three\nfour\nerror: five\n"
    assert errors_in(text, 4) == [(3, "error: three"), (5, "error: five")]


def test_only_the_omitted_part_is_searched() -> None:
    text = "error: a\nfine\nerror: b\nfine\nerror: c\n"
    assert errors_in(text, text.index("fine"), text.index("error: c")) == [(3, "error: b")]


def test_the_line_that_a_cut_goes_through_is_left_out() -> None:
    text = "x" * 50 + " error: a\nerror: b\n"
    assert errors_in(text, 20) == [(2, "error: b")]


def test_errors_of_several_pieces_are_found_in_order() -> None:
    first, last = "fine\nerror: a\n", "error: b\nfine\n"
    pieces = [Piece(first, 0, len(first), 7), Piece(last, 0, len(last), 90)]
    assert find_error_lines(pieces, 500) == [(8, "error: a")]
    pieces[1] = Piece("\n" + last, 0, len(last), 89)
    assert find_error_lines(pieces, 500) == [(8, "error: a"), (90, "error: b")]


def test_a_file_full_of_the_word_costs_no_more() -> None:
    text = "mirror mirrored mirroring\n" * 100_000
    assert errors_in(text) == []


@untimed
@given(
    st.lists(
        st.sampled_from(["error: " + "x" * 300, "error: a", "fine", "", "FAILED é", "E   " + "狐" * 90]),
        max_size=60,
    ),
    st.integers(0, 600),
)
def test_never_more_lines_or_chars_than_asked_for(lines: list[str], most: int) -> None:
    text = "start\n" + "\n".join(lines) + "\nend"
    found = errors_in(text, most=most)
    assert len(found) <= MAX_LINES
    assert sum(len(f"\n{number}: {line}") for number, line in found) <= most
    for number, line in found:
        assert text.split("\n")[number - 1].startswith(line)
