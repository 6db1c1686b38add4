"""How single blocks of markdown look."""

from __future__ import annotations

from chatcli.terminal.markdown import Markdown


def plain(source: str, columns: int = 60) -> list[str]:
    return Markdown(columns, color=False).block(source)


def test_headings_lists_and_quotes() -> None:
    assert plain("## Title *here*") == ["Title here"]
    assert plain("- a\n- b\n  - c\n\n    more") == ["• a", "• b", "  • c", "", "    more"]
    assert plain("3. c\n4. d") == ["3. c", "4. d"]
    assert plain("> one\n>\n> two") == ["│ one", "│", "│ two"]


def test_long_items_are_indented() -> None:
    assert plain("- one two three four five", 12) == ["• one two", "  three four", "  five"]


def test_links_show_where_they_lead() -> None:
    assert plain("[text](https://x.io/a)") == ["text (https://x.io/a)"]
    assert plain("<https://x.io>") == ["https://x.io"]


def test_links_cannot_hide_control_characters() -> None:
    assert "\x1b" not in "".join(plain("[a](https://x.io/&#27;]8;;evil) ![i](\x1b[2J)"))


def test_tables_are_aligned_and_end_where_their_text_ends() -> None:
    assert plain("| n | name |\n|--:|---|\n| 1 | a |\n| 20 | bb |") == [
        " n   name",
        "─────────",
        " 1   a",
        "20   bb",
    ]


def test_a_table_too_wide_for_the_screen_becomes_records() -> None:
    source = "| a | b | c | d | e |\n|---|---|---|---|---|\n| 1 | 2 | 3 | 4 | 5 |\n| 6 | 7 | 8 | 9 | 0 |"
    assert plain(source, 40)[:6] == ["a: 1", "b: 2", "c: 3", "d: 4", "e: 5", ""]


def test_markup_of_rich_is_plain_text() -> None:
    assert plain("[bold]x[/bold] [red") == ["[bold]x[/bold] [red"]


def test_html_is_shown_as_it_is() -> None:
    assert plain("<div>\n  x\n</div>") == ["<div>", "  x", "</div>"]


def test_colours_are_the_sixteen_of_the_terminal() -> None:
    assert Markdown(60, color=True).block("a `b` **c**") == ["a \x1b[36mb\x1b[0m \x1b[1mc\x1b[0m"]


def test_wide_characters_are_measured_in_cells() -> None:
    assert plain("中文字符中文字符", 10) == ["中文字符中", "文字符"]
