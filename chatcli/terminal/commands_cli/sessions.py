"""`chatcli sessions`: what can be gone on with, deleting one, repairing one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from chatcli.errors import StorageError
from chatcli.i18n import _, ngettext
from chatcli.session import layout
from chatcli.session.files import is_locked, storage_errors
from chatcli.session.listing import SessionInfo, find, list_sessions
from chatcli.session.repair import repair_journal
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.figures import local_minute


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


def repair_session(place: Place, wanted: str) -> int:
    """Make a session readable again, and say what is lost. Raises for an unknown or open one."""
    session_id = find(place.home, wanted)
    done = repair_journal(layout.session_folder(place.home, session_id) / layout.JOURNAL)
    if done is None:
        place.out.line(_("Nothing to repair: all of {id} can be read.").format(id=session_id))
        return 0
    if found := done.unreadable:
        text = ngettext("{n} line cannot be read: {which}.", "{n} lines cannot be read: {which}.", len(found))
        place.out.line(text.format(n=len(found), which=_ranges(found)))
    text = ngettext(
        "{n} entry is lost, {kept} are kept.", "{n} entries are lost, {kept} are kept.", done.lost
    )
    place.out.line(text.format(n=done.lost, kept=done.kept))
    place.out.line(_("The damaged file is kept as it was: {path}").format(path=place.short(done.original)))
    place.out.line(_("chatcli --resume {id} goes on with it.").format(id=session_id))
    return 0


def _ranges(numbers: Sequence[int]) -> str:
    """`3, 7-9`."""
    runs = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    spans = [[number for _index, number in run] for _start, run in runs]
    return ", ".join(f"{span[0]}-{span[-1]}" if len(span) > 1 else str(span[0]) for span in spans)


def _cells(info: SessionInfo) -> list[str]:
    if info.problem:
        return [info.id, "", "", _("cannot be read: {why}").format(why=info.problem)]
    words = _("(open) {words}").format(words=info.first_words) if info.locked else info.first_words
    return [info.id, local_minute(info.last_active), str(info.messages), words]
