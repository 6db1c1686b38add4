"""A session copied under a new id, as far as it has got: the original may go on meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
from msgspec import structs

from chatcli.session import layout
from chatcli.session.entries import now
from chatcli.session.files import storage_errors, sync_folder, write_durably
from chatcli.session.journal import parse


def copy_session(home: Path, source_id: str, *, version: str) -> str:
    """Copy journal and archive; returns the new id. Raises `StorageError`.

    Entries keep their numbers, and those of a newer chatcli their bytes. Copies for undo stay with
    the original: they are about files, which exist only once.
    """
    source = layout.session_folder(home, source_id)
    path = source / layout.JOURNAL
    new_id = layout.new_session_id()
    with storage_errors(path):
        data = path.read_bytes()
    recorded = parse(data, path)
    opened = structs.replace(
        recorded.opened(path), session_id=new_id, at=now(), version=version, parent=source_id
    )
    rest = data[: recorded.size_bytes].partition(b"\n")[2]
    with layout.put_together(home, new_id) as folder:
        # What the journal names was archived before: it is all there by now.
        for original in (source / layout.ARCHIVE).glob("[!.]*"):
            _link(original, folder / layout.ARCHIVE / original.name)
        sync_folder(folder / layout.ARCHIVE)
        write_durably(folder / layout.JOURNAL, msgspec.json.encode(opened) + b"\n" + rest)
    return new_id


def _link(original: Path, copy: Path) -> None:
    """Originals never change, so that both sessions may share them."""
    try:
        copy.hardlink_to(original)
    except OSError:
        shutil.copyfile(original, copy)
        copy.chmod(0o600)
