"""An original as far as it is needed: all of it or, when it is huge, its two ends.

A preview shows a few thousand chars of a result. So one of a gigabyte is not loaded for it; what
lies between the ends is known by its size alone.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from msgspec import Struct

from chatcli.context.error_lines import WINDOW_CHARS, Piece
from chatcli.context.store import ResultStore
from chatcli.messages import Archived

_LOADED_MAX_BYTES = 8_000_000
_CHAR_MAX_BYTES = 4


class Excerpt(Struct, frozen=True):
    """`start` is the whole text unless `end` is given; then something is missing between the two."""

    size_chars: int
    lines: int
    start: str
    end: str | None = None

    @classmethod
    def of(cls, text: str, original: Archived) -> Excerpt:
        return cls(size_chars=len(text), lines=original.lines, start=text)

    @property
    def last(self) -> str:
        """The text that ends where the original ends."""
        return self.start if self.end is None else self.end

    def middle(self, head_end: int, tail_start: int) -> Iterator[Piece]:
        """What stands from `head_end` in `start` to `tail_start` in `last`, at most a window at each end."""
        line = 1 + self.start.count("\n", 0, head_end)
        stop = len(self.start) if self.end is not None else tail_start
        if self.end is None and stop - head_end <= 2 * WINDOW_CHARS:
            yield Piece(self.start, head_end, stop, line)
            return
        yield Piece(self.start, head_end, min(stop, head_end + WINDOW_CHARS), line)
        begin = max(0, tail_start - WINDOW_CHARS)
        newlines = self.lines - (not self.last.endswith("\n"))
        yield Piece(self.last, begin, tail_start, 1 + newlines - self.last.count("\n", begin))


def read_excerpt(original: Archived, most_chars: int, store: ResultStore) -> Excerpt:
    """What is needed to show up to `most_chars` of each end. Raises `StorageError` when it is gone."""
    needed_bytes = _CHAR_MAX_BYTES * (most_chars + WINDOW_CHARS)
    if original.size_bytes <= max(_LOADED_MAX_BYTES, 2 * needed_bytes):
        return Excerpt.of(store.text(original), original)
    with store.open(original) as file:
        first = file.read(needed_bytes)
        file.seek(-needed_bytes, 2)
        last = file.read(needed_bytes)
    begin = next(at for at in range(_CHAR_MAX_BYTES) if at == 3 or last[at] & 0xC0 != 0x80)
    return Excerpt(
        size_chars=original.size_chars,
        lines=original.lines,
        start=codecs.getincrementaldecoder("utf-8")("replace").decode(first),
        end=last[begin:].decode("utf-8", "replace"),
    )
