"""Where sessions lie: `<home>/sessions/<id>/{journal.jsonl, archive/, checkpoints/}`, and what is known of
project folders.

Names that begin with a dot are sessions being made or being dropped: none yet, or none any more.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from chatcli.session.files import make_private_folder, storage_errors, sync_folder, try_lock

JOURNAL = "journal.jsonl"
ARCHIVE = "archive"
CHECKPOINTS = "checkpoints"
# Making a session takes milliseconds, copying one perhaps minutes.
_UNFINISHED_SECONDS = 3_600


def new_session_id() -> str:
    """Sorts by time (UTC) and is short enough to type: `20261130-0912-ab12cd`."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M}-{os.urandom(3).hex()}"


def record_folder(home: Path, folder: Path) -> Path:
    """Where the home keeps what is known about one project folder."""
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    return home / "projects" / name


def session_folder(home: Path, session_id: str) -> Path:
    return home / "sessions" / session_id


def session_folders(home: Path) -> list[Path]:
    """The folders of all sessions, by id."""
    return sorted(f for f in (home / "sessions").glob("[!.]*") if f.is_dir())


@contextmanager
def put_together(home: Path, session_id: str) -> Iterator[Path]:
    """A folder to fill, which becomes the session when the block ends well. Raises `StorageError`."""
    folder = home / "sessions" / f".new-{session_id}"
    with storage_errors(folder):
        make_private_folder(folder / ARCHIVE)
        make_private_folder(folder / CHECKPOINTS)
        try:
            yield folder
            sync_folder(folder)
            folder.rename(session_folder(home, session_id))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        sync_folder(home / "sessions")


def drop(folder: Path) -> None:
    """Remove a session as a whole: killed in the middle, it is gone all the same. Raises `OSError`.

    Only for whoever has it open.
    """
    hidden = folder.with_name(f".dropped-{folder.name}")
    folder.rename(hidden)
    shutil.rmtree(hidden, ignore_errors=True)


def drop_unless_open(folder: Path) -> bool:
    """Remove a session that no process has open, under its lock: nobody resumes it meanwhile.

    False when it is open. Raises `OSError`.
    """
    with ExitStack() as stack:
        if (folder / JOURNAL).exists():
            journal = stack.enter_context((folder / JOURNAL).open("rb"))
            if not try_lock(journal.fileno()):
                return False
        drop(folder)
    return True


def remove_leftovers(home: Path) -> None:
    """Remove what killed processes left half made or half dropped."""
    for folder in (home / "sessions").glob(".dropped-*"):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in (home / "sessions").glob(".new-*"):
        if time.time() - folder.stat().st_mtime > _UNFINISHED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
