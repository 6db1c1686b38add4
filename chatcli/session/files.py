"""File operations of a session: private to the user, on disk when they return, errors in one form."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chatcli.errors import StorageError
from chatcli.i18n import _

sync_data = getattr(os, "fdatasync", os.fsync)
"""macOS has no fdatasync."""


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn an `OSError` about `path` into the `StorageError` that a person reads."""
    try:
        yield
    except OSError as error:
        hint = ""
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = _("Free some disk space, then go on: nothing before this was lost.")
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            hint = _("Check its permissions, or name another folder with CHATCLI_HOME.")
        message = _("Cannot use {path}: {reason}.").format(path=path, reason=error.strerror or error)
        raise StorageError(message, hint=hint) from error


def make_private_folder(path: Path) -> None:
    """Create `path` and its parents, each 0700. What exists keeps its mode."""
    for folder in (*reversed(path.parents), path):
        folder.mkdir(mode=0o700, exist_ok=True)


def sync_folder(path: Path) -> None:
    """Make the names in a folder as durable as the files behind them."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_durably(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace `path` as a whole: after a crash it holds the old bytes or the new ones."""
    temporary = path.with_name(f".{path.name[:200]}.{os.urandom(6).hex()}")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            write_all(fd, data)
            os.fchmod(fd, mode)
            os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
