"""Files of chatcli: private to the user, on disk when they return, errors in one form."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chatcli.errors import StorageError
from chatcli.i18n import _

LOCK_TIMEOUT_SECONDS = 10.0
_LOCK_POLL_SECONDS = 0.002
"""Short: whoever writes again and again lets go for an instant only."""
# Whoever only wants to know whether a file is locked holds its lock for an instant.
_LOCK_ATTEMPTS = 10
_LOCK_PAUSE_SECONDS = 0.02


FileIdentity = tuple[int, int, int]
"""Another one after any change of a file, of its mode, or of the file itself."""


def identity_of(status: os.stat_result) -> FileIdentity:
    return status.st_ino, status.st_ctime_ns, status.st_size


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
            hint = _("Check its permissions and those of its folder.")
        message = _("Cannot use {path}: {reason}.").format(path=path, reason=error.strerror or error)
        raise StorageError(message, hint=hint) from error


def make_private_folder(path: Path) -> None:
    """Create `path` and its parents, each 0700, on disk when it returns. What exists keeps its mode."""
    if path.is_dir():
        return
    make_private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_folder(path.parent)


def sync_data(fd: int) -> None:
    """Wait until the bytes of an open file are on disk. Raises `OSError`."""
    if sys.platform == "darwin":
        sync_file(fd)
    else:
        os.fdatasync(fd)


def sync_file(fd: int) -> None:
    """The same for its bytes and what is known about it, such as its mode."""
    if sys.platform == "darwin":
        # Its fsync leaves the bytes in the drive's own cache, which a power cut empties.
        with suppress(OSError):  # not every file system can
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    os.fsync(fd)


def sync_folder(path: Path) -> None:
    """Make the names in a folder as durable as the files behind them."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def try_lock(fd: int) -> bool:
    """Lock an open file until it is closed or this process is killed. Raises `OSError`."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_file(fd: int, path: Path) -> bool:
    """Lock the open file `path`, with a moment of patience.

    False when another process keeps it locked, or has removed it. Raises `OSError`.
    """
    for attempt in range(_LOCK_ATTEMPTS):
        if attempt:
            time.sleep(_LOCK_PAUSE_SECONDS)
        if try_lock(fd):
            return path.exists() and os.path.samestat(os.fstat(fd), path.lstat())
    return False


def is_locked(path: Path) -> bool:
    """Whether another process holds the lock of this file just now. Raises `OSError`."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


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
            sync_file(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def read_private(path: Path) -> bytes | None:
    """The content; None when there is no such file.

    Raises `StorageError` when the file is not the user's own or others may write to it.
    """
    with storage_errors(path):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        with os.fdopen(fd, "rb") as file:
            status = os.fstat(fd)
            if status.st_uid == os.geteuid() and not status.st_mode & 0o022:
                return file.read()
    raise StorageError(
        _("{path} is not yours alone").format(path=path),
        hint=_("Remove the file, or make yourself its owner and run: chmod 600 on it"),
    )


def write_private(path: Path, content: bytes) -> None:
    """Replace the file as a whole, in a folder that is made when it is missing. Raises `StorageError`."""
    with storage_errors(path):
        make_private_folder(path.parent)
        write_durably(path, content)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the right to read, change and write `path` against other processes. Raises `StorageError`."""
    from filelock import FileLock, Timeout

    with storage_errors(path):
        make_private_folder(path.parent)
    try:
        lock = FileLock(path.with_name(path.name + ".lock"), mode=0o600)
        with lock.acquire(LOCK_TIMEOUT_SECONDS, poll_interval=_LOCK_POLL_SECONDS):
            yield
    except Timeout as error:
        raise StorageError(_("another chatcli keeps {path} locked").format(path=path)) from error
