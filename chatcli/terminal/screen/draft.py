"""The line that is being written: its buffer, its pastes, its history, its editor."""

from __future__ import annotations

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History

from chatcli.terminal.screen.paste import Pastes
from chatcli.terminal.screen.screen import Line


class Draft:
    """`buffer` is what prompt_toolkit edits; large pastes stand in it as one word."""

    def __init__(self, history: History, completer: Completer) -> None:
        self.pastes = Pastes()
        self.buffer = Buffer(
            multiline=True,
            history=history,
            completer=completer,
            complete_while_typing=Condition(self._may_complete),
            tempfile_suffix=".md",
            name="draft",
        )

    def take(self) -> Line:
        """The finished line; it is remembered, and the next one begins empty."""
        shown = self.buffer.text
        text = self.pastes.expand(shown)
        if text.strip():
            self.buffer.history.append_string(text)
        self.clear()
        return Line(text.strip(), shown.strip())

    def clear(self) -> None:
        self.buffer.reset()
        self.pastes.clear()

    def put_first(self, text: str) -> None:
        """Put `text` before what is written already."""
        written = self.buffer.text
        self.buffer.text = f"{text}\n{written}" if written else text
        self.buffer.cursor_position = len(self.buffer.text)

    async def edit(self) -> None:
        """Go on in the user's editor, with all pastes in full."""
        self.buffer.text = self.pastes.expand(self.buffer.text)
        await self.buffer.open_in_editor()

    def _may_complete(self) -> bool:
        before = self.buffer.document.text_before_cursor
        in_front, mention, _query = before.rpartition("@")
        return before.startswith("/") or (bool(mention) and (not in_front or in_front[-1].isspace()))
