"""Code is coloured line by line while it is written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatcli.terminal.code import CodeColours


def styles(language: str, *lines: str) -> list[list[str]]:
    """The styles that occur in each line, without the plain ones."""
    colours = CodeColours(language)
    return [sorted({style for text, style in colours.line(line) if style and text.strip()}) for line in lines]


def test_no_character_is_lost() -> None:
    colours = CodeColours("python")
    for line in ("def f(x):  # hi", "", '    """doc', "  it's 'odd", '    end"""', "\treturn x"):
        assert "".join(text for text, _style in colours.line(line)) == line


def test_a_string_over_lines_stays_a_string() -> None:
    assert styles("python", '"""one', "def two", 'three"""', "def four(): pass") == [
        ["green"],
        ["green"],
        ["green"],
        ["blue", "magenta"],
    ]


def test_a_comment_over_lines_stays_a_comment() -> None:
    assert styles("c", "int a; /* one", "int two;", "three */ int b;")[1] == ["dim"]
    assert "dim" not in styles("c", "/* one */", "int two;")[1]


def test_what_only_looks_like_a_comment_opens_none() -> None:
    assert "dim" not in styles("bash", "ls foo/*", "echo one")[1]
    assert "dim" not in styles("javascript", "const glob = 'src/*'", "const two = 1")[1]
    assert "green" not in styles("python", '# """', "x = y")[1]


@given(
    st.sampled_from(["python", "c", "javascript", "html", "bash", "css"]),
    st.lists(st.text("ab /*'\"<!->#\\x(){}\t", max_size=20), max_size=6),
)
@settings(max_examples=80, deadline=None)
def test_whatever_is_open_no_character_is_lost(language: str, lines: list[str]) -> None:
    colours = CodeColours(language)
    for line in lines:
        assert "".join(text for text, _style in colours.line(line)) == line


@pytest.mark.parametrize("language", ["", "no-such-language", "{.weird}", "text"])
def test_unknown_languages_stay_plain(language: str) -> None:
    assert styles(language, "def f(): pass") == [[]]


@pytest.mark.parametrize("language", ["json", "yaml", "html", "php", "diff", "rust", "go", "toml", "sql"])
def test_every_kind_of_lexer_keeps_the_text(language: str) -> None:
    colours = CodeColours(language)
    for line in ('{"a": [1, "/*"', "<!-- x", "+ added", "key: 'v'  # c", "?>"):
        assert "".join(text for text, _style in colours.line(line)) == line
