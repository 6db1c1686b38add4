"""How things may look here: colours or none, and the few styles that chatcli uses.

Only the sixteen colours of the terminal's own theme and no backgrounds, so that light and dark
themes both work and copies carry nothing but text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Style = Literal["dim", "bold", "good", "bad", "warn", "accent", "user"]

_SGR: dict[Style, str] = {
    "dim": "2",
    "bold": "1",
    "good": "32",
    "bad": "31",
    "warn": "33",
    "accent": "36",
    "user": "1;36",
}
_WITHOUT_CURSOR = frozenset({"", "dumb", "unknown"})


class Look(Struct, frozen=True, kw_only=True):
    """What the terminal can show."""

    color: bool
    live: bool
    """Whether the cursor can be moved: without that everything is printed line by line."""

    def paint(self, text: str, style: Style) -> str:
        """The text in a style, or as it is where there are no colours."""
        if not self.color or not text:
            return text
        return f"\x1b[{_SGR[style]}m{text}\x1b[0m"


def choose_look(environment: Mapping[str, str], *, terminal: bool) -> Look:
    """Colours need a terminal that is not dumb and no `NO_COLOR`; a live area needs a cursor."""
    live = terminal and environment.get("TERM", "") not in _WITHOUT_CURSOR
    return Look(color=live and not environment.get("NO_COLOR"), live=live)
