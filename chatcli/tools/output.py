"""Output of unknown length, on its way into the archive."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from types import TracebackType
from typing import Self

from msgspec import structs

from chatcli.errors import StorageError
from chatcli.messages import Archived
from chatcli.tools.api import Sink, ToolContext

logger = logging.getLogger(__name__)

_INTERRUPTED = (
    "[interrupted while it ran; this is its output so far. It may have had effects: check before you "
    "repeat it.]"
)
_TAIL_BYTES = 64_000


class StreamedOutput:
    """A writer for `Processes`. Nothing is opened in the archive before the first byte comes.

    Leaving its block by an error forgets what came, since no result would name it; when the call is
    interrupted, what came so far becomes the result. When the archive takes no more, because the disk is
    full, what runs goes on, and the end of its output becomes the result, which says so.
    """

    def __init__(self, ctx: ToolContext) -> None:
        self._ctx = ctx
        self._sink: Sink | None = None
        self._ends_line = True
        self._lost = False
        self._total_bytes = 0
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None or self.is_empty:
            return
        if not isinstance(error, asyncio.CancelledError):
            if self._sink:
                self._sink.discard()
            return
        try:
            self._ctx.keep_so_far(self.finish(_INTERRUPTED))
        except StorageError as lost:  # must not take the place of the cancel
            logger.warning("the output of an interrupted call could not be kept: %s", lost)

    @property
    def is_empty(self) -> bool:
        return self._total_bytes == 0

    def write(self, data: bytes, /) -> None:
        if not data:
            return
        self._remember_tail(data)
        self._ends_line = data.endswith(b"\n")
        if self._lost:
            return
        try:
            if self._sink is None:
                self._sink = self._ctx.store.sink()
            self._sink.write(data)
        except StorageError as error:
            logger.warning("output is no longer stored: %s", error)
            self._lost = True

    def _remember_tail(self, data: bytes) -> None:
        self._total_bytes += len(data)
        self._tail.append(data)
        self._tail_bytes += len(data)
        while self._tail_bytes - len(self._tail[0]) >= _TAIL_BYTES:
            self._tail_bytes -= len(self._tail.popleft())

    def finish(self, note: str = "") -> Archived:
        """Close it; a note becomes its last line. Raises `StorageError` when not even its end is stored."""
        if note:
            self.write(("" if self._ends_line else "\n").encode() + note.encode())
        if self._lost:
            return self._finish_tail()
        sink = self._sink or self._ctx.store.sink()
        return sink.finish()

    def _finish_tail(self) -> Archived:
        """The room of what was spooled is free again: enough for the end."""
        tail = b"".join(self._tail)[-_TAIL_BYTES:]
        omitted_bytes = self._total_bytes - len(tail)
        sink = self._ctx.store.sink()
        sink.write(
            b"[the disk took no more of this output: %d bytes are lost, this is its end]\n" % omitted_bytes
        )
        sink.write(tail)
        return structs.replace(sink.finish(), omitted_bytes=omitted_bytes)
