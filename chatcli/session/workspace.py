"""The workspace: a session's folder in `$TMPDIR`, for children's scratch files and whole results.

`$TMPDIR` may be shared with an attacker, so that nothing found there is trusted before its owner and
mode were checked. The file `owner` is locked for as long as the session lives: what carries no lock
belongs to a dead process.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from chatcli.errors import StorageError
from chatcli.i18n import _
from chatcli.messages import Archived
from chatcli.session.archive import Archive
from chatcli.session.files import FileIdentity, identity_of, lock_file, storage_errors, try_lock

logger = logging.getLogger(__name__)

PREFIX = "chatcli-agent-"
_OWNER = "owner"
_KEPT = "kept"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_CALL_ID_CHARS = 64
# A folder without an owner is being made, or its maker was killed in that instant.
_UNOWNED_SECONDS = 600
# A reaper may remove the folder between its making and its locking.
_CLAIM_ATTEMPTS = 3


class _Written(Struct, frozen=True):
    """A file of this process, as it was when it was written."""

    original: Archived
    identity: FileIdentity | None


class Workspace:
    """`root` holds `scratch` (for the model and its commands) and `tool_results` (to be read only)."""

    def __init__(self, root: Path, lock: int) -> None:
        self.root = root
        self.scratch = root / "scratch"
        self.tool_results = root / "tool-results"
        self._lock = lock
        self._pid = os.getpid()
        self._disturbances = 0
        self._seen_stamp = 0
        self._written: dict[Path, _Written] = {}
        atexit.register(self.remove)

    @classmethod
    def create(cls, tmp: Path, name: str | None = None) -> Workspace:
        """Make `tmp`/`name`, or take over what a dead process of ours left there.

        Without a name a random one is drawn. Raises `StorageError` when nothing can be written there,
        or when the named folder is somebody else's, in use, or open to others.
        """
        with storage_errors(tmp):
            root = tmp.resolve(strict=True) / (name or PREFIX + os.urandom(8).hex())
            workspace = cls(root, _claim(root))
            _make_real_folder(workspace.scratch)
            if not workspace.tool_results.is_symlink():
                _remove_tree(workspace.tool_results)  # nobody knows what became of its files
            _make_real_folder(workspace.tool_results)
            workspace._seen_stamp = workspace._stamp
            (root / _KEPT).unlink(missing_ok=True)
        return workspace

    def environment(self) -> dict[str, str]:
        """Variables for the children of this session."""
        return {"CHATCLI_AGENT_TMPDIR": str(self.scratch)}

    def expose(self, call_id: str, original: Archived, archive: Archive, kind: str = "budget") -> Path | None:
        """The path at which the model can read an original, copied there once, read-only.

        What anything touched since, or another process wrote, is written again. None when that cannot be:
        then no marker may name it.
        """
        path = self.tool_results / file_name(call_id, original, kind)
        written = self._written.get(path)
        if written and written.identity == _identity(path):
            return path
        return self._copy(original, archive, path)

    def mend(self, archive: Archive) -> None:
        """Write again what a command changed: the files are its user's own, whatever their mode."""
        for path, written in tuple(self._written.items()):
            if written.identity != _identity(path):
                self._copy(written.original, archive, path)

    def conceal(self, sha256: str) -> None:
        """Remove what `expose` wrote of an original, for whichever call. Raises `StorageError`."""
        with storage_errors(self.tool_results), self._own_change():
            for path in self.tool_results.glob(_file_name("*", "*", sha256)):
                path.unlink(missing_ok=True)
                self._written.pop(path, None)

    def disturbances(self) -> int:
        """How often it was found that somebody else had removed or added files of results.

        Folders that are gone are made again; `expose` writes again what is missing.
        """
        if self._stamp != self._seen_stamp:
            self._restore()
            self._disturbances, self._seen_stamp = self._disturbances + 1, self._stamp
        return self._disturbances

    @property
    def _stamp(self) -> int:
        """Another one whenever a file of a result came or went; 0 without a folder."""
        try:
            return self.tool_results.stat().st_mtime_ns
        except OSError:
            return 0

    @contextmanager
    def _own_change(self) -> Iterator[None]:
        known = self.disturbances()
        try:
            yield
        finally:
            self._disturbances, self._seen_stamp = known, self._stamp

    def _copy(self, original: Archived, archive: Archive, path: Path) -> Path | None:
        partial = self.root / f"partial-{os.urandom(8).hex()}"
        try:
            with self._own_change():
                fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o400)
                with os.fdopen(fd, "wb") as target, archive.open(original) as source:
                    shutil.copyfileobj(source, target, 1 << 20)
                partial.replace(path)
                self._written[path] = _Written(original, _identity(path))
        except (OSError, StorageError) as error:
            logger.warning("cannot write %s: %s", path, error)
            for left in (partial, path):  # what stands there is not the original
                with suppress(OSError):
                    left.unlink(missing_ok=True)
            return None
        return path

    def _restore(self) -> None:
        """Make again the folders that a cleaner of `$TMPDIR` removed."""
        try:
            if not self.root.is_dir():
                lock = _claim(self.root)
                os.close(self._lock)
                self._lock = lock
            for folder in (self.scratch, self.tool_results):
                _make_real_folder(folder)
        except (OSError, StorageError) as error:
            logger.warning("cannot make %s again: %s", self.root, error)

    def remove(self, keep: bool = False) -> None:
        """Remove the folder, or leave it for the user. Also runs at exit; again does nothing."""
        if self._lock < 0 or os.getpid() != self._pid:
            return
        atexit.unregister(self.remove)
        try:
            if keep:
                (self.root / _KEPT).touch(mode=0o600)
            else:
                _remove_tree(self.root)
        except OSError as error:
            logger.warning("cannot remove %s: %s", self.root, error)
        finally:
            os.close(self._lock)
            self._lock = -1


def _identity(path: Path) -> FileIdentity | None:
    """None for what is not there."""
    try:
        return identity_of(path.lstat())
    except OSError:
        return None


def file_name(call_id: str, original: Archived, kind: str = "budget") -> str:
    """Depends on the call and the content alone, so that a marker never changes its bytes."""
    return _file_name(kind, _UNSAFE.sub("_", call_id)[:_CALL_ID_CHARS], original.sha256)


def _file_name(kind: str, call: str, sha256: str) -> str:
    return f"{kind}_{call}_{sha256[:8]}.txt"


def reap_stale(tmp: Path) -> list[Path]:
    """Remove the workspaces of dead processes; returns them. Other users' folders are not touched."""
    removed = []
    for root in tmp.glob(f"{PREFIX}*"):
        try:
            if _reap(root):
                removed.append(root)
        except OSError as error:
            logger.warning("cannot reap %s: %s", root, error)
    return removed


def _reap(root: Path) -> bool:
    if not _is_ours(root) or (root / _KEPT).exists():
        return False
    try:
        lock = os.open(root / _OWNER, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        if time.time() - root.stat().st_mtime < _UNOWNED_SECONDS:
            return False
        _remove_tree(root)
        return True
    try:
        if not try_lock(lock):
            return False
        _remove_tree(root)
        return True
    finally:
        os.close(lock)


def _claim(root: Path) -> int:
    """Make and lock a folder that is ours and private. Raises `StorageError`, `OSError`."""
    for _attempt in range(_CLAIM_ATTEMPTS):
        with suppress(FileExistsError):
            root.mkdir(mode=0o700)
        with suppress(FileNotFoundError):
            if not _is_ours(root):
                break
            lock = os.open(root / _OWNER, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            if lock_file(lock, root / _OWNER):
                os.ftruncate(lock, 0)
                os.write(lock, f"{os.getpid()}\n".encode())
                return lock
            os.close(lock)
            if root.exists():
                break
    raise StorageError(_("{path} is used by somebody else.").format(path=root))


def _is_ours(root: Path) -> bool:
    found = root.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _make_real_folder(path: Path) -> None:
    """A folder and no link: a command of the session that ended may have left anything here."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        if not stat.S_ISDIR(path.lstat().st_mode):
            path.unlink()
            path.mkdir(mode=0o700)


def _remove_tree(root: Path) -> None:
    """Remove a folder with whatever commands left in it, folders without permissions included."""
    shutil.rmtree(root, ignore_errors=True)
    if not root.exists():
        return
    root.chmod(0o700)
    for folder, names, _files in os.walk(root):
        for child in (Path(folder, name) for name in names):
            if not child.is_symlink():
                child.chmod(0o700)
    shutil.rmtree(root, onerror=lambda _call, path, why: logger.warning("cannot remove %s: %s", path, why[1]))
