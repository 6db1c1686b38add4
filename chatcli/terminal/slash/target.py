"""The file that a command writes to, as the user named it."""

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
    """Relative to the session's folder; `name` is that of a new file where a folder was given.

    None when there is such a file and the user does not want it replaced.
    """
    named = Path(given)
    with suppress(RuntimeError):  # no user of this name: a file may be called so
        named = named.expanduser()
    path = repl.conversation.session.folder / named
    with storage_errors(path):
        path = path / name if path.is_dir() else path
        exists = path.exists()
    if exists and not await repl.confirm(_("{path} exists. Replace it?").format(path=shown_path(path))):
        return None
    return path


def shown_path(path: Path) -> str:
    """On one line, with nothing in it that moves the cursor."""
    return one_line(str(path))
