"""A list of which one entry is taken: arrow keys move, typing filters, Enter takes, Esc leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import StyleAndTextTuples

from chatcli.i18n import _
from chatcli.terminal.cells import clip
from chatcli.terminal.screen.screen import Entry

PAGE_ROWS = 10
_MARK, _NO_MARK = "› ", "  "


class Picker:
    """Open while `choose` of the screen waits. Entries are shown on one row each."""

    def __init__(self) -> None:
        self.label = ""
        self.words = Buffer(multiline=False, name="picker", on_text_changed=self._filter)
        """What was typed: an entry must hold every word of it."""
        self._entries: Sequence[Entry] = ()
        self._shown: list[int] = []
        self._at = 0
        self._taken: asyncio.Future[int | None] | None = None

    def open(self, label: str, entries: Sequence[Entry], start: int) -> asyncio.Future[int | None]:
        """What comes out is the position of the entry, or None. `start` is marked at first."""
        self.label, self._entries = label, entries
        self.words.reset()
        self._shown = list(range(len(entries)))
        self._at = start
        self._taken = asyncio.get_running_loop().create_future()
        return self._taken

    def move(self, steps: int) -> None:
        self._at = max(0, min(self._at + steps, len(self._shown) - 1))

    def take(self) -> None:
        """The marked entry; nothing happens where no entry is left."""
        if self._shown:
            self._end(self._shown[self._at])

    def leave(self) -> None:
        self._end(None)

    def rows(self, columns: int) -> StyleAndTextTuples:
        """The page around the marked entry."""
        if not self._shown:
            return [("class:status", clip(_NO_MARK + _("nothing is called that"), columns))]
        first = max(0, min(self._at - PAGE_ROWS // 2, len(self._shown) - PAGE_ROWS))
        drawn: StyleAndTextTuples = []
        for position in range(first, min(first + PAGE_ROWS, len(self._shown))):
            marked = position == self._at
            text = clip((_MARK if marked else _NO_MARK) + self._entries[self._shown[position]].shown, columns)
            drawn += [("reverse" if marked else "", text), ("", "\n")]
        return drawn[:-1]

    def _filter(self, _buffer: Buffer) -> None:
        words = self.words.text.lower().split()
        marked = self._shown[self._at] if self._shown else 0
        self._shown = [
            number
            for number, entry in enumerate(self._entries)
            if all(word in entry.words.lower() for word in words)
        ]
        self._at = self._shown.index(marked) if marked in self._shown else 0

    def _end(self, chosen: int | None) -> None:
        if self._taken and not self._taken.done():
            self._taken.set_result(chosen)
