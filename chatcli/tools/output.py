"""Output of unknown length, on its way into the archive."""

from __future__ import annotations

from chatcli.messages import Archived
from chatcli.tools.api import Sink, ToolContext


class StreamedOutput:
    """A writer for `Processes`. Nothing is opened in the archive before the first byte comes."""

    def __init__(self, ctx: ToolContext) -> None:
        self._ctx = ctx
        self._sink: Sink | None = None
        self._ends_line = True

    @property
    def is_empty(self) -> bool:
        return self._sink is None

    def write(self, data: bytes, /) -> None:
        if not data:
            return
        if self._sink is None:
            self._sink = self._ctx.store.sink()
        self._sink.write(data)
        self._ends_line = data.endswith(b"\n")

    def finish(self, note: str = "") -> Archived:
        """Close it; a note becomes its last line."""
        if note:
            self.write(("" if self._ends_line else "\n").encode() + note.encode())
        sink = self._sink or self._ctx.store.sink()
        return sink.finish()

    def abandon(self) -> None:
        """Forget what came: no result will name it, and it would use up the session's storage."""
        if self._sink is not None:
            self._sink.discard()
