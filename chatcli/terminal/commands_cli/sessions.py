"""`chatcli sessions`: what can be gone on with, and deleting one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from chatcli.errors import StorageError
from chatcli.i18n import _
from chatcli.session import layout
from chatcli.session.files import is_locked, storage_errors
from chatcli.session.listing import SessionInfo, find, list_sessions
from chatcli.terminal.commands_cli.place import Place


def show_sessions(place: Place, *, output: str = "text", everywhere: bool = False) -> int:
    """The sessions of this folder, or of all, the newest first."""
    project = str(place.folder)
    found = [info for info in list_sessions(place.home) if everywhere or info.folder == project]
    if output == "json":
        place.out.json(found)
        return 0
    if not found:
        place.out.line(_("No session of this folder yet.") if not everywhere else _("No session yet."))
        return 0
    headers = ["id", _("last used"), _("messages"), _("began with")]
    rows = [_cells(info) for info in found]
    if everywhere:
        headers.insert(3, _("folder"))
        for row, info in zip(rows, found, strict=True):
            row.insert(3, place.short(Path(info.folder)))
    place.out.table(headers, rows)
    return 0


def delete_session(place: Place, wanted: str) -> int:
    """Remove a session with everything it archived. Raises for an unknown or open one."""
    session_id = find(place.home, wanted)
    folder = layout.session_folder(place.home, session_id)
    with storage_errors(folder):
        if is_locked(folder / layout.JOURNAL):
            raise StorageError(
                _("Session {id} is open in another chatcli.").format(id=session_id), hint=_("Close it there.")
            )
        layout.drop(folder)
    place.out.line(_("Deleted: {id}").format(id=session_id))
    return 0


def _cells(info: SessionInfo) -> list[str]:
    if info.problem:
        return [info.id, "", "", _("cannot be read: {why}").format(why=info.problem)]
    words = _("(open) {words}").format(words=info.first_words) if info.locked else info.first_words
    return [info.id, _local_time(info.last_active), str(info.messages), words]


def _local_time(iso: str) -> str:
    """As the wall clock here shows it, to the minute."""
    return f"{datetime.fromisoformat(iso).astimezone():%Y-%m-%d %H:%M}" if iso else ""
