"""Small private files below the home of chatcli: 0600, replaced atomically, one writer at a time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chatcli.errors import StorageError
from chatcli.i18n import _

LOCK_TIMEOUT_SECONDS = 10.0


def record_folder(home: Path, folder: Path) -> Path:
    """Where the home keeps what is known about one project folder."""
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    return home / "projects" / name


def read_private(path: Path) -> bytes | None:
    """The content; None when there is no such file.

    Raises `StorageError` when the file is not the user's own or others may write to it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(_("cannot read {path}: {why}").format(path=path, why=error.strerror)) from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise StorageError(
                _("{path} is not yours alone").format(path=path),
                hint=_("Remove the file, or make yourself its owner and run: chmod 600 on it"),
            )
        return file.read()


def write_private(path: Path, content: bytes) -> None:
    """Replace the file as a whole: after a crash it is the old one or the new one."""
    from tempfile import NamedTemporaryFile

    temporary: Path | None = None
    try:
        _make_private_folder(path.parent)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        if temporary:
            temporary.unlink(missing_ok=True)
        raise StorageError(_("cannot write {path}: {why}").format(path=path, why=error.strerror)) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the right to read, change and write `path` against other processes."""
    from filelock import FileLock, Timeout

    _make_private_folder(path.parent)
    try:
        with FileLock(path.with_name(path.name + ".lock"), timeout=LOCK_TIMEOUT_SECONDS, mode=0o600):
            yield
    except Timeout as error:
        raise StorageError(_("another chatcli keeps {path} locked").format(path=path)) from error


def _make_private_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
