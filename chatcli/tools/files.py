"""Opening and replacing files without being led elsewhere between the check and the use."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """Open a resolved path for reading: a regular file, never a link, a pipe or a device.

    Raises OSError (its subclass where there is one) when it is anything else, or when a folder of
    the path was replaced by a link meanwhile.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        _require_same_place(descriptor, path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def replace_file(path: Path, data: bytes, mode: int) -> None:
    """Give a file a whole new content, atomically and durably. The folder must exist.

    `mode` are the permission bits afterwards; the owner is kept where that is allowed. Raises
    OSError, and then the old file is untouched.
    """
    try:
        before = path.lstat()
    except FileNotFoundError:
        before = None
    if before and not stat.S_ISREG(before.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    temporary = path.with_name(f".chatcli-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if before:
                _keep_owner(file.fileno(), before)
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _require_same_place(descriptor: int, path: Path) -> None:
    """The descriptor must lie where the path says. Tells nothing where there is no /proc."""
    with suppress(FileNotFoundError):
        found = os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - a search does this 100,000 times
        if found != str(path):
            raise OSError(errno.ELOOP, "the path leads elsewhere by now", str(path))


def _keep_owner(descriptor: int, before: os.stat_result) -> None:
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (before.st_uid, before.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, before.st_uid, before.st_gid)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
