"""Where tools come from: built-ins, installed packages, the user's plugin folder.

Each source yields tools or the reason why it has none; a source that fails breaks nothing else.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from msgspec import Struct

from chatcli.errors import ChatcliError
from chatcli.i18n import _
from chatcli.tools.executable import load_executables
from chatcli.tools.sdk import Tool

GROUP = "chatcli.plugins"
BUILT_IN = "chatcli_plugins"


class Broken(Struct, frozen=True):
    """A source, or one tool of it, that could not be taken."""

    source: str
    reason: str


Found = tuple[str, Tool | Broken]
"""Source and what it gave."""


def built_in_tools() -> Iterator[Found]:
    """The tools that come with chatcli, imported by name: reading all entry points takes longer."""
    yield from ((BUILT_IN, found) for found in _tools_in(importlib.import_module(BUILT_IN), BUILT_IN))


def installed_tools() -> Iterator[Found]:
    """Tools of other installed packages, by the entry-point group `chatcli.plugins`."""
    if not _others_declare_plugins():
        return
    from importlib.metadata import entry_points

    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        if entry.value == BUILT_IN:
            continue
        source = f"{entry.name} ({entry.value})"
        try:
            loaded = entry.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything
            yield source, Broken(source, _reason(error))
            continue
        yield from ((source, found) for found in _tools_in(loaded, source))


def folder_tools(folder: Path) -> Iterator[Found]:
    """Python files and executables in the user's plugin folder, but none that begins with `.` or `_`."""
    if not folder.is_dir():
        return
    if reason := _distrust(folder):
        yield str(folder), Broken(str(folder), reason)
        return
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] not in "._"]
    safe = []
    for path in files:
        if reason := _distrust(path):
            yield str(path), Broken(str(path), reason)
        elif path.suffix == ".py":
            yield from ((str(path), found) for found in _tools_of_file(path))
        elif os.access(path, os.X_OK):
            safe.append(path)
    for path, found in load_executables(safe, cache=folder / ".metadata.json"):
        yield str(path), Broken(str(path), found) if isinstance(found, str) else found


def _distrust(path: Path) -> str:
    """Why nothing is loaded from here: others could have written it. Empty when it is the user's own."""
    status = path.stat()
    if status.st_uid not in (os.getuid(), 0):
        return _("it belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return _("others may write to it (chmod go-w)")
    return ""


def _tools_of_file(path: Path) -> list[Tool | Broken]:
    name = f"chatcli_user_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        return [Broken(str(path), _("it cannot be imported"))]
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything
        del sys.modules[name]
        return [Broken(str(path), _reason(error))]
    return _tools_in(module, str(path))


def _tools_in(loaded: object, source: str) -> list[Tool | Broken]:
    if isinstance(loaded, Tool):
        return [loaded]
    if isinstance(loaded, ModuleType):
        named = getattr(loaded, "TOOLS", None) or vars(loaded).values()
        if tools := {id(value): value for value in named if isinstance(value, Tool)}:
            return list(tools.values())
    return [Broken(source, _("it declares no tool"))]


def _others_declare_plugins() -> bool:
    """Whether a package beside chatcli names the group. Far cheaper than asking importlib.metadata."""
    return any(
        _declares_plugins(file)
        for entry in sys.path
        for kind in ("dist-info", "egg-info")
        for file in Path(entry or ".").glob(f"*.{kind}/entry_points.txt")
    )


def _declares_plugins(file: Path) -> bool:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    group = text.partition(f"[{GROUP}]")[2].partition("\n[")[0]
    return any(line.partition("=")[2].strip() not in ("", BUILT_IN) for line in group.splitlines())


def _reason(error: BaseException) -> str:
    text = str(error) if isinstance(error, ChatcliError) else f"{type(error).__name__}: {error}"
    return text.strip().splitlines()[0][:300] if text.strip() else type(error).__name__
