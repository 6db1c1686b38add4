"""/clear, /resume, /undo, /exit: what concerns the session as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chatcli.gate.screen import one_line
from chatcli.i18n import _, ngettext
from chatcli.session.journal import SessionLocked
from chatcli.session.listing import SessionInfo, list_sessions
from chatcli.terminal.cells import clip
from chatcli.terminal.figures import local_minute
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl

_LISTED = 12


async def _clear(repl: Repl, _text: str) -> None:
    repl.conversation.start_anew()
    repl.tell(_("A new session. The old one is kept: /resume"))


async def _resume(repl: Repl, text: str) -> None:
    wanted = text or await _pick(repl)
    if not wanted:
        return
    try:
        repl.conversation.resume(wanted)
    except SessionLocked as error:
        repl.tell(error.message, "warning")
        if not await repl.confirm(_("Go on in a copy of it?")):
            return
        repl.conversation.resume(wanted, fork=True)
    repl.view.past(repl.conversation.session.transcript)


async def _pick(repl: Repl) -> str:
    here, current = str(repl.conversation.session.folder), repl.conversation.session.id
    sessions = [
        info for info in list_sessions(repl.home) if info.messages and not info.problem and info.id != current
    ]
    sessions.sort(key=lambda info: info.folder != here)
    if not sessions:
        repl.tell(_("There is no earlier session."))
        return ""
    listed = sessions[:_LISTED]
    lines = [""]
    for number, info in enumerate(listed, start=1):
        lines.append(clip(f"{number:>2}. {_described(info, here)}", repl.screen.columns))
    repl.screen.print(lines)
    answer = (await repl.ask(_("which one? a number, or Enter for none"))).strip()
    if answer.isdecimal() and 1 <= int(answer) <= len(listed):
        return listed[int(answer) - 1].id
    return ""


def _described(info: SessionInfo, here: str) -> str:
    when = local_minute(info.last_active)
    folder = "" if info.folder == here else f" · {one_line(Path(info.folder).name)}"
    locked = " · " + _("open elsewhere") if info.locked else ""
    words = one_line(info.first_words) or "–"
    return f"{when}{folder}{locked} · {words}"


async def _undo(repl: Repl, text: str) -> None:
    if text not in {"", "force"}:
        repl.tell(_("/undo, or /undo force"), "warning")
        return
    undone = repl.conversation.undo(force=text == "force")
    if undone is None:
        repl.tell(_("Nothing to undo: no turn of this session has changed a file."))
        return
    lines = [f"↩ {one_line(repl.shown_path(path))}" for path in undone.restored]
    lines += [f"✗ {one_line(repl.shown_path(path))} · " + _("removed") for path in undone.removed]
    lines += [
        repl.screen.look.paint(f"! {one_line(repl.shown_path(left.path))} · {left.reason}", "warn")
        for left in undone.left
    ]
    repl.screen.print(["", *lines])
    count = len(undone.restored) + len(undone.removed)
    repl.tell(ngettext("{n} file is as it was.", "{n} files are as they were.", count).format(n=count))
    if undone.left:
        repl.tell(_("/undo force puts back the rest too."))


async def _exit(repl: Repl, _text: str) -> None:
    repl.leave()


COMMANDS = (
    Command(name="clear", help=lambda: _("start a new session"), run=_clear),
    Command(
        name="resume",
        arguments="[ID]",
        help=lambda: _("go on with an earlier session"),
        run=_resume,
    ),
    Command(
        name="undo",
        arguments="[force]",
        help=lambda: _("put back the files that the last turn changed"),
        run=_undo,
        words=lambda _repl: ("force",),
    ),
    Command(name="exit", help=lambda: _("leave"), run=_exit, while_busy=True, aliases=("quit",)),
)
