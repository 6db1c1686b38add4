"""What the REPL needs of a screen: lines above, a live area, typed lines, answers to questions.

There are two: `livescreen` for terminals with a cursor, `plainscreen` for everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol

from msgspec import Struct

from chatcli.terminal.look import Look

Key = Literal["interrupt", "leave", "cycle"]
"""Keys that mean something besides text: Ctrl-C, Ctrl-D on an empty line, Shift+Tab."""


class Line(Struct, frozen=True):
    """A submitted line: `text` in full, `shown` with large pastes as placeholders."""

    text: str
    shown: str


class Entry(Struct, frozen=True):
    """One of a list to choose from: a safe row, and what typing looks for in it."""

    shown: str
    words: str


class Interrupted(Exception):
    """Ctrl-C, or the end of the input, at a question."""


class Screen(Protocol):
    """`print` and `live` take lines that are safe already and at most `columns` wide."""

    look: Look
    last_key_seconds: float
    """`time.monotonic()` of the last key."""
    busy: bool
    """Whether something runs that Ctrl-C would cancel; otherwise it clears the line."""
    keeps_typed: bool
    """Whether a line that was typed stays on the screen by itself."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Input is taken inside; outside the terminal is as it was before."""
        ...

    @property
    def columns(self) -> int: ...

    @property
    def rows(self) -> int: ...

    def print(self, lines: Sequence[str]) -> None:
        """Append lines. They are never changed again."""
        ...

    def live(self, lines: Callable[[], Sequence[str]] | None) -> None:
        """Show what `lines` returns above the input, redrawn as it changes; None: nothing."""
        ...

    def refresh(self) -> None:
        """Something that is shown has changed."""
        ...

    async def next_input(self) -> Line | Key:
        """The next submitted line or key. `leave` also when the input is gone."""
        ...

    def give_back(self, text: str) -> None:
        """Put a message that was not delivered where it can be sent again."""
        ...

    async def ask(self, label: str) -> str:
        """One answer line. Nothing that was typed before the question can answer it.

        Raises `Interrupted`.
        """
        ...

    async def choose(self, label: str, entries: Sequence[Entry], start: int = 0) -> int | None:
        """The position of the entry that the person takes; None when he takes none.

        `start` is marked at first. Without a cursor they are printed, and none is taken.
        """
        ...

    async def page(self, lines: Sequence[str]) -> None:
        """Show something long."""
        ...
