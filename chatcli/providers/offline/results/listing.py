"""Results of `tree`: an indented listing whose last line counts what it holds."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePosixPath

from msgspec import Struct

_FOLDER = re.compile(r"^(?P<name>.+)/(?: \((?P<inside>\d+|unreadable)\))?$")
_FILE = re.compile(r"^(?P<name>.+?)(?:  (?P<size>[\d.]+[KMGT]?)| -> .*| \([a-z ]+\))$")
_COUNTS = re.compile(r"(\d+) folders, (\d+) files")
_IGNORED = re.compile(r"(\d+) ignored and not counted")


class Entry(Struct, frozen=True, kw_only=True):
    """`detail` is the size of a file, or how many entries a closed folder has."""

    path: PurePosixPath
    is_folder: bool
    detail: str = ""

    @property
    def shown(self) -> str:
        return f"{self.path}/" if self.is_folder else str(self.path)


class Listing(Struct, frozen=True, kw_only=True):
    """`folders`, `files` and `ignored` count everything, `entries` is what the result had room for."""

    entries: tuple[Entry, ...]
    folders: int
    files: int
    ignored: int

    @property
    def is_complete(self) -> bool:
        return len(self.entries) == self.folders + self.files

    def names(self) -> frozenset[str]:
        """Names of the files."""
        return frozenset(entry.path.name for entry in self.entries if not entry.is_folder)

    def by_suffix(self) -> Counter[str]:
        """How many of the listed files there are of each type; files without one are left out."""
        files = (entry.path for entry in self.entries if not entry.is_folder)
        return Counter(path.suffix.lower() for path in files if path.suffix)


def read_listing(text: str) -> Listing:
    """A listing of anything else is empty."""
    entries: list[Entry] = []
    parents: list[str] = []
    *lines, note = text.splitlines()[1:] or [""]
    for line in lines:
        bare = line.lstrip(" ")
        level = (len(line) - len(bare)) // 2
        entry = _read_entry(bare, parents[:level])
        parents[level:] = [entry.path.name]
        entries.append(entry)
    counts = _COUNTS.search(note)
    ignored = _IGNORED.search(note)
    return Listing(
        entries=tuple(entries),
        folders=int(counts[1]) if counts else 0,
        files=int(counts[2]) if counts else 0,
        ignored=int(ignored[1]) if ignored else 0,
    )


def _read_entry(line: str, parents: list[str]) -> Entry:
    if found := _FOLDER.match(line):
        path = PurePosixPath(*parents, found["name"])
        return Entry(path=path, is_folder=True, detail=found["inside"] or "")
    found = _FILE.match(line)
    name, size = (found["name"], found["size"] or "") if found else (line, "")
    return Entry(path=PurePosixPath(*parents, name), is_folder=False, detail=size)
