"""Decompression of a body that may be a bomb: in small pieces, with a limit on all of them together."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Literal

from chatcli.errors import ToolFailed

ACCEPTED = "gzip, deflate"
"""The encodings for which there is a decompressor that can be stopped."""

_PIECE_BYTES = 1 << 16
_MAX_RATIO = 100
_RATIO_FROM_BYTES = 1 << 20
"""Below it a high ratio is no sign of a bomb: short pages repeat themselves."""
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class UnknownEncoding(ToolFailed):
    """The server compressed in a way for which there is no bounded decompressor."""


class Body:
    """Takes the raw bytes as they come. Once `stopped` says why, nothing more is taken."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        """Raises `UnknownEncoding`."""
        if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise UnknownEncoding(f"the answer is compressed with {encoding[:20]!r}, which was not asked for")
        self.stopped: Literal["", "size", "ratio"] = ""
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._taken_bytes = self._raw_bytes = 0
        self._inflater = None if encoding in {"", "identity"} else zlib.decompressobj(_GZIP_OR_ZLIB)
        self._may_be_raw = encoding == "deflate"

    def feed(self, data: bytes) -> None:
        """Raises `ToolFailed` when the bytes are not what the encoding says."""
        self._raw_bytes += len(data)
        for piece in self._inflated(data) if self._inflater else (data,):
            room_bytes = self._max_bytes - self._taken_bytes
            self._pieces.append(piece[:room_bytes])
            self._taken_bytes += min(len(piece), room_bytes)
            if len(piece) > room_bytes:
                self.stopped = "size"
            elif self._taken_bytes > max(_RATIO_FROM_BYTES, _MAX_RATIO * self._raw_bytes):
                self.stopped = "ratio"
            if self.stopped:
                return

    def content(self) -> bytes:
        return b"".join(self._pieces)

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        while data:
            assert self._inflater is not None
            try:
                piece = self._inflater.decompress(data, _PIECE_BYTES)
            except zlib.error as error:
                if not self._may_be_raw:
                    raise ToolFailed(f"the answer cannot be decompressed: {error}") from error
                # Many servers mean the bare stream, without the frame that `deflate` names.
                self._may_be_raw, self._inflater = False, zlib.decompressobj(-zlib.MAX_WBITS)
                continue
            self._may_be_raw = False
            data = self._inflater.unconsumed_tail
            if piece:
                yield piece
            if self._inflater.eof:
                return
