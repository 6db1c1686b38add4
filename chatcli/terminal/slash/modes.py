"""/chat, /agent, /coder: switch, or run a text and stay; /run: run the loop once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatcli.i18n import _
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl


async def _chat(repl: Repl, text: str) -> None:
    await _enter(repl, "chat", text)


async def _agent(repl: Repl, text: str) -> None:
    await _enter(repl, "agent", text)


async def _coder(repl: Repl, text: str) -> None:
    await _enter(repl, "coder", text)


async def _run(repl: Repl, text: str) -> None:
    if not text:
        repl.tell(_("What should it do? /run TEXT"), "warning")
        return
    current = repl.conversation.mode
    repl.start_run(text, mode="coder" if current == "coder" else "agent", stay=False)


async def _enter(repl: Repl, mode: str, text: str) -> None:
    if text:
        repl.start_run(text, mode=mode)
        return
    repl.conversation.set_mode(mode)
    repl.tell(_("Mode: {mode}").format(mode=mode))


COMMANDS = (
    Command(name="agent", arguments="[TEXT]", help=lambda: _("work with tools"), run=_agent),
    Command(name="coder", arguments="[TEXT]", help=lambda: _("work on code"), run=_coder),
    Command(name="chat", arguments="[TEXT]", help=lambda: _("talk; no tool runs"), run=_chat),
    Command(name="run", arguments="TEXT", help=lambda: _("run one task, stay in this mode"), run=_run),
)
