"""The archive: the original bytes of every tool result, stored once, under their SHA-256.

An original is on disk, file and name, before `put` or `finish` returns: only then may the journal
name it. Originals are never changed.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import OrderedDict
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from chatcli.errors import DamagedOriginal, StorageError
from chatcli.i18n import _
from chatcli.messages import Archived
from chatcli.session.files import FileIdentity, identity_of, make_private_folder, storage_errors, sync_folder
from chatcli.session.measure import KEY_DIGITS, to_utf8
from chatcli.session.sink import SPOOL_PREFIX, Sink

END_BYTES = 64_000_000
_CACHED_TEXTS = 16
_CACHED_TEXT_CHARS = 1_000_000
_KEY = re.compile(f"[0-9a-f]{{{KEY_DIGITS},64}}")


class Archive:
    """The originals of one session.

    `quota_bytes` limits all of them together; past it a result that is longer than twice `end_bytes`
    keeps only its two ends. Safe to use from several threads.
    """

    def __init__(self, folder: Path, quota_bytes: int, *, end_bytes: int = END_BYTES) -> None:
        self.folder = folder
        self._quota_bytes = quota_bytes
        self._end_bytes = end_bytes
        self._lock = Lock()
        self._used_bytes = 0
        self._sizes: dict[str, int] | None = None
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._checked: dict[str, FileIdentity] = {}
        """Files as they were when their bytes were known to be the right ones."""

    def put(self, data: bytes) -> Archived:
        """Store bytes and wait until they are on disk. Raises `StorageError`."""
        sink = self.sink()
        sink.write(data)
        return sink.finish()

    def put_text(self, text: str) -> Archived:
        """Store a text, whatever is in it, as UTF-8."""
        return self.put(to_utf8(text))

    def sink(self) -> Sink:
        """Store a stream of unknown length. Raises `StorageError`."""
        return Sink(
            self.folder,
            end_bytes=self._end_bytes,
            room_bytes=lambda: self._quota_bytes - self.used_bytes,
            on_stored=self._remember,
        )

    @property
    def used_bytes(self) -> int:
        with self._lock:
            self._known()
            return self._used_bytes

    def has(self, key: str) -> bool:
        return self._find(key) is not None

    def holds(self, original: Archived) -> bool:
        """Whether it is there, as long as it was stored."""
        with self._lock:
            return self._known().get(original.sha256) == original.size_bytes

    def resolve(self, key: str) -> str:
        """The full SHA-256 of a key (its first 16 hex digits or more). Raises `StorageError`."""
        if (sha256 := self._find(key)) is None:
            raise StorageError(_("Nothing is stored under {key}.").format(key=key[:64]))
        return sha256

    def open(self, original: Archived | str) -> BinaryIO:
        """The stored bytes, to read in pieces, from an `Archived` or a key.

        All are checked first, unless they were since anything touched the file.

        Raises `StorageError`, a `DamagedOriginal` when they are not what was stored.
        """
        sha256, file = self._sha256(original), self.open_unchecked(original)
        identity = identity_of(os.fstat(file.fileno()))
        if self._checked.get(sha256) == identity:
            return file
        with storage_errors(self.folder / sha256):
            found = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
        if found != sha256:
            file.close()
            raise self._damaged(sha256)
        self._checked[sha256] = identity
        return file

    def open_unchecked(self, original: Archived | str) -> BufferedReader:
        """The same for who needs little of a huge one: of an `Archived`, the length alone is checked."""
        sha256 = self._sha256(original)
        path = self.folder / sha256
        with storage_errors(path):
            file = path.open("rb")
        if isinstance(original, Archived) and os.fstat(file.fileno()).st_size != original.size_bytes:
            file.close()
            raise self._damaged(sha256)
        return file

    def text(self, original: Archived | str) -> str:
        """The stored bytes as text; invalid UTF-8 is replaced. Raises as `open` does.

        Loads all of it: read a huge one in pieces, with `open`.
        """
        sha256 = self._sha256(original)
        with self._lock:
            if (text := self._texts.get(sha256)) is not None:
                self._texts.move_to_end(sha256)
                return text
        with self.open(original) as file:
            text = file.read().decode("utf-8", "replace")
        if len(text) <= _CACHED_TEXT_CHARS:
            with self._lock:
                self._texts[sha256] = text
                while len(self._texts) > _CACHED_TEXTS:
                    self._texts.popitem(last=False)
        return text

    def remove(self, sha256: str) -> None:
        """Remove one original for good; what is not there is removed already. Raises `StorageError`."""
        with self._lock, storage_errors(self.folder):
            (self.folder / sha256).unlink(missing_ok=True)
            sync_folder(self.folder)
            size_bytes = self._known().pop(sha256, 0)
            self._used_bytes -= size_bytes
            self._texts.pop(sha256, None)

    def make_folder(self) -> None:
        """Make the folder anew when somebody removed it, with all originals. Raises `StorageError`."""
        with storage_errors(self.folder):
            make_private_folder(self.folder)

    def remove_unfinished(self) -> None:
        """Remove what sinks of a killed process left. Only the session's writer may do so."""
        with storage_errors(self.folder):
            for path in self.folder.glob(f"{SPOOL_PREFIX}*"):
                path.unlink(missing_ok=True)

    def _sha256(self, original: Archived | str) -> str:
        return original.sha256 if isinstance(original, Archived) else self.resolve(original)

    def _damaged(self, sha256: str) -> DamagedOriginal:
        path = self.folder / sha256
        return DamagedOriginal(_("{path} is damaged: it is not what was stored there.").format(path=path))

    def _find(self, key: str) -> str | None:
        if not _KEY.fullmatch(key):
            return None
        with self._lock:
            matches = [sha256 for sha256 in self._known() if sha256.startswith(key)]
        return matches[0] if len(matches) == 1 else None

    def _remember(self, archived: Archived) -> None:
        with self._lock:
            sizes = self._known()
            self._used_bytes += archived.size_bytes - sizes.get(archived.sha256, 0)
            sizes[archived.sha256] = archived.size_bytes
            with suppress(OSError):  # gone again: the next who opens it is told
                self._checked[archived.sha256] = identity_of((self.folder / archived.sha256).stat())

    def _known(self) -> dict[str, int]:
        """Sizes by SHA-256, read from the folder once: only this archive adds to it."""
        if self._sizes is None:
            with storage_errors(self.folder), os.scandir(self.folder) as found:
                self._sizes = {e.name: e.stat().st_size for e in found if not e.name.startswith(".")}
            self._used_bytes = sum(self._sizes.values())
        return self._sizes
