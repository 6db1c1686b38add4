"""Files that a tool keeps for the model in the workspace: bytes in the archive, names in notes.

The workspace goes when a session ends; on resume these files come back, so that what names them stays true.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec
from msgspec import Struct

from chatcli.agent.calls.outside import mark_outside, reveal
from chatcli.errors import StorageError
from chatcli.messages import Archived, ToolResult
from chatcli.session.session import Session

logger = logging.getLogger(__name__)

_NOTE = "kept:"


class _KeptFile(Struct, frozen=True):
    tool: str
    call_id: str
    original: Archived


def keep_file(session: Session, tool: str, call_id: str, text: str, origin: str) -> Path | None:
    """The file with this text from outside, what hides in it written out; None when it cannot be written."""
    shown, _hidden = reveal(text)
    try:
        original = session.archive.put_text(shown)
    except StorageError as error:
        logger.warning("a text could not be kept: %s", error)
        return None
    path = session.workspace.expose(call_id, original, session.archive, tool)
    if path is not None:
        kept = msgspec.json.encode(_KeptFile(tool, call_id, original)).decode()
        session.set_note(f"{_NOTE}{path.name}", kept)
        mark_outside(session, original, origin)
    return path


def restore_files(session: Session) -> None:
    """Write the kept files of a resumed session again. What was deleted from the archive stays away."""
    for name, note in session.notes.items():
        if name.startswith(_NOTE):
            kept = msgspec.json.decode(note, type=_KeptFile)
            if session.archive.has(kept.original.sha256):
                session.workspace.expose(kept.call_id, kept.original, session.archive, kept.tool)


def files_kept_with(session: Session, original: Archived) -> list[str]:
    """Digests of the files that a result names as kept by its call."""
    named: str | None
    try:
        named = session.archive.text(original)
    except StorageError:  # which of them it named is not known any more
        named = None
    calls = {
        message.call_id
        for message in session.transcript
        if isinstance(message, ToolResult) and message.original.sha256 == original.sha256
    }
    notes = {name.removeprefix(_NOTE): note for name, note in session.notes.items() if name.startswith(_NOTE)}
    kept = [
        msgspec.json.decode(note, type=_KeptFile)
        for name, note in notes.items()
        if named is None or name in named
    ]
    return [file.original.sha256 for file in kept if file.call_id in calls]
