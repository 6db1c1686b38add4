"""A shell script as data: its simple commands, and what is doubtful about it."""

from __future__ import annotations

from msgspec import Struct

from chatcli.gate.reasons import Reason
from chatcli.gate.words import Word

OUTPUTS = frozenset({">", ">>", "&>", "&>>", ">|", "<>"})


class Redirect(Struct, frozen=True):
    """`target` is None for a copied or closed descriptor and for a here-document."""

    operator: str
    target: Word | None

    @property
    def writes(self) -> bool:
        return self.target is not None and self.operator in OUTPUTS


class Assignment(Struct, frozen=True):
    name: str
    value: Word | None
    """None for arrays and other values that are not one word."""


class SimpleCommand(Struct, frozen=True):
    """One command. Without words it is bare assignments, or the redirections of a compound command."""

    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    repeated: bool = False
    """Inside a loop or a function: it may run many times."""
    fed: bool = False
    """Its input comes from a pipe or a redirection."""
    start: int = 0
    """Where it stands in the line, in bytes."""


class Loop(Struct, frozen=True):
    """`for name in values`."""

    name: str
    values: tuple[Word, ...]


class Script(Struct, frozen=True):
    """`errors`: the line as a whole is not understood. `unjudged`: constructs that are not looked into."""

    commands: tuple[SimpleCommand, ...]
    loops: tuple[Loop, ...]
    errors: tuple[Reason, ...]
    unjudged: tuple[Reason, ...]
