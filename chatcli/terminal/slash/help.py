"""/help: all commands and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatcli.i18n import _
from chatcli.terminal.cells import behind, clip, fill, width_cells
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
    rows = [(f"/{command.name} {command.arguments}".rstrip(), command.help()) for command in commands]
    lines = ["", *_table(rows, repl.screen.columns)]
    if not text:
        lines += ["", *_table(_keys(), repl.screen.columns)]
    repl.screen.print(lines)


def _table(rows: list[tuple[str, str]], columns: int) -> list[str]:
    if columns < _TWO_COLUMNS_CELLS:
        narrow = columns - 2
        return [
            line for name, what in rows for line in (clip(name, columns), *behind("  ", fill(what, narrow)))
        ]
    width = max(width_cells(name) for name, _what in rows)
    return [clip(name + " " * (width - width_cells(name) + 2) + what, columns) for name, what in rows]


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
