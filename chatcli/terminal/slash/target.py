"""Files that the user names for a command to read or write."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.session.files import storage_errors

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl


async def ask_target(repl: Repl, given: str, name: str) -> Path | None:
    """Where to write; `name` is that of a new file where a folder was given.

    None when there is such a file and the user does not want it replaced.
    """
    path = named_path(repl, given)
    with storage_errors(path):
        path = path / name if path.is_dir() else path
        exists = path.exists()
    if exists and not await repl.confirm(_("{path} exists. Replace it?").format(path=shown_path(path))):
        return None
    return path


def named_path(repl: Repl, given: str) -> Path:
    """Relative to the session's folder."""
    path = Path(given)
    with suppress(RuntimeError):  # no user of this name: a file may be called so
        path = path.expanduser()
    return repl.conversation.session.folder / path


def shown_path(path: Path) -> str:
    """On one line, with nothing in it that moves the cursor."""
    return one_line(str(path))
