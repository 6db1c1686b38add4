"""The journal: an append-only JSON Lines file that one process writes at a time.

An entry is one line, one write, one sync: when `append` returns, the entry survives a crash. What a
crash can leave behind is one unfinished last line, which the next opening cuts off and reports.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from chatcli.errors import StorageError
from chatcli.i18n import _
from chatcli.session.entries import FORMAT, Entry, Opened, Resumed, entry_decoder
from chatcli.session.files import lock_file, storage_errors, sync_data
from chatcli.session.measure import to_utf8

E = TypeVar("E", bound=Entry)


class SessionLocked(StorageError):
    """Another process writes this session. The caller can offer a fork of `session_id`."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            _("Session {id} is open in another chatcli.").format(id=session_id),
            hint=_("Close it there, or go on with a copy."),
        )
        self.session_id = session_id


class Recorded(Struct, frozen=True, kw_only=True):
    """What a journal file held: its complete lines, decoded."""

    entries: tuple[Entry, ...]
    size_bytes: int
    """Of the complete lines."""
    torn_bytes: int
    """Of the unfinished last line behind them."""
    last_seq: int
    skipped: int
    """Entries of types that only a newer chatcli knows: still in the file, not in `entries`."""

    def opened(self, path: Path) -> Opened:
        """The first entry. Raises `StorageError` when there is none or it is another one."""
        if self.entries and isinstance(self.entries[0], Opened):
            return self.entries[0]
        raise StorageError(_("{path}, line 1: a session does not begin here.").format(path=path))


class Journal:
    """The only writer of one journal file; the lock goes with the process, even when it is killed."""

    def __init__(self, path: Path, fd: int, recorded: Recorded) -> None:
        self.path = path
        self.torn_bytes = recorded.torn_bytes
        self.last_seq = recorded.last_seq
        self._fd = fd
        self._size_bytes = recorded.size_bytes
        self._ragged = False

    @classmethod
    def create(cls, path: Path) -> Journal:
        """Start a new file, which must not exist. Raises `StorageError`."""
        fd = _open_locked(path, os.O_CREAT | os.O_EXCL)
        return cls(path, fd, Recorded(entries=(), size_bytes=0, torn_bytes=0, last_seq=0, skipped=0))

    @classmethod
    def open(cls, path: Path) -> tuple[Journal, Recorded]:
        """Lock a file, cut off its torn last line and read it.

        Raises `SessionLocked` when another process writes it and `StorageError` when it cannot be
        read, naming the line.
        """
        fd = _open_locked(path)
        try:
            with storage_errors(path):
                recorded = parse(_read_all(fd), path)
                if recorded.torn_bytes:
                    os.ftruncate(fd, recorded.size_bytes)
                    sync_data(fd)
        except BaseException:
            os.close(fd)
            raise
        return cls(path, fd, recorded), recorded

    @property
    def next_seq(self) -> int:
        return self.last_seq + 1

    def append(self, entry: E) -> E:
        """Write one entry and wait until it is on disk.

        Returns the entry as a later reader will see it, so that memory and disk cannot differ.
        Raises `StorageError` when it could not be written; the file is then as it was before.
        """
        if entry.seq != self.next_seq:
            raise ValueError(f"entry {entry.seq} does not follow entry {self.last_seq}")
        try:
            line = msgspec.json.encode(entry)
        except UnicodeEncodeError:
            line = msgspec.json.encode(_without_surrogates(msgspec.to_builtins(entry)))
        written = msgspec.json.decode(line, type=type(entry))
        with storage_errors(self.path):
            self._write(line + b"\n", entry.seq)
        return written

    def _write(self, line: bytes, seq: int) -> None:
        if self._ragged:
            self._cut_back()
        size_bytes = self._size_bytes + len(line)
        try:
            if os.write(self._fd, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            sync_data(self._fd)
            # Two plain assignments: no Ctrl-C comes between them and the sync.
            self._size_bytes = size_bytes
            self.last_seq = seq
        except BaseException:
            self._cut_back()
            raise

    def _cut_back(self) -> None:
        """Take out a line that was not written whole, now or before the next one."""
        self._ragged = True
        os.ftruncate(self._fd, self._size_bytes)
        self._ragged = False

    def close(self) -> None:
        """Release the lock. Nothing is appended afterwards."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


@contextmanager
def held(path: Path) -> Iterator[bytes]:
    """What the file holds, while no other process may write it. Raises as `Journal.open` does."""
    fd = _open_locked(path)
    try:
        with storage_errors(path):
            data = _read_all(fd)
        yield data
    finally:
        os.close(fd)


def parse(data: bytes, path: Path) -> Recorded:
    """Decode the complete lines of a journal. Raises `StorageError` naming `path` and the line."""
    lines = data.split(b"\n")
    torn_bytes = len(lines.pop())
    entries: list[Entry] = []
    skipped = 0
    for number, line in enumerate(lines, 1):
        try:
            entry = decode_entry(line)
        except msgspec.ValidationError as error:
            raise _unreadable(path, number, str(error), entries) from error
        except msgspec.DecodeError as error:
            if number == len(lines) and not torn_bytes:
                # A crash of the whole machine may leave the last blocks of a line without the first.
                torn_bytes = len(line) + 1
                lines.pop()
                break
            raise _unreadable(path, number, str(error), entries) from error
        if entry.seq != number:
            raise _unreadable(path, number, f"entry {entry.seq} where {number} is due", entries)
        if isinstance(entry, Unknown):
            skipped += 1
        else:
            entries.append(entry)
    return Recorded(
        entries=tuple(entries),
        size_bytes=len(data) - torn_bytes,
        torn_bytes=torn_bytes,
        last_seq=len(lines),
        skipped=skipped,
    )


class Unknown(Struct, frozen=True, kw_only=True):
    """An entry of a type that only a newer chatcli knows."""

    type: str
    seq: int


_KNOWN_TYPES = frozenset(kind.__struct_config__.tag for kind in Entry.__args__)


def decode_entry(line: bytes) -> Entry | Unknown:
    """Raises `msgspec.DecodeError`."""
    try:
        return entry_decoder().decode(line)
    except msgspec.ValidationError:
        unknown = msgspec.json.decode(line, type=Unknown)
        if unknown.type in _KNOWN_TYPES:
            raise
        return unknown


def newer_writer(entries: Iterable[Entry | Unknown | None]) -> str:
    """The version of the chatcli that wrote in a format which this one does not know; empty without one."""
    begun = [entry for entry in entries if isinstance(entry, Opened | Resumed) and entry.format > FORMAT]
    return begun[-1].version if begun else ""


def _unreadable(path: Path, number: int, why: str, before: list[Entry]) -> StorageError:
    hint = _("chatcli sessions repair {id} opens what is intact.").format(id=path.parent.name)
    if version := newer_writer(before):
        hint = _("It was written by chatcli {version}: update this one.").format(version=version)
    message = _("{path}, line {number}: cannot be read ({reason}).")
    return StorageError(message.format(path=path, number=number, reason=why), hint=hint)


def _open_locked(path: Path, flags: int = 0) -> int:
    with storage_errors(path):
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | flags, 0o600)
        try:
            if not lock_file(fd, path):
                raise SessionLocked(path.parent.name)
        except BaseException:
            os.close(fd)
            raise
    return fd


def _read_all(fd: int) -> bytes:
    with os.fdopen(os.dup(fd), "rb") as file:
        return file.read()


def _without_surrogates(value: Any) -> Any:
    """The same value, with what UTF-8 cannot carry replaced: half characters of a broken stream."""
    if isinstance(value, str):
        return to_utf8(value).decode("utf-8", "replace")
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value
