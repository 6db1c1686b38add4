"""A window that becomes narrower: rows that the terminal broke anew are erased with the rest."""

from __future__ import annotations

import pytest
from prompt_toolkit.layout.screen import Char, Screen

from chatcli.terminal.screen.reflow import added_rows, reflows


def drawn(*rows: str) -> Screen:
    screen = Screen()
    for y, row in enumerate(rows):
        x = 0
        for char in row:
            screen.data_buffer[y][x] = Char(char)
            if screen.data_buffer[y][x].width == 2:
                screen.data_buffer[y][x + 1] = Char("", "")
            x += screen.data_buffer[y][x].width
    return screen


@pytest.mark.parametrize(
    ("rows", "cursor_x", "columns", "added"),
    [
        (("short", "❯ x"), 3, 40, 0),
        (("a" * 40, "❯ x"), 3, 40, 0),
        (("a" * 41, "❯ x"), 3, 40, 1),
        (("a" * 81, "", "❯ x"), 3, 40, 2),
        (("a" * 30 + " " * 30, "❯ x"), 3, 40, 0),
        (("❯ " + "x" * 98,), 100, 40, 2),
        (("❯ x", "status " * 20), 3, 40, 0),
        (("中" * 20, "❯ x"), 3, 39, 1),
        (("中" * 20, "❯ x"), 3, 21, 1),
        (("中" * 21, "❯ x"), 3, 21, 2),
    ],
)
def test_rows_that_were_added_above_the_cursor(
    rows: tuple[str, ...], cursor_x: int, columns: int, added: int
) -> None:
    cursor_y = next(y for y, row in enumerate(rows) if row.startswith("❯"))
    assert added_rows(drawn(*rows), cursor_x, cursor_y, columns) == added


def test_an_unknown_terminal_is_not_trusted_to_break_rows_anew() -> None:
    assert not reflows({"TERM": "xterm-256color"})
    assert reflows({"TERM": "xterm-kitty"})
    assert reflows({"TERM": "xterm-256color", "VTE_VERSION": "7600"})
