"""/help: all commands and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatcli.i18n import _
from chatcli.terminal.cells import behind, fill, width_cells
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl

_TWO_COLUMNS_CELLS = 60


async def _help(repl: Repl, text: str) -> None:
    commands = repl.commands.all
    if text:
        command, _rest = repl.commands.find("/" + text.removeprefix("/"))
        if command is None:
            repl.tell_unknown(text)
            return
        commands = (command,)
    rows = [(command.usage(), command.help()) for command in commands]
    lines = ["", *_table(rows, repl.screen.columns)]
    if not text:
        lines += ["", *_table(_keys(), repl.screen.columns)]
    repl.screen.print(lines)


def _table(rows: list[tuple[str, str]], columns: int) -> list[str]:
    """What a name does stands beside it, below it where the name is long or the screen narrow; never cut."""
    narrow = columns < _TWO_COLUMNS_CELLS
    indent = 2 if narrow else min(max(width_cells(name) + 2 for name, _what in rows), columns * 2 // 5)
    lines = []
    for name, what in rows:
        below = behind(" " * indent, fill(what, columns - indent))
        if narrow or width_cells(name) + 2 > indent:
            lines += fill(name, columns) + below
        else:
            lines += [name + below[0][width_cells(name) :], *below[1:]]
    return lines


def _keys() -> list[tuple[str, str]]:
    return [
        ("Enter", _("send; while it works: queue for the next turn")),
        ("Alt+Enter, \\ Enter", _("new line")),
        ("@path", _("attach a file; Tab completes")),
        ("Shift+Tab", _("next level of autonomy")),
        ("Ctrl+R", _("search what was typed before")),
        ("Ctrl+X Ctrl+E", _("write in your editor")),
        ("Ctrl+C", _("cancel, or clear the line; twice: leave")),
        ("Ctrl+D", _("leave, on an empty line")),
    ]


COMMANDS = (
    Command(
        name="help", arguments="[COMMAND]", help=lambda: _("commands and keys"), run=_help, while_busy=True
    ),
)
