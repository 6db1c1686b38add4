"""The log of the memory: what was noted and forgotten, one JSON object a line.

It is written before the database and is what a broken database is made anew from. What was forgotten or
replaced is taken out by writing the whole log again, so that its text is gone from the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from chatcli.memory.fact import Fact
from chatcli.session.files import storage_errors, sync_data, write_all, write_durably


class Started(Struct, frozen=True, tag="started", kw_only=True):
    """Always the first line. `generation` is drawn each time that the log is written anew."""

    generation: str
    last_seq: int = 0
    """The highest `seq` ever given, also to facts that are gone."""
    memory: str = ""
    """Which memory this is: drawn once, with its first fact. Other memories count their facts otherwise."""


class Noted(Struct, frozen=True, tag="noted"):
    """A new fact, or the new state of one with this id."""

    fact: Fact


class Forgotten(Struct, frozen=True, tag="forgotten", kw_only=True):
    ids: tuple[str, ...]
    seq: int


Line = Started | Noted | Forgotten


class Tail(Struct, frozen=True, kw_only=True):
    """What was read of a log: from some offset to the end of its last whole line."""

    lines: tuple[Line, ...]
    end_bytes: int
    unreadable: int = 0
    """Whole lines that are no entry."""


class Log:
    """One file. Whoever calls holds the lock of the memory, except for `size_bytes`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def size_bytes(self) -> int:
        with storage_errors(self.path):
            try:
                return self.path.stat().st_size
            except FileNotFoundError:
                return 0

    def generation(self) -> str:
        """Empty when there is no log, or none with a first line."""
        first = self.read(0, at_most_bytes=1_000).lines[:1]
        return first[0].generation if first and isinstance(first[0], Started) else ""

    def read(self, offset_bytes: int, at_most_bytes: int = -1) -> Tail:
        """Everything behind the offset. An unfinished last line was never acknowledged: it is no line."""
        with storage_errors(self.path):
            try:
                with self.path.open("rb") as file:
                    file.seek(offset_bytes)
                    data = file.read(at_most_bytes)
            except FileNotFoundError:
                data = b""
        whole = data[: data.rfind(b"\n") + 1]
        lines: list[Line] = []
        unreadable = 0
        for raw in whole.split(b"\n")[:-1]:
            try:
                lines.append(_decoder().decode(raw))
            except (msgspec.DecodeError, UnicodeDecodeError):
                unreadable += 1
        return Tail(lines=tuple(lines), end_bytes=offset_bytes + len(whole), unreadable=unreadable)

    def cut(self, end_bytes: int) -> None:
        """Take away what stands behind the last whole line."""
        if end_bytes < self.size_bytes:
            with storage_errors(self.path):
                os.truncate(self.path, end_bytes)

    def append(self, lines: Sequence[Line], at_bytes: int) -> int:
        """Write behind `at_bytes`, where the last whole line ends; the new end. On disk when it returns."""
        data = _encode(lines)
        with storage_errors(self.path):
            fd = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                os.ftruncate(fd, at_bytes)
                os.lseek(fd, at_bytes, os.SEEK_SET)
                try:
                    write_all(fd, data)
                    sync_data(fd)
                except OSError:
                    os.ftruncate(fd, at_bytes)
                    raise
            finally:
                os.close(fd)
        return at_bytes + len(data)

    def rewrite(self, facts: Iterable[Fact], last_seq: int, memory: str) -> tuple[str, int]:
        """The whole log anew, with these facts alone; its generation and its length in bytes."""
        generation = os.urandom(8).hex()
        first = Started(generation=generation, last_seq=last_seq, memory=memory)
        data = _encode([first, *map(Noted, facts)])
        with storage_errors(self.path):
            for unfinished in self.path.parent.glob(f".{self.path.name}.*"):
                unfinished.unlink()  # of a process that was killed: it holds what is to be gone
            write_durably(self.path, data)
        return generation, len(data)


@cache
def _decoder() -> msgspec.json.Decoder[Line]:
    return msgspec.json.Decoder(Line)


def _encode(lines: Iterable[Line]) -> bytes:
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
