"""What a slash command is, and how a line finds its command: by the whole word or not at all."""

from __future__ import annotations

import difflib
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from chatcli.i18n import N_, _

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl

_PLACE = re.compile(r"[A-Z]{2,}(?: [A-Z]+)*")
_PLACES = (
    N_("COMMAND"),
    N_("FILE"),
    N_("KEY"),
    N_("LEVEL"),
    N_("NAME"),
    N_("PROVIDER"),
    N_("TEXT"),
    N_("WHAT TO KEEP"),
)
"""What is to be filled in, for the catalogue."""


def no_words(_repl: Repl) -> Sequence[str]:
    return ()


def is_command(text: str) -> bool:
    """A path at the beginning of a line is none."""
    return text.startswith("/") and text.split(maxsplit=1)[0].count("/") == 1


class Command(Struct, frozen=True, kw_only=True):
    """One command. `help` is looked up when it is shown, in the language of that moment."""

    name: str
    help: Callable[[], str]
    run: Callable[[Repl, str], Awaitable[None]]
    """Gets the rest of the line, stripped."""
    arguments: str = ""
    """How they are written in the help: `[ID]`."""
    words: Callable[[Repl], Iterable[str]] = no_words
    """What may follow, for completion."""
    while_busy: bool = False
    """May run while the agent works."""
    aliases: tuple[str, ...] = ()

    def usage(self) -> str:
        """`/model [PROVIDER/ID | refresh]`; what is to be filled in is named in the screen's language."""
        arguments = _PLACE.sub(lambda place: _(place[0]), self.arguments)
        return f"/{self.name} {arguments}".rstrip()


class Commands:
    """All commands by name."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self.all = tuple(commands)
        self._by_name = {name: command for command in commands for name in (command.name, *command.aliases)}

    def find(self, line: str) -> tuple[Command | None, str]:
        """The command that a line starting with `/` calls, and its arguments."""
        head, *rest = line.removeprefix("/").split(maxsplit=1) or [""]
        return self._by_name.get(head), "".join(rest).strip()

    def nearest(self, line: str) -> str:
        """The name most like what the line starts with, or nothing."""
        word = line.split(maxsplit=1)[0].removeprefix("/")
        starts = [name for name in self._by_name if word.startswith(name) or name.startswith(word)]
        near = starts or difflib.get_close_matches(word, self._by_name, n=1)
        return near[0] if near else ""
