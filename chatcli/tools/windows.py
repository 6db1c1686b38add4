"""A part of a long text that comes in pieces, in constant memory: lines, characters, or its end."""

from __future__ import annotations

from typing import BinaryIO

from msgspec import Struct

from chatcli.tools.text import Encoding, safe_cut

_BLOCK_BYTES = 1 << 16


class Shown(Struct, frozen=True, kw_only=True):
    """The part that a window let through."""

    text: str
    start_char: int
    """Characters of the whole text before `text`."""
    first_line: int = 0
    """Number of the first line, from 1. Lines are 0 when only characters were counted."""
    last_line: int = 0
    more: bool = False
    """More was asked for than had room."""
    inside_line: bool = False
    """`text` stops in the middle of a line that alone has more characters than there is room."""


class LineWindow:
    """Lines `first`..`last` (None: to the end), whole lines up to `room_chars`."""

    def __init__(self, first: int, last: int | None, room_chars: int) -> None:
        self.seen_lines = 0
        """Line ends so far; `total_lines` counts an unended last line too."""
        self.seen_chars = 0
        self.is_done = False
        """Nothing that follows can be shown."""
        self._first = first
        self._last = last
        self._room_chars = room_chars
        self._start_char: int | None = None
        self._parts: list[str] = []
        self._taken_chars = 0
        self._ends_open = False

    def feed(self, piece: str) -> None:
        """The next piece of the text."""
        newlines = piece.count("\n")
        if not self.is_done:
            self._take(piece, newlines)
        self.seen_lines += newlines
        self.seen_chars += len(piece)
        if piece:
            self._ends_open = not piece.endswith("\n")

    @property
    def total_lines(self) -> int:
        return self.seen_lines + self._ends_open

    def shown(self) -> Shown:
        """What was let through of the pieces fed so far."""
        text = "".join(self._parts)
        more, inside_line = len(text) > self._room_chars, False
        if more:
            cut = text.rfind("\n", 0, self._room_chars) + 1
            inside_line = cut == 0
            text = text[: cut or safe_cut(text, self._room_chars)]
        return Shown(
            text=text,
            start_char=self._start_char or 0,
            first_line=self._first,
            last_line=self._first + count_lines(text) - 1,
            more=more,
            inside_line=inside_line,
        )

    def _take(self, piece: str, newlines: int) -> None:
        begin = 0
        if self._start_char is None:
            before = self._first - 1 - self.seen_lines
            if newlines < before or not piece:
                return
            begin = _after_newlines(piece, before)
            self._start_char = self.seen_chars + begin
        end = len(piece)
        if self._last is not None and self.seen_lines + newlines >= self._last:
            end = _after_newlines(piece, self._last - self.seen_lines)
            self.is_done = True
        self._parts.append(piece[begin:end])
        self._taken_chars += end - begin
        # One character more than there is room tells that something was cut.
        self.is_done = self.is_done or self._taken_chars > self._room_chars


class CharWindow:
    """`count` characters (None: all) from offset `start`, up to `room_chars`."""

    def __init__(self, start: int, count: int | None, room_chars: int) -> None:
        self.seen_chars = 0
        self.is_done = False
        self._start = start
        self._count = count
        self._room_chars = room_chars
        self._wanted_chars = room_chars + 1 if count is None else min(count, room_chars) + 1
        self._parts: list[str] = []
        self._taken_chars = 0

    def feed(self, piece: str) -> None:
        """The next piece of the text."""
        if not self.is_done:
            begin = max(0, self._start - self.seen_chars)
            part = piece[begin : begin + self._wanted_chars - self._taken_chars]
            self._parts.append(part)
            self._taken_chars += len(part)
            self.is_done = self._taken_chars >= self._wanted_chars
        self.seen_chars += len(piece)

    def shown(self) -> Shown:
        """What was let through of the pieces fed so far."""
        text = "".join(self._parts)
        limit = self._room_chars if self._count is None else min(self._count, self._room_chars)
        wanted_more = self._count is None or self._count > limit
        more = len(text) > limit and wanted_more
        if len(text) > limit:
            text = text[: safe_cut(text, limit) or limit]
        return Shown(text=text, start_char=self._start, more=more)


def tail_start(file: BinaryIO, size_bytes: int, encoding: Encoding, lines: int, max_bytes: int) -> int:
    """Offset in bytes at which the last `lines` lines begin, looking at most at the last `max_bytes`."""
    newline, width, begin = encoding.newline, len(encoding.newline), len(encoding.bom)
    position = size_bytes - max(0, size_bytes - begin) % width
    floor = max(begin, position - max_bytes // width * width)
    at_end = True
    while position > floor:
        step = min(_BLOCK_BYTES, position - floor)
        file.seek(position - step)
        block = file.read(step)
        at = len(block) - (width if at_end and block.endswith(newline) else 0)
        at_end = False
        while (at := block.rfind(newline, 0, at)) >= 0:
            if at % width == 0:
                lines -= 1
                if lines == 0:
                    return position - step + at + width
        position -= step
    return floor


def count_lines(text: str) -> int:
    """Lines of a text; an unended last one counts."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def _after_newlines(text: str, count: int) -> int:
    """Offset behind the `count`-th line end, which must be there."""
    return sum(map(len, text.split("\n", count)[:count])) + count
