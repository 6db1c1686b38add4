"""Narrower windows: many terminals break the rows on the screen anew, and the live area grows by rows
that prompt_toolkit does not know of. Unless they are erased too, each step leaves them behind.
"""

from __future__ import annotations

from collections.abc import Mapping

from prompt_toolkit.layout.screen import Screen

_VARIABLES = (
    "TMUX",
    "VTE_VERSION",
    "KITTY_WINDOW_ID",
    "KONSOLE_VERSION",
    "WEZTERM_PANE",
    "ALACRITTY_WINDOW_ID",
    "GHOSTTY_RESOURCES_DIR",
    "ITERM_SESSION_ID",
    "WT_SESSION",
)
_TERMS = frozenset({"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"})


def reflows(environment: Mapping[str, str]) -> bool:
    """Whether this terminal is known to do so. In doubt no: erasing too much would lose what was printed."""
    return environment.get("TERM") in _TERMS or any(environment.get(name) for name in _VARIABLES)


def added_rows(screen: Screen, cursor_x: int, cursor_y: int, columns: int) -> int:
    """Rows that `screen` takes more, from its top to the cursor, since it is only `columns` wide."""
    return sum(_breaks(screen, y, columns) for y in range(cursor_y)) + cursor_x // columns


def _breaks(screen: Screen, y: int, columns: int) -> int:
    """How often the row is broken before its last visible character; a wide one is never cut in two."""
    row = screen.data_buffer[y]
    last = max((x for x in row if row[x].char.strip()), default=-1)
    breaks = column = 0
    for x in range(last + 1):
        width = row[x].width if x in row else 1
        if column + width > columns:
            breaks, column = breaks + 1, 0
        column += width
    return breaks
