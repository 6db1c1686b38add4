"""read: a text file or a part of it, of any size in constant memory."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from msgspec import Struct

from chatcli.tools import InvalidArguments, ToolContext, ToolFailed, ToolOutput, in_thread, ngettext, tool
from chatcli.tools.images import image_facts
from chatcli.tools.text import SNIFFED_BYTES, Encoding, TextDecoder, binary_kind, sniff
from chatcli.tools.windows import CharWindow, LineWindow, count_lines, tail_start

_BLOCK_BYTES = 1 << 20
_WHOLE_BYTES = 64 << 20
"""Up to this size a file is read to its end in any case: for the number of its lines and its digest."""
_NOTE_CHARS = 300
"""Kept free for header and notes."""
_MAX_NAMES = 20_000


class Selection(Struct, frozen=True, kw_only=True):
    """Which part is wanted: lines `first`..`last`, the last `tail` lines, or `chars` from `start_char`."""

    first: int = 1
    last: int | None = None
    tail: int | None = None
    start_char: int | None = None
    chars: int | None = None
    explicit: bool = False


class Piece(Struct, frozen=True, kw_only=True):
    """The part that was found."""

    text: str
    where: str
    """`lines 1-480 of 2310`"""
    lines: int
    go_on: str = ""
    """How to get what had no room."""


class Source:
    """An open text file. `digest` is None when it is too large to be read to its end."""

    def __init__(self, file: BinaryIO, encoding: Encoding, check: Callable[[], None]) -> None:
        self.file = file
        self.encoding = encoding
        self.size_bytes = os.fstat(file.fileno()).st_size
        self.digest = hashlib.sha256() if self.size_bytes <= _WHOLE_BYTES else None
        self.damaged = False
        self._check = check

    def feed(self, window: LineWindow | CharWindow, *, to_end: bool = False) -> bool:
        """Hand the text to a window as far as needed; True when the end of the file was reached."""
        for text in self._pieces():
            window.feed(text)
            if window.is_done and self.digest is None and not to_end:
                return False
        return True

    def total(self, unit_total: int, at_end: bool) -> str:
        """How much there is in all, as far as it is known."""
        return f" of {unit_total}" if at_end else f"; the file goes on, {self.size_bytes} bytes in all"

    def _pieces(self) -> Iterator[str]:
        decoder = TextDecoder(self.encoding)
        self.file.seek(0)
        while data := self.file.read(_BLOCK_BYTES):
            self._check()
            if self.digest is not None:
                self.digest.update(data)
            yield decoder.decode(data)
        yield decoder.decode(b"", final=True)
        self.damaged = decoder.damaged


def _summary(arguments: Mapping[str, Any]) -> str:
    given = [f"{key}={value}" for key, value in arguments.items() if key != "file" and value]
    return " ".join([arguments["file"], *given])


@tool(
    "read",
    max_result_chars=80_000,
    read_only=True,
    concurrent=True,
    summary=_summary,
    narrower="start and end, head or tail",
)
async def read(
    ctx: ToolContext,
    file: str,
    start: Annotated[int | None, "first line, from 1"] = None,
    end: Annotated[int | None, "last line, inclusive"] = None,
    head: Annotated[int | None, "first N lines"] = None,
    tail: Annotated[int | None, "last N lines"] = None,
    start_char: Annotated[int | None, "offset from 0, for very long lines"] = None,
    chars: Annotated[int | None, "characters from start_char"] = None,
    numbers: Annotated[bool, "prefix line numbers"] = False,
) -> ToolOutput:
    """Read a text file, whole or one range. If it does not fit, a last line in [] says how to go on."""
    selection = _selection(start, end, head, tail, start_char, chars)
    path = await ctx.files.readable(file)
    limit_chars = ctx.cap_chars if selection.explicit else min(ctx.max_chars, ctx.cap_chars)
    return await in_thread(
        lambda check: _read(ctx, path, selection, numbers, limit_chars - _NOTE_CHARS, check)
    )


def _selection(
    start: int | None,
    end: int | None,
    head: int | None,
    tail: int | None,
    start_char: int | None,
    chars: int | None,
) -> Selection:
    by_lines = start is not None or end is not None
    by_chars = start_char is not None or chars is not None
    if by_lines + by_chars + (head is not None) + (tail is not None) > 1:
        raise InvalidArguments("read: give only one of start/end, head, tail, start_char/chars")
    for name, value in (("head", head), ("tail", tail), ("chars", chars)):
        if value is not None and value < 1:
            raise InvalidArguments(f"read: {name!r} must be 1 or more")
    if by_chars:
        return Selection(start_char=max(0, start_char or 0), chars=chars, explicit=True)
    if tail is not None:
        return Selection(tail=tail, explicit=True)
    first, last = max(1, start or 1), head if end in (None, -1) else end
    if last is not None and last < first:
        raise InvalidArguments(f"read: 'end' ({last}) lies before 'start' ({first})")
    return Selection(first=first, last=last, explicit=by_lines or head is not None)


def _read(
    ctx: ToolContext,
    path: Path,
    selection: Selection,
    numbers: bool,
    room_chars: int,
    check: Callable[[], None],
) -> ToolOutput:
    with _open(ctx, path) as file:
        beginning = file.read(SNIFFED_BYTES)
        encoding = sniff(beginning, whole=len(beginning) < SNIFFED_BYTES)
        if encoding is None:
            return _binary(beginning, os.fstat(file.fileno()).st_size)
        source = Source(file, encoding, check)
        if selection.tail is not None:
            piece = _tail(source, selection.tail, room_chars, numbers)
        elif selection.start_char is not None:
            piece = _by_chars(source, selection.start_char, selection.chars, room_chars)
        else:
            piece = _by_lines(source, selection.first, selection.last, room_chars, numbers)
    if source.digest is not None:
        ctx.files.note_read(path, source.digest.hexdigest())
    text = _with_notes(source, piece, explicit=selection.explicit)
    brief = ngettext("{n} line", "{n} lines", piece.lines).format(n=piece.lines)
    return ToolOutput(text=text, brief=brief, self_limited=True)


def _binary(beginning: bytes, size_bytes: int) -> ToolOutput:
    kind = binary_kind(beginning)
    if image := image_facts(beginning):
        kind = f"{image.format.upper()} image, {image.width}x{image.height}"
    hint = "; you can only see it when the user names it with @ in a message" if image else ""
    return ToolOutput(text=f"[binary, {size_bytes} bytes, {kind}{hint}]", brief=kind, self_limited=True)


def _by_lines(source: Source, first: int, last: int | None, room_chars: int, numbers: bool) -> Piece:
    window = LineWindow(first, last, room_chars)
    at_end = source.feed(window)
    shown = window.shown()
    if first > max(1, window.total_lines):
        raise ToolFailed(f"there is no line {first}: the file has {window.total_lines} lines")
    if shown.inside_line:
        return Piece(
            text=shown.text,
            where=f"the first {len(shown.text)} characters of line {first}"
            + source.total(window.total_lines, at_end),
            lines=1,
            go_on=f"go on with start_char={shown.start_char + len(shown.text)}",
        )
    text, last_shown = shown.text, shown.last_line
    if numbers:
        text, last_shown = _numbered(text, first, room_chars)
    more = shown.more or last_shown < shown.last_line
    return Piece(
        text=text,
        where=f"lines {first}-{last_shown}" + source.total(window.total_lines, at_end),
        lines=last_shown - first + 1,
        go_on=f"go on with start={last_shown + 1}" if more else "",
    )


def _by_chars(source: Source, start_char: int, chars: int | None, room_chars: int) -> Piece:
    window = CharWindow(start_char, chars, room_chars)
    at_end = source.feed(window)
    shown = window.shown()
    if start_char and start_char >= window.seen_chars:
        raise ToolFailed(f"there is no character {start_char}: the file has {window.seen_chars}")
    end = start_char + len(shown.text)
    return Piece(
        text=shown.text,
        where=f"characters {start_char}-{end}" + source.total(window.seen_chars, at_end),
        lines=count_lines(shown.text),
        go_on=f"go on with start_char={end}" if shown.more else "",
    )


def _tail(source: Source, lines: int, room_chars: int, numbers: bool) -> Piece:
    """The last lines, found from the end of the file. Where they have no room, the earlier ones give way."""
    counter = LineWindow(1, 0, 0)
    counted = source.digest is not None or numbers
    if counted:
        source.feed(counter, to_end=True)
    begin = tail_start(source.file, source.size_bytes, source.encoding, lines, 4 * room_chars + 8)
    source.file.seek(begin)
    data = source.file.read(source.size_bytes - begin)
    text = data.decode(source.encoding.codec, "replace")
    wanted = min(lines, counter.total_lines) if counted else lines
    if len(text) > room_chars:
        text = text[-room_chars - 1 :]
        text = text[max(text.find("\n", 0, -1), 0) + 1 :]
    shown = count_lines(text)
    if not counted:
        where = f"the last {shown} lines; {source.size_bytes} bytes in all"
        return Piece(text=text, where=where, lines=shown)
    first = counter.total_lines - shown + 1
    if numbers:
        text = _numbered(text, first, 2 * room_chars)[0]
    return Piece(
        text=text,
        where=f"lines {first}-{counter.total_lines} of {counter.total_lines}",
        lines=shown,
        go_on=f"the {wanted - shown} lines before have no room: end={first - 1}" if shown < wanted else "",
    )


def _numbered(text: str, first: int, room_chars: int) -> tuple[str, int]:
    """The lines with their numbers, as far as there is room, and the number of the last one."""
    parts: list[str] = []
    number = first - 1
    for line in text.split("\n")[: count_lines(text)]:
        room_chars -= len(line) + len(str(number + 1)) + 2
        if room_chars < 0 and parts:
            break
        number += 1
        parts.append(f"{number}\t{line}\n")
    numbered = "".join(parts)
    whole = number - first + 1 == count_lines(text) and not text.endswith("\n")
    return (numbered[:-1] if whole else numbered), number


def _with_notes(source: Source, piece: Piece, *, explicit: bool) -> str:
    """A range has its name above; whatever was left out stands in the last line."""
    if not piece.text:
        return "[empty file]"
    facts = [piece.where] if explicit or piece.go_on else []
    facts += [source.encoding.label] if source.encoding.label else []
    facts += ["bytes that are no text are shown as \ufffd"] if source.damaged else []
    header = f"[{'; '.join(facts)}]\n" if explicit else ""
    last = [piece.go_on] if explicit else [*facts, piece.go_on]
    note = "; ".join(filter(None, last))
    gap = "" if piece.text.endswith("\n") or not note else "\n"
    return f"{header}{piece.text}{gap}[{note}]" if note else f"{header}{piece.text}"


def _open(ctx: ToolContext, path: Path) -> BinaryIO:
    try:
        return ctx.files.open(path)
    except (FileNotFoundError, NotADirectoryError):
        raise ToolFailed(_not_found(ctx, path)) from None
    except IsADirectoryError:
        names = sorted(entry.name for entry in path.iterdir())
        some = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        raise ToolFailed(f"{ctx.files.shown(path)} is a folder; it holds {some or 'nothing'}") from None
    except OSError as error:
        raise ToolFailed(f"{ctx.files.shown(path)} cannot be read: {error.strerror or error}") from error


def _not_found(ctx: ToolContext, path: Path) -> str:
    """Names the files that may have been meant: the same name elsewhere, similar names beside it."""
    beside = [p.name for p in islice(path.parent.iterdir(), _MAX_NAMES)] if path.parent.is_dir() else []
    near = [path.parent / name for name in difflib.get_close_matches(path.name, beside, 3)]
    if not near:
        near = list(islice(_same_name(ctx.files.root, path.name), 3))
    shown = ", ".join(ctx.files.shown(other) for other in near)
    return f"{ctx.files.shown(path)} does not exist" + (f"; there is {shown}" if shown else "")


def _same_name(root: Path, name: str) -> Iterator[Path]:
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "node_modules")
        if name in files:
            yield Path(folder, name)
        seen += len(files) + len(folders)
        if seen > _MAX_NAMES:
            return
