"""Which project folders may bring settings, rules, hooks and servers of their own.

Trust binds to the resolved folder *and* to the content of its executable configuration: what a pull
changes there is not trusted until the user has been asked again. It does not spread to folders below,
and nothing that git says about a folder counts. Instructions such as AGENTS.md are read only in a trusted
folder, but their text may change: they execute nothing.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from chatcli.errors import StorageError
from chatcli.i18n import _
from chatcli.session.files import read_private, write_private
from chatcli.session.layout import record_folder

TrustState = Literal["trusted", "changed", "unknown"]

EXECUTABLE_CONFIG = (".chatcli", ".mcp.json")
_MAX_CONFIG_FILES = 1_000
_MAX_CONFIG_BYTES = 10_000_000


class _Record(Struct, frozen=True):
    folder: str
    digest: str


class Trust:
    """What the user said about project folders, kept below `home`."""

    def __init__(self, home: Path) -> None:
        self._home = home.resolve()

    def state(self, folder: Path) -> TrustState:
        """`changed`: trusted once, but the configuration is not the one that was trusted."""
        record = self._record(folder)
        if record is None or record.folder != str(folder.resolve()):
            return "unknown"
        try:
            return "trusted" if self.digest(folder) == record.digest else "changed"
        except StorageError:
            return "changed"

    def is_trusted(self, folder: Path) -> bool:
        return self.state(folder) == "trusted"

    def trust(self, folder: Path, digest: str = "") -> None:
        """Trust the folder as it is now; with the `digest` that the user was shown, only if it still holds.

        Raises `StorageError`.
        """
        current = self.digest(folder)
        if digest and digest != current:
            raise StorageError(_("the configuration of {folder} changed meanwhile").format(folder=folder))
        record = _Record(str(folder.resolve()), current)
        write_private(self._path(folder), msgspec.json.encode(record))

    def untrust(self, folder: Path) -> bool:
        """Whether the folder had been trusted."""
        path = self._path(folder)
        existed = path.exists()
        path.unlink(missing_ok=True)
        return existed

    def folders(self) -> tuple[Path, ...]:
        """Every folder that was trusted at some time and not revoked, sorted."""
        records = (_read(path) for path in (self._home / "projects").glob("*/trust.json"))
        return tuple(sorted(Path(record.folder) for record in records if record))

    def config_files(self, folder: Path) -> tuple[Path, ...]:
        """What would take effect. Raises `StorageError` for links and for more than is sane."""
        return tuple(_walk(folder.resolve(), self._home))

    def digest(self, folder: Path) -> str:
        """SHA-256 over names and contents of the executable configuration. Raises `StorageError`."""
        root = folder.resolve()
        digest = hashlib.sha256()
        size_bytes = 0
        for path in _walk(root, self._home):
            try:
                content = path.read_bytes()
            except OSError as error:
                raise StorageError(f"{path}: {error.strerror}") from error
            size_bytes += len(content)
            if size_bytes > _MAX_CONFIG_BYTES:
                raise StorageError(_("the configuration of {folder} is too large").format(folder=root))
            for part in (str(path.relative_to(root)).encode(errors="surrogateescape"), content):
                digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()

    def _record(self, folder: Path) -> _Record | None:
        return _read(self._path(folder))

    def _path(self, folder: Path) -> Path:
        return record_folder(self._home, folder) / "trust.json"


def _read(path: Path) -> _Record | None:
    """A record that is broken, or that others may have written, is none."""
    try:
        content = read_private(path)
        return msgspec.json.decode(content, type=_Record) if content else None
    except (StorageError, msgspec.DecodeError):
        return None


def _walk(root: Path, home: Path) -> Iterator[Path]:
    """Plain files of the configuration, sorted. The home of chatcli is not part of a project."""
    pending = [root / name for name in reversed(EXECUTABLE_CONFIG)]
    count = 0
    while pending:
        path = pending.pop()
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StorageError(f"{path}: {error.strerror}") from error
        if path == home:
            continue
        if stat.S_ISDIR(mode):
            pending.extend(sorted(path.iterdir(), reverse=True))
            continue
        if not stat.S_ISREG(mode):
            raise StorageError(
                _("{path} is not a plain file").format(path=path),
                hint=_("Settings of a project must be plain files: what a link leads to cannot be trusted."),
            )
        count += 1
        if count > _MAX_CONFIG_FILES:
            raise StorageError(_("the configuration of {folder} is too large").format(folder=root))
        yield path
