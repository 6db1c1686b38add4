"""A journal with garbage in it, made readable again: what can be read stays, the rest is named.

Entries are known by their numbers, so that those behind the damage keep their meaning; a number that is
damaged itself costs its own line alone. Where numbers are missing stands a notice for the model and, for
each further one, an entry that says it was lost.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

import msgspec
from msgspec import Struct

from chatcli.errors import StorageError
from chatcli.i18n import _
from chatcli.messages import Text, UserMessage
from chatcli.session.entries import (
    Compacted,
    CompactionUndone,
    Entry,
    Lost,
    MessageAdded,
    Opened,
    now,
)
from chatcli.session.files import storage_errors, write_durably
from chatcli.session.journal import Unknown, decode_entry, held, newer_writer

LOST_NOTICE = (
    "[chatcli: a part of this session's record was damaged here and is lost. What is missing may be a "
    "message, a result or a note; look again instead of guessing.]"
)
_MAX_MISSING = 10_000
"""A number that is further ahead of its line is no number of this journal."""


class Repair(Struct, frozen=True, kw_only=True):
    """What was done. `lost` entries are gone, `unreadable` lines held them or nothing of ours."""

    kept: int
    lost: int
    unreadable: tuple[int, ...]
    """Numbers of lines in the damaged file."""
    original: Path
    """Where the damaged file is now."""


def repair_journal(path: Path) -> Repair | None:
    """Replace the file by what can be read of it; None when there is nothing to repair.

    Raises `SessionLocked` when another process has it open, `StorageError` when it cannot be read or
    written, when its first line is gone, or when a newer chatcli wrote it.
    """
    with held(path) as data:
        mend = _Mend()
        lines = list(mend.lines(data, path))
        if not mend.unreadable and not mend.lost:
            return None
        original = next(p for n in count(1) if not (p := path.with_name(f"damaged-{n}.jsonl")).exists())
        with storage_errors(path):
            write_durably(original, data)
            write_durably(path, b"".join(line + b"\n" for line in lines))
        return Repair(kept=mend.kept, lost=mend.lost, unreadable=tuple(mend.unreadable), original=original)


class _Mend:
    """One reading of a damaged journal."""

    def __init__(self) -> None:
        self.kept = 0
        self.lost = 0
        self.unreadable: list[int] = []
        self._seq = 0
        self._messages = 0
        self._compactions = 0

    def lines(self, data: bytes, path: Path) -> Iterator[bytes]:
        *lines, _torn = data.split(b"\n")
        entries = [_read(line) for line in lines]
        if entries:
            _require_readable(entries, path)
        growing = _growing(entries)
        damaged = False
        for number, line in enumerate(lines, 1):
            entry = growing.get(number)
            if entry is None or self._undoes_nothing(entry):
                self.unreadable.append(number)
                damaged = True
                continue
            yield from self._fill(entry.seq)
            yield line
            self._count(entry)
            damaged = False
        if damaged:
            yield from self._fill(self._seq + 2)

    def _undoes_nothing(self, entry: Entry | Unknown) -> bool:
        """The compaction that it undid is lost."""
        return isinstance(entry, CompactionUndone) and not self._compactions

    def _fill(self, until: int) -> Iterator[bytes]:
        """Something for each missing number before `until`."""
        for seq in range(self._seq + 1, until):
            if seq == self._seq + 1:
                message = UserMessage(seq=seq, parts=(Text(LOST_NOTICE, origin="notice"),))
                self._messages += 1
                entry: Entry = MessageAdded(seq=seq, at=now(), message=message, number=self._messages)
            else:
                entry = Lost(seq=seq, at=now())
            self.lost += 1
            yield msgspec.json.encode(entry)

    def _count(self, entry: Entry | Unknown) -> None:
        self._seq = entry.seq
        self.kept += 1
        if isinstance(entry, MessageAdded):
            self._messages = max(self._messages + 1, entry.number)
        self._compactions += isinstance(entry, Compacted) - isinstance(entry, CompactionUndone)


def _read(line: bytes) -> Entry | Unknown | None:
    try:
        entry = decode_entry(line)
    except msgspec.DecodeError:
        return None
    if isinstance(entry, MessageAdded) and entry.message.seq != entry.seq:
        return None
    return entry


def _growing(entries: Sequence[Entry | Unknown | None]) -> Mapping[int, Entry | Unknown]:
    """As many entries as have numbers that grow from line to line, by line (from 1); the rest is damaged."""
    numbers: list[int] = []
    """For each length of such a sequence, the smallest number that one ends with so far."""
    lines: list[int] = []
    """Where that number stands."""
    chains: dict[int, tuple[Entry | Unknown, int]] = {}
    """By line: the entry, and the line of the one before it."""
    for line, entry in enumerate(entries, 1):
        if entry is None or not 0 < entry.seq <= line + _MAX_MISSING:
            continue
        length = bisect_left(numbers, entry.seq)
        previous = lines[length - 1] if length else 0
        in_step = previous and entry.seq - chains[previous][0].seq == line - previous
        if numbers[length : length + 1] == [entry.seq] and not in_step:
            continue  # of two with one number, the one whose line fits; else the first
        chains[line] = (entry, previous)
        numbers[length : length + 1] = [entry.seq]
        lines[length : length + 1] = [line]
    growing = {}
    line = lines[-1] if lines else 0
    while line:
        growing[line], line = chains[line]
    return growing


def _require_readable(entries: Sequence[Entry | Unknown | None], path: Path) -> None:
    if not isinstance(entries[0], Opened) or entries[0].seq != 1:
        raise StorageError(
            _("{path}, line 1: where the session began is lost, so that it cannot be opened.").format(
                path=path
            )
        )
    if version := newer_writer(entries):
        hint = _("It was written by chatcli {version}: update this one.").format(version=version)
        raise StorageError(_("{path} cannot be read.").format(path=path), hint=hint)
