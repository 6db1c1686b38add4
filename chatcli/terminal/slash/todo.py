"""/todo: the task list that the agent keeps in this session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.terminal.cells import behind, fill
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl

_NOTE = "tool:todo"
_MARKS = {"done": "✓ ", "in_progress": "▸ "}


class Item(Struct, frozen=True):
    """One entry as the todo tool notes it."""

    text: str
    state: str = "pending"


async def _todo(repl: Repl, _text: str) -> None:
    noted = repl.conversation.session.notes.get(_NOTE, "[]")
    try:
        items = msgspec.json.decode(noted, type=list[Item])
    except msgspec.DecodeError:
        items = []
    lines = todo_lines(items, repl.screen.columns)
    if lines:
        repl.screen.print(["", *lines])
    else:
        repl.tell(_("The list is empty."))


def todo_lines(items: list[Item], columns: int) -> list[str]:
    """Done, in progress, or still to be done, each behind its mark."""
    return [
        line
        for item in items
        for line in behind(_MARKS.get(item.state, "○ "), fill(one_line(item.text), columns - 2))
    ]


COMMANDS = (Command(name="todo", help=lambda: _("the agent's task list"), run=_todo, while_busy=True),)
