"""A session as it was recorded, to be looked at again without a provider."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from chatcli.context.store import ResultStore
from chatcli.messages import Archived, AssistantMessage, Message
from chatcli.providers.base import Block
from chatcli.session import layout, listing
from chatcli.session.archive import Archive
from chatcli.session.entries import Compacted, CompactionUndone, MessageAdded, UsageAdded, UsageRecord
from chatcli.session.files import storage_errors
from chatcli.session.journal import Recorded, parse
from chatcli.session.state import State
from chatcli.session.workspace import file_name


class Recording(Struct, frozen=True, kw_only=True):
    """What was said and done. `seconds` tells when each message came, by `seq`, where that is known."""

    name: str
    messages: tuple[Message, ...]
    store: ResultStore
    seconds: Mapping[int, float] = {}
    compactions: tuple[tuple[int, Compacted | None], ...] = ()
    """From which `seq` on which compaction was in force, in order."""
    billed: Mapping[int, UsageRecord] = {}
    """What each reply was billed for, by its `seq`, where its service told that."""
    blocks: tuple[Block, ...] = ()
    """The stable blocks of the prompt, where they are known."""

    def compaction_at(self, seq: int) -> Compacted | None:
        """The one in force when this message was added."""
        return next((one for begun, one in reversed(self.compactions) if begun < seq), None)

    @property
    def answered_by(self) -> tuple[str, str]:
        """Provider and model of the last reply; empty where that is not known."""
        replies = (m for m in reversed(self.messages) if isinstance(m, AssistantMessage))
        last = next(replies, None)
        return (last.provider, last.model) if last else ("", "")


class ArchivedResults:
    """The originals of a session that may be open elsewhere: they are read, and nothing is written."""

    def __init__(self, archive: Archive, workspace: str) -> None:
        self._archive = archive
        self._workspace = workspace

    def text(self, original: Archived) -> str:
        return self._archive.text(original)

    def open(self, original: Archived) -> BinaryIO:
        return self._archive.open_unchecked(original)

    def save(self, call_id: str, original: Archived) -> str | None:
        """Where the file was: its path is part of what the model read."""
        return f"{self._workspace}/tool-results/{file_name(call_id, original)}"


def read_state(home: Path, wanted: str) -> State:
    """What a session knew at its last entry, open elsewhere or not. `wanted` and errors as below."""
    path, recorded = _recorded(home, wanted)
    state = State(recorded.opened(path))
    for entry in recorded.entries:
        state.apply(entry)
    return state


def read_recording(home: Path, wanted: str) -> Recording:
    """A session by its id, or by the beginning or end of it.

    Raises `UsageError` for an unknown one and `StorageError` when it cannot be read.
    """
    path, recorded = _recorded(home, wanted)
    opened = recorded.opened(path)
    state, seconds, compactions = State(opened), dict[int, float](), []
    billed, bill = dict[int, UsageRecord](), None
    for entry in recorded.entries:
        state.apply(entry)
        match entry:
            case UsageAdded(record=record) if record.purpose == "answer":
                bill = None if record.usage.estimated else record
            case MessageAdded():
                seconds[entry.seq] = datetime.fromisoformat(entry.at).timestamp()
                if bill and isinstance(entry.message, AssistantMessage):
                    billed[entry.seq], bill = bill, None
            case Compacted() | CompactionUndone():
                compactions.append((entry.seq, state.compaction))
    archive = Archive(path.parent / layout.ARCHIVE, quota_bytes=0)
    blocks = archive.text(state.prompt_key) if state.prompt_key else "[]"
    return Recording(
        name=state.id,
        messages=tuple(state.transcript),
        store=ArchivedResults(archive, opened.workspace),
        seconds=seconds,
        compactions=tuple(compactions),
        billed=billed,
        blocks=msgspec.json.decode(blocks, type=tuple[Block, ...]),
    )


def _recorded(home: Path, wanted: str) -> tuple[Path, Recorded]:
    path = layout.session_folder(home, listing.find(home, wanted)) / layout.JOURNAL
    with storage_errors(path):
        return path, parse(path.read_bytes(), path)
