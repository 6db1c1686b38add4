"""What a stream of bytes is as text: counted piece by piece, in constant memory."""

from __future__ import annotations

import codecs
import hashlib
import re

from msgspec import structs

from chatcli.messages import Archived

_OTHER_SURROGATES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_Decoder = codecs.getincrementaldecoder("utf-8")

KEY_DIGITS = 16


class Measure:
    """Size, code points, lines and SHA-256 of everything given to `update`."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._decoder = _Decoder("replace")
        self._size_bytes = 0
        self._size_chars = 0
        self._newlines = 0
        self._last = b""

    def update(self, data: bytes | memoryview) -> None:
        if not data:
            return
        self._sha256.update(data)
        self._size_bytes += len(data)
        self._size_chars += len(self._decoder.decode(data))
        self._newlines += bytes(data).count(b"\n")
        self._last = bytes(data[-1:])

    def archived(self, *, omitted_bytes: int = 0) -> Archived:
        """The result. Lines are counted as a person does: the last one needs no newline."""
        self._size_chars += len(self._decoder.decode(b"", final=True))
        sha256 = self._sha256.hexdigest()
        return Archived(
            key=sha256[:KEY_DIGITS],
            sha256=sha256,
            size_bytes=self._size_bytes,
            size_chars=self._size_chars,
            lines=self._newlines + (self._last not in (b"", b"\n")),
            omitted_bytes=omitted_bytes,
        )


def measure_unstored(text: str) -> Archived:
    """What is known about a text that no archive could take: without a key, nothing can be opened."""
    measure = Measure()
    measure.update(to_utf8(text))
    return structs.replace(measure.archived(), key="")


def to_utf8(text: str) -> bytes:
    """UTF-8 for any string: bytes smuggled in by `surrogateescape` come out again as they were.

    Other lone surrogates, halves of a character cut by a stream, become U+FFFD.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _OTHER_SURROGATES.sub("\ufffd", text).encode("utf-8", "surrogateescape")
