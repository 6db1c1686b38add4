"""Which sessions there are, told from the beginning and the end of each journal."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.messages import UserMessage
from chatcli.session import layout
from chatcli.session.entries import MessageAdded, Opened, entry_decoder
from chatcli.session.files import is_locked

_HEAD_LINES = 20
_HEAD_LINE_BYTES = 1_000_000
_TAIL_BYTES = 65_536
_WORDS_CHARS = 100


class SessionInfo(Struct, frozen=True, kw_only=True):
    """One row of a list of sessions. Times are ISO 8601, UTC; empty where nothing could be read."""

    id: str
    folder: str = ""
    started: str = ""
    last_active: str = ""
    first_words: str = ""
    """The beginning of what the user first asked, as one line; foreign text."""
    messages: int = 0
    locked: bool = False
    """Another process, or this one, has it open."""
    problem: str = ""
    """Why it cannot be read; empty when it can."""


class _Glance(Struct, frozen=True):
    at: str
    type: str = ""
    number: int = 0


def list_sessions(home: Path) -> list[SessionInfo]:
    """All sessions, the one that was active last first; broken ones last, with the reason."""
    found = [_describe(folder) for folder in layout.session_folders(home)]
    return sorted(found, key=lambda info: (info.last_active, info.id), reverse=True)


def latest(home: Path, folder: Path) -> str | None:
    """The session about this project folder that was active last and has messages, open or not."""
    project = str(folder.resolve())
    for info in list_sessions(home):
        if info.folder == project and info.messages and not info.problem:
            return info.id
    return None


def find(home: Path, wanted: str) -> str:
    """The id that `wanted` names: whole, or its beginning or end. Raises `UsageError`."""
    ids = [folder.name for folder in layout.session_folders(home)]
    if wanted in ids:
        return wanted
    matches = [name for name in ids if wanted and (name.startswith(wanted) or name.endswith(wanted))]
    if len(matches) == 1:
        return matches[0]
    hint = _("`chatcli sessions` lists them.")
    if matches:
        raise UsageError(_("More than one session matches {id}.").format(id=wanted), hint=hint)
    raise UsageError(_("There is no session {id}.").format(id=wanted), hint=hint)


def _describe(folder: Path) -> SessionInfo:
    path = folder / layout.JOURNAL
    try:
        with path.open("rb") as file:
            opened, first_words = _read_head(file)
            last_active, messages = _read_tail(file)
        return SessionInfo(
            id=folder.name,
            folder=opened.folder,
            started=opened.at,
            last_active=last_active,
            first_words=first_words,
            messages=messages,
            locked=is_locked(path),
        )
    except OSError as error:
        return SessionInfo(id=folder.name, problem=str(error.strerror or error))
    except msgspec.DecodeError as error:
        return SessionInfo(id=folder.name, problem=str(error))


def _read_head(file: BinaryIO) -> tuple[Opened, str]:
    opened = msgspec.json.decode(file.readline(_HEAD_LINE_BYTES), type=Opened)
    for _line in range(_HEAD_LINES):
        line = file.readline(_HEAD_LINE_BYTES)
        with suppress(msgspec.DecodeError):  # too long, or of a newer chatcli
            entry = entry_decoder().decode(line)
            if isinstance(entry, MessageAdded) and isinstance(entry.message, UserMessage):
                return opened, " ".join(entry.message.text.split())[:_WORDS_CHARS]
    return opened, ""


def _read_tail(file: BinaryIO) -> tuple[str, int]:
    """When the last entry was written, and how many messages there are."""
    size_bytes = file.seek(0, os.SEEK_END)
    span_bytes = _TAIL_BYTES
    while True:
        start = max(0, size_bytes - span_bytes)
        file.seek(start)
        lines = file.read(span_bytes).split(b"\n")[1 if start else 0 : -1]
        last_active = ""
        for line in reversed(lines):
            with suppress(msgspec.DecodeError):
                glance = msgspec.json.decode(line, type=_Glance)
                last_active = last_active or glance.at
                if glance.type == "message":
                    return last_active, glance.number
        if start == 0:
            return last_active, 0
        span_bytes *= 16
