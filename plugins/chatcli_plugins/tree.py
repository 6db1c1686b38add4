"""tree: what is in a folder."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from chatcli.tools import InvalidArguments, ToolContext, ToolFailed, ToolOutput, in_thread, ngettext, tool
from chatcli.tools.ignore import Entry, IgnoreRules, list_folder
from chatcli.tools.text import one_line

_NOTE_CHARS = 1_500
"""Kept free for the last line."""
_MAX_ENTRIES = 200_000
_MAX_DEPTH = 64
_MAX_NAMED = 15
"""So many ignored entries are named; the rest is counted."""
_UNITS = "KMGT"


class Walk:
    """Looks at a folder in a fixed order and keeps what has room, from entry `offset` on."""

    def __init__(
        self,
        root: Path,
        *,
        depth: int,
        everything: bool,
        offset: int,
        room_chars: int,
        check: Callable[[], None],
    ) -> None:
        self.lines: list[str] = []
        self.begins_in = ""
        """The folder of the first line, when it is not the root."""
        self.seen = 0
        self.folders = 0
        self.files = 0
        self.ignored: list[str] = []
        self.unopened = 0
        """Folders below which nothing was looked at, because of `depth`."""
        self.stopped = False
        self._root = root
        self._depth = depth
        self._everything = everything
        self._offset = offset
        self._room_chars = room_chars
        self._check = check
        self._is_full = False

    def run(self) -> None:
        rules = IgnoreRules() if self._everything else IgnoreRules.for_folder(self._root)
        self._enter(str(self._root), 1, rules)

    @property
    def next_offset(self) -> int | None:
        """Where the next page begins; None when all was shown."""
        shown = self._offset + len(self.lines)
        return shown if shown < self.seen else None

    def _enter(self, folder: str, level: int, rules: IgnoreRules) -> None:
        self._check()
        for entry in list_folder(folder, rules):
            if self.seen >= _MAX_ENTRIES:
                self.stopped = True
                return
            if entry.is_ignored:
                self.ignored.append(self._below(entry.found.path) + "/" * entry.is_folder)
                continue
            self.folders += entry.is_folder
            self.files += not entry.is_folder
            opened = entry.is_folder and level < self._depth
            self._show(entry, opened, folder, level)
            self.seen += 1
            if opened:
                inside = rules if self._everything else rules.entered(Path(entry.found.path))
                self._enter(entry.found.path, level + 1, inside)
            elif entry.is_folder:
                self.unopened += 1

    def _show(self, entry: Entry, opened: bool, folder: str, level: int) -> None:
        """Put an entry on the page, if it belongs there and has room."""
        if self.seen < self._offset or self._is_full:
            return
        line = "  " * (level - 1) + _line(entry, opened=opened)
        self._room_chars -= len(line) + 1
        self._is_full = self._room_chars < 0
        if self._is_full:
            return
        if not self.lines and level > 1:
            self.begins_in = self._below(folder)
        self.lines.append(line)

    def _below(self, path: str) -> str:
        return one_line(path.removeprefix(f"{self._root}/"))


@tool("tree", max_result_chars=50_000, read_only=True, concurrent=True, narrower="depth, or a deeper path")
async def tree(
    ctx: ToolContext,
    path: str = ".",
    depth: Annotated[int, "levels (3)"] = 3,
    all: Annotated[bool, "also what git ignores"] = False,
    offset: Annotated[int, "entries to skip, to go on"] = 0,
) -> ToolOutput:
    """List a folder as an indented tree with sizes. What is left out is counted in the last line."""
    if depth < 1 or offset < 0:
        raise InvalidArguments("tree: 'depth' must be 1 or more and 'offset' 0 or more")
    folder = await ctx.files.readable(path)
    shown = ctx.files.shown(folder)
    if not folder.is_dir():
        raise ToolFailed(f"{shown} " + ("is a file; use read" if folder.exists() else "does not exist"))
    levels = min(depth, _MAX_DEPTH)
    limit_chars = ctx.cap_chars if offset else min(ctx.max_chars, ctx.cap_chars)

    def look(check: Callable[[], None]) -> Walk:
        room_chars = limit_chars - _NOTE_CHARS
        walk = Walk(
            folder,
            depth=min(depth, _MAX_DEPTH),
            everything=all,
            offset=offset,
            room_chars=room_chars,
            check=check,
        )
        walk.run()
        return walk

    walk = await in_thread(look)
    head = [f"{one_line(shown)}/"] + ([f"[in {walk.begins_in}/]"] if walk.begins_in else [])
    text = "\n".join([*head, *walk.lines, _note(walk, levels)])
    brief = ngettext("{n} entry", "{n} entries", walk.seen).format(n=walk.seen)
    return ToolOutput(text=text, brief=brief, self_limited=True)


def _line(entry: Entry, *, opened: bool) -> str:
    name, path = one_line(entry.found.name), Path(entry.found.path)
    if entry.is_folder:
        return f"{name}/" if opened else f"{name}/ {_inside(path)}"
    try:
        if entry.found.is_symlink():
            return f"{name} -> {one_line(str(path.readlink()))}"
        status = path.lstat()
    except OSError:
        return f"{name} (unreadable)"
    return f"{name}  {_size(status.st_size)}" if stat.S_ISREG(status.st_mode) else f"{name} (not a file)"


def _inside(folder: Path) -> str:
    try:
        return f"({sum(1 for _ in folder.iterdir())})"
    except OSError:
        return "(unreadable)"


def _size(size_bytes: int) -> str:
    """`812`, `1.2K`, `34M`: with a digit behind the point below ten."""
    if size_bytes < 1_000:
        return str(size_bytes)
    size = float(size_bytes)
    for unit in _UNITS:
        size /= 1_024
        if size < 1_000 or unit == _UNITS[-1]:
            break
    return f"{size:.1f}{unit}" if size < 9.95 else f"{size:.0f}{unit}"


def _note(walk: Walk, depth: int) -> str:
    parts = [f"{walk.folders} folders, {walk.files} files"]
    if walk.ignored:
        named = ", ".join(walk.ignored[:_MAX_NAMED]) + (", ..." if len(walk.ignored) > _MAX_NAMED else "")
        named = named if len(named) <= _NOTE_CHARS // 2 else named[: _NOTE_CHARS // 2] + "..."
        parts.append(f"{len(walk.ignored)} ignored and not counted: {named}")
    if walk.unopened:
        parts.append(f"{walk.unopened} folders below depth {depth} not opened")
    if walk.stopped:
        parts.append(f"stopped after {walk.seen} entries")
    if walk.next_offset is not None:
        left = walk.seen - walk.next_offset
        parts.append(f"{left} more entries: go on with offset={walk.next_offset}")
    return f"[{'; '.join(parts)}]"
