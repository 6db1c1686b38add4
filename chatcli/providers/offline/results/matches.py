"""Results of `search`: matching lines under the name of their file, totals in the last line."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from msgspec import Struct

from chatcli.providers.offline.situation import Outcome

_LINE = re.compile(r"^(\d+):(.*)$")
_TOTALS = re.compile(r"^\[(\d+) matching lines in (\d+) files")


class Match(Struct, frozen=True):
    path: str
    number: int
    text: str


class Matches(Struct, frozen=True, kw_only=True):
    """`lines` is what the result had room for, `total` and `files` count all."""

    lines: tuple[Match, ...]
    names: tuple[str, ...]
    """The files, when only files were asked for."""
    total: int
    files: int


def read_matches(outcome: Outcome) -> Matches:
    """Paths come out relative to the project: the result names them from the folder that was searched."""
    searched = str(outcome.arguments.get("path", "."))
    *rows, note = outcome.text.splitlines() or [""]
    totals = _TOTALS.match(note)
    total, files = (int(totals[1]), int(totals[2])) if totals else (0, 0)
    if outcome.arguments.get("show") == "files":
        names = tuple(_below(searched, row) for row in rows)
        return Matches(lines=(), names=names, total=total, files=files)
    lines: list[Match] = []
    path = searched
    for row in rows:
        if found := _LINE.match(row):
            lines.append(Match(path, int(found[1]), found[2]))
        else:
            path = _below(searched, row)
    return Matches(lines=tuple(lines), names=(), total=total, files=files)


def _below(searched: str, name: str) -> str:
    """A file that was searched itself is named by its last part alone."""
    if PurePosixPath(searched).name == name:
        return searched
    return str(PurePosixPath(searched, name))
