"""Searching archived results line by line, in constant memory however long a line is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from chatcli.tools import ToolFailed
from chatcli_plugins.search_results import SearchResults

_PIECE_BYTES = 4_000_000
"""Longer lines are searched in pieces of this size."""
_OVERLAP_CHARS = 4_000
"""The longest match that is found for sure where two pieces meet."""
_LINE_SECONDS = 2.0


class Piece(NamedTuple):
    """A line without its end, or a part of a very long one that begins behind `before_chars` of it."""

    number: int
    text: str
    before_chars: int = 0
    is_last: bool = True

    @property
    def is_whole(self) -> bool:
        return self.is_last and not self.before_chars


def compile_grep(pattern: str) -> tuple[Any, str]:
    """The pattern of the `regex` package, and a remark when it is taken as plain text."""
    import regex

    try:
        return regex.compile(pattern), ""
    except regex.error:
        return regex.compile(regex.escape(pattern)), "taken as plain text: it is no regular expression"


def compile_literal(pattern: str) -> Any:
    import regex

    return regex.compile(regex.escape(pattern))


def grep_file(
    file: BinaryIO,
    pattern: Any,
    results: SearchResults,
    *,
    first: int,
    last: int | None,
    check: Callable[[], None],
) -> None:
    """Hand the matching lines of `first`..`last` and what stands around them to `results`."""
    taken = 0
    try:
        for piece in pieces(file):
            check()
            if last is not None and piece.number > last:
                return
            if piece.number < first or piece.number == taken:
                continue
            if found := pattern.search(piece.text, timeout=_LINE_SECONDS):
                taken = piece.number
                matches = sum(1 for _ in pattern.finditer(piece.text, timeout=_LINE_SECONDS))
                part_from = None if piece.is_whole else piece.before_chars
                results.add_match(piece.number, piece.text, found.start(), matches, part_from=part_from)
            elif piece.is_last:
                results.add_context(piece.number, piece.text)
    except TimeoutError:
        raise ToolFailed("This pattern takes too long. Try a simpler one.") from None


def pieces(file: BinaryIO) -> Iterator[Piece]:
    """The lines of a file, very long ones in overlapping pieces."""
    number, before_chars, carried = 1, 0, ""
    while data := file.readline(_PIECE_BYTES):
        ends = data.endswith(b"\n") or len(data) < _PIECE_BYTES
        if not ends:
            data += _rest_of_character(file)
        text = carried + data.decode("utf-8", "replace")
        if ends:
            yield Piece(number, text.removesuffix("\n").removesuffix("\r"), before_chars)
            number, before_chars, carried = number + 1, 0, ""
        else:
            yield Piece(number, text, before_chars, is_last=False)
            carried = text[-_OVERLAP_CHARS:]
            before_chars += len(text) - len(carried)
    if carried:
        yield Piece(number, carried, before_chars)


def _rest_of_character(file: BinaryIO) -> bytes:
    """The bytes up to the next one that begins a character."""
    rest = b""
    while len(rest) < 3 and (byte := file.read(1)):
        if byte[0] & 0xC0 != 0x80:
            file.seek(-1, 1)
            break
        rest += byte
    return rest
