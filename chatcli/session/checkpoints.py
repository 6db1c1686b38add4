"""What files held before a turn changed them, kept outside the project, for `/undo`.

Each turn that writes has a folder: the previous contents under their SHA-256, and an index that is
replaced as a whole before the file itself is written. What an undo does is decided by what a file
holds now, so that one that was killed in the middle is simply done again.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from chatcli.errors import StorageError
from chatcli.i18n import _
from chatcli.session.files import make_private_folder, storage_errors, write_durably

_INDEX = "index.json"
_NO_FILE = ""


class _Copy(Struct, frozen=True, kw_only=True):
    path: str
    before: str
    """SHA-256 of the previous content, or `_NO_FILE`."""
    mode: int
    written: tuple[str, ...]
    """SHA-256 of each content that the turn gave it, the last one perhaps never written."""
    new_folders: tuple[str, ...]
    """Folders that did not exist either, the innermost first."""


class _Index(Struct, frozen=True, kw_only=True):
    copies: tuple[_Copy, ...] = ()
    undone: bool = False
    """What is still listed was left alone by an undo."""


class LeftAlone(Struct, frozen=True):
    """A file that an undo did not put back, and why, for a person."""

    path: Path
    reason: str


class Undo(Struct, frozen=True, kw_only=True):
    """What one undo did. `turn` is the number given to `before_write`."""

    turn: int
    restored: tuple[Path, ...]
    removed: tuple[Path, ...]
    left: tuple[LeftAlone, ...]


class Checkpoints:
    """The copies of one session, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def before_write(self, turn: int, path: Path, *, content: bytes | None, mode: int, after: bytes) -> None:
        """Keep what the resolved `path` holds (None: no file) before a turn writes `after` to it.

        When the turn wrote it before, the first content stays. Raises `StorageError`: then the file
        must not be written.
        """
        folder = self._folder / str(turn)
        before = _NO_FILE if content is None else _digest(content)
        with storage_errors(folder):
            make_private_folder(folder)
            copies = {copy.path: copy for copy in self._read(turn).copies}
            known = copies.get(str(path))
            if known is None:
                if content is not None:
                    write_durably(folder / before, content)
                copies[str(path)] = _Copy(
                    path=str(path),
                    before=before,
                    mode=stat.S_IMODE(mode),
                    written=(_digest(after),),
                    new_folders=tuple(str(parent) for parent in path.parents if not parent.exists()),
                )
            elif before in (known.before, *known.written):
                copies[known.path] = structs.replace(known, written=(*known.written, _digest(after)))
            # Otherwise somebody else changed it between two writes of this turn. That is not ours to
            # take back: the unlisted digest makes an undo leave the file alone.
            self._write(turn, _Index(copies=tuple(copies.values())))

    def undo(self, *, force: bool = False) -> Undo | None:
        """Put back the files of the last turn that wrote; None when there is none.

        A file that somebody else changed since is left alone. Called again, this goes on with the
        turn before; with `force` it first puts back what the last undo left alone, whatever the
        files hold now.
        """
        indexes = {turn: self._read(turn) for turn in self._turns()}
        last = max((turn for turn, index in indexes.items() if index.copies and not index.undone), default=0)
        left = [turn for turn, index in indexes.items() if index.undone and turn > last]
        turn = min(left) if force and left else last
        return self._undo(turn, indexes[turn], force=force) if turn else None

    def _undo(self, turn: int, index: _Index, *, force: bool) -> Undo:
        restored: list[Path] = []
        removed: list[Path] = []
        left: list[tuple[_Copy, str]] = []
        for copy in index.copies:
            path = Path(copy.path)
            try:
                now = _digest_of(path)
                if now == copy.before:
                    continue
                if reason := _why_not(copy, path, now, force=force):
                    left.append((copy, reason))
                elif copy.before == _NO_FILE:
                    _remove(copy, path)
                    removed.append(path)
                else:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    content = (self._folder / str(turn) / copy.before).read_bytes()
                    write_durably(path, content, mode=copy.mode)
                    restored.append(path)
            except OSError as error:
                left.append((copy, str(error.strerror or error)))
        with storage_errors(self._folder):
            if left:
                self._write(turn, _Index(copies=tuple(copy for copy, _reason in left), undone=True))
            else:
                shutil.rmtree(self._folder / str(turn))
        return Undo(
            turn=turn,
            restored=tuple(restored),
            removed=tuple(removed),
            left=tuple(LeftAlone(Path(copy.path), reason) for copy, reason in left),
        )

    def _turns(self) -> list[int]:
        with storage_errors(self._folder):
            return [int(found.name) for found in self._folder.iterdir() if found.name.isdecimal()]

    def _read(self, turn: int) -> _Index:
        path = self._folder / str(turn) / _INDEX
        with storage_errors(path):
            try:
                return msgspec.json.decode(path.read_bytes(), type=_Index)
            except FileNotFoundError:
                return _Index()
            except msgspec.DecodeError as error:
                raise StorageError(_("{path} cannot be read.").format(path=path)) from error

    def _write(self, turn: int, index: _Index) -> None:
        write_durably(self._folder / str(turn) / _INDEX, msgspec.json.encode(index))


def _why_not(copy: _Copy, path: Path, now: str | None, *, force: bool) -> str:
    """Why a file must be left alone; empty when it may be put back."""
    if path.parent.resolve() != path.parent:
        return _("its folder is a link now")
    if now is None:
        return _("it is no longer a file")
    if now not in copy.written and not force:
        return _("it was changed since") if now else _("it was removed since")
    return ""


def _remove(copy: _Copy, path: Path) -> None:
    path.unlink()
    with suppress(OSError):  # a folder that holds something else by now stays
        for folder in copy.new_folders:
            Path(folder).rmdir()


def _digest_of(path: Path) -> str | None:
    """Digest of what a file holds now, `_NO_FILE` without one, None for a link, folder or device."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return _NO_FILE
    return _digest(path.read_bytes()) if stat.S_ISREG(mode) else None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
