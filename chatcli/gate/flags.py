"""Command lines of reading programs, taken apart by the flags that are known to be harmless.

A flag that is not listed makes the whole command unknown: abbreviations of long flags, bundles with one
odd letter, and anything that a newer version may have learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct, structs

from chatcli.gate.expansion import Arg
from chatcli.gate.reasons import Reason
from chatcli.i18n import N_

Operands = Literal["paths", "files", "text", "pattern", "none"]

UNKNOWN_FLAG = N_("this flag is not known to only read: {about}")
UNKNOWN_VALUE = N_("what this word becomes is only known when it runs: {about}")
TOO_MANY_OPERANDS = N_("it may write to its last argument: {about}")


class Reader(Struct, frozen=True):
    """A program that only reads when it is given these flags.

    `operands`: `paths` are read, `files` must not be folders, `pattern` is one search pattern and then
    paths, `text` is only text.
    """

    short: frozenset[str]
    short_values: frozenset[str]
    long: frozenset[str]
    long_values: frozenset[str]
    path_flags: frozenset[str]
    operands: Operands
    limit: int | None = None
    numeric: bool = False
    """`-5` is a count."""
    pattern_flags: frozenset[str] = frozenset()
    """With one of these there is no pattern among the operands."""


class Use(Struct, frozen=True):
    """What one call reads. `text` was neither a path nor a pattern."""

    paths: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    text: tuple[str, ...] = ()
    values: tuple[tuple[str, str | None], ...] = ()
    """Flags with their values, in the order of the line; None: only known when it runs."""


def reads(
    short: str = "",
    long: str = "",
    operands: Operands = "paths",
    *,
    values: str = "",
    limit: int | None = None,
    numeric: bool = False,
    pattern_flags: str = "",
) -> Reader:
    """Write a `Reader` down: `long` names are `name`, `name=` (a value follows) or `name?` (may, after =).

    A name or letter marked by `@` takes a path: `file=@`, values `"AB f@"`.
    """
    names = long.split()
    path_flags = {f"--{name[:-2]}" for name in names if name.endswith("=@")}
    path_flags |= {f"-{group[0]}" for group in values.split() if group.endswith("@")}
    letters = "".join(values.split()).replace("@", "")
    return Reader(
        short=frozenset(short),
        short_values=frozenset(letters),
        long=frozenset(f"--{name.rstrip('?')}" for name in names if "=" not in name),
        long_values=frozenset(f"--{name.rstrip('=?@')}" for name in names if name[-1] in "=?@"),
        path_flags=frozenset(path_flags),
        operands=operands,
        limit=limit,
        numeric=numeric,
        pattern_flags=frozenset(pattern_flags.split()),
    )


def read_flags(reader: Reader, args: Sequence[Arg | None]) -> Use | Reason:
    """What the call reads, or why it is not known to only read."""
    reading = _Reading(reader, args)
    problem = reading.run()
    return problem or reading.use()


class _Reading:
    def __init__(self, reader: Reader, args: Sequence[Arg | None]) -> None:
        self._reader = reader
        self._args = list(args)
        self._flags: set[str] = set()
        self._operands: list[Arg] = []
        self._paths: list[str] = []
        self._text: list[str] = []
        self._values: list[tuple[str, str | None]] = []

    def run(self) -> Reason | None:
        only_operands = False
        while self._args:
            arg = self._args.pop(0)
            if arg is None:
                return Reason(UNKNOWN_VALUE, "")
            if only_operands or arg.text == "-" or not arg.text.startswith("-"):
                self._operands.append(arg)
            elif arg.text == "--":
                if not arg.sure:
                    return Reason(UNKNOWN_VALUE, arg.text)
                only_operands = True
            else:
                problem = self._long(arg) if arg.text.startswith("--") else self._short(arg)
                if problem:
                    return problem
        return self._too_many()

    def use(self) -> Use:
        operands = list(self._operands)
        has_pattern = self._reader.operands == "pattern" and not self._reader.pattern_flags & self._flags
        # The position of an argument that may not be there at all says nothing.
        if has_pattern and operands and operands[0].sure:
            self._text.append(operands.pop(0).text)
        texts = tuple(arg.text for arg in operands)
        use = Use(
            paths=tuple(self._paths),
            flags=frozenset(self._flags),
            text=tuple(self._text),
            values=tuple(self._values),
        )
        match self._reader.operands:
            case "paths" | "pattern":
                return structs.replace(use, paths=(*use.paths, *texts))
            case "files":
                return structs.replace(use, files=texts)
        return structs.replace(use, text=(*use.text, *texts))

    def _too_many(self) -> Reason | None:
        limit = 0 if self._reader.operands == "none" else self._reader.limit
        if limit is not None and len(self._operands) > limit:
            return Reason(TOO_MANY_OPERANDS, self._operands[-1].text)
        return None

    def _long(self, arg: Arg) -> Reason | None:
        name, equals, value = arg.text.partition("=")
        self._flags.add(name)
        if equals:
            if name not in self._reader.long_values:
                return Reason(UNKNOWN_FLAG, arg.text)
            self._value(name, value, known=arg.alone)
            return None
        if name in self._reader.long:
            return None
        if name not in self._reader.long_values:
            return Reason(UNKNOWN_FLAG, arg.text)
        return self._next_value(name, arg)

    def _short(self, arg: Arg) -> Reason | None:
        body = arg.text[1:]
        if self._reader.numeric and body.isascii() and body.isdigit():
            return None
        for index, letter in enumerate(body):
            self._flags.add(f"-{letter}")
            if letter in self._reader.short_values:
                attached = body[index + 1 :]
                if attached:
                    self._value(f"-{letter}", attached, known=arg.alone)
                    return None
                return self._next_value(f"-{letter}", arg)
            if letter not in self._reader.short:
                return Reason(UNKNOWN_FLAG, arg.text)
        return None

    def _next_value(self, name: str, arg: Arg) -> Reason | None:
        """The value is the next word: all words must be sure, or nobody knows which one it is."""
        if not self._args:
            return None
        value = self._args.pop(0)
        if value is None or not value.sure or not arg.sure:
            return Reason(UNKNOWN_VALUE, arg.text)
        self._value(name, value.text)
        return None

    def _value(self, name: str, value: str, *, known: bool = True) -> None:
        self._values.append((name, value if known else None))
        if name in self._reader.path_flags:
            self._paths.append(value)
        else:
            self._text.append(value)
