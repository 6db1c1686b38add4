"""Rules files: what a project and its user tell every agent, as one stable block of the prompt.

Read once, when a session starts, from outer to inner: the user's own `AGENTS.md` in the home of
chatcli, then in each folder from the repository's root down to the project `AGENTS.md` and
`CLAUDE.md` (with its `@path` imports), then `.chatcli/rules/*.md`. Files of a project count only
where its folder is trusted; they instruct, they never execute or allow anything.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chatcli.tools.files import open_regular

USER_FILE = "AGENTS.md"
PROJECT_FILES = ("AGENTS.md", "CLAUDE.md")
RULES_FOLDER = Path(".chatcli", "rules")

MAX_CHARS = 40_000
"""All rules together; more would cost every session more than its tools do."""
_MAX_FILE_BYTES = 200_000
_MAX_IMPORT_DEPTH = 5
_IMPORT = re.compile(r"^[ \t]*@(\S+)[ \t]*$", re.MULTILINE)


class Rules(Struct, frozen=True, kw_only=True):
    """The text of the block, empty without rules, and the files it was made of."""

    text: str
    files: tuple[Path, ...]
    omitted: tuple[Path, ...]
    """Files that did not fit or could not be read as text."""
    untrusted: tuple[Path, ...] = ()
    """Files that do not count because the folder is not trusted."""


def project_rules_files(folder: Path) -> tuple[Path, ...]:
    """The rules files that a project brings, outer folders first."""
    folders = _from_repository_root(folder.resolve())
    found = [parent / name for parent in folders for name in PROJECT_FILES]
    rules = sorted((folder / RULES_FOLDER).glob("*.md"))
    return tuple(path for path in (*found, *rules) if path.is_file())


def read_rules(home: Path, folder: Path, *, trusted: bool) -> Rules:
    """All rules in force. What does not fit is left out whole and named."""
    paths = [home / USER_FILE] if (home / USER_FILE).is_file() else []
    of_project = project_rules_files(folder)
    if trusted:
        paths += of_project
    parts: list[str] = []
    files: list[Path] = []
    omitted: list[Path] = []
    room_chars = MAX_CHARS
    for path in paths:
        text = _read(path, root=_root_of(path, home, folder), seen=set(), depth=0)
        if text is None or len(text) > room_chars:
            omitted.append(path)
            continue
        room_chars -= len(text)
        files.append(path)
        parts.append(f"## {_shown(path, folder)}\n{text.strip()}")
    return Rules(
        text=_block(parts, omitted, folder),
        files=tuple(files),
        omitted=tuple(omitted),
        untrusted=() if trusted else of_project,
    )


def _block(parts: list[str], omitted: list[Path], folder: Path) -> str:
    if not parts:
        return ""
    notes = [f"[{_shown(path, folder)} is too long or not text: read it if it matters]" for path in omitted]
    return "\n\n".join(["# Rules of the user and the project", *parts, *notes])


def _read(path: Path, *, root: Path, seen: set[Path], depth: int) -> str | None:
    """The text of a file with its imports in place; None when it cannot be read as text."""
    resolved = path.resolve()
    if resolved in seen or depth > _MAX_IMPORT_DEPTH or not resolved.is_relative_to(root):
        return None
    seen.add(resolved)
    text = _regular_text(resolved)
    if text is None:
        return None

    def imported(match: re.Match[str]) -> str:
        wanted = (resolved.parent / match[1]).resolve()
        inner = _read(wanted, root=root, seen=seen, depth=depth + 1)
        return match[0] if inner is None else inner.strip()

    return _IMPORT.sub(imported, text)


def _regular_text(path: Path) -> str | None:
    try:
        with open_regular(path) as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except (OSError, ValueError):
        return None
    if len(data) > _MAX_FILE_BYTES or b"\0" in data:
        return None
    return data.decode("utf-8-sig", "replace")


def _from_repository_root(folder: Path) -> Iterator[Path]:
    """Folders from the root of the repository down to `folder`; without one, `folder` alone."""
    chain = [folder]
    for parent in (folder, *folder.parents):
        if parent != folder:
            chain.append(parent)
        if (parent / ".git").exists():
            return reversed(chain)
    return iter([folder])


def _root_of(path: Path, home: Path, folder: Path) -> Path:
    """Imports stay below the folder that a file belongs to."""
    if path.parent == home:
        return home.resolve()
    return next(_from_repository_root(folder.resolve()))


def _shown(path: Path, folder: Path) -> str:
    return os.path.relpath(path, folder)
