"""Output of unknown length, on its way into the archive."""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType
from typing import Self

from chatcli.errors import StorageError
from chatcli.messages import Archived
from chatcli.tools.api import Sink, ToolContext

logger = logging.getLogger(__name__)

_INTERRUPTED = (
    "[interrupted while it ran; this is its output so far. It may have had effects: check before you "
    "repeat it.]"
)


class StreamedOutput:
    """A writer for `Processes`. Nothing is opened in the archive before the first byte comes.

    Leaving its block by an error forgets what came, since no result would name it; when the call is
    interrupted, what came so far becomes the result.
    """

    def __init__(self, ctx: ToolContext) -> None:
        self._ctx = ctx
        self._sink: Sink | None = None
        self._ends_line = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None or self._sink is None:
            return
        if not isinstance(error, asyncio.CancelledError):
            self._sink.discard()
            return
        try:
            self._ctx.keep_so_far(self.finish(_INTERRUPTED))
        except StorageError as lost:  # must not take the place of the cancel
            logger.warning("the output of an interrupted call could not be kept: %s", lost)

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
