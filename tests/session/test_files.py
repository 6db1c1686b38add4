"""Private files: whole or not at all, for the user alone, and on the disk itself."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from pathlib import Path

import pytest

from chatcli.errors import StorageError
from chatcli.session.files import read_private, sync_data, sync_file, write_private

FULL_SYNC = 51


@pytest.fixture
def mac(monkeypatch) -> list[int]:
    """As on macOS: no fdatasync, and a call that empties the cache of the drive. What was asked of it."""
    asked: list[int] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delattr(os, "fdatasync")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", FULL_SYNC, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda _fd, command: asked.append(command) or 0)
    return asked


def test_on_macos_the_cache_of_the_drive_is_emptied_too(mac: list[int], tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        sync_data(file.fileno())
        sync_file(file.fileno())
    assert mac == [FULL_SYNC, FULL_SYNC]


def test_a_file_system_that_cannot_do_that_gets_the_usual_call(mac, tmp_path: Path, monkeypatch) -> None:
    def refuse(_fd: int, _command: int) -> int:
        raise OSError(errno.ENOTSUP, "not supported")

    synced: list[int] = []
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    monkeypatch.setattr(os, "fsync", synced.append)
    with (tmp_path / "file").open("wb") as file:
        sync_data(file.fileno())
        assert synced == [file.fileno()]


def test_a_private_file_is_written_with_its_folders_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "home" / "projects" / "x"
    write_private(path, b"one")
    write_private(path, b"two")
    assert read_private(path) == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]
    assert read_private(path.with_name("none")) is None


def test_a_file_that_others_may_change_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_private(path, b"one")
    path.chmod(0o620)
    with pytest.raises(StorageError, match="not yours alone"):
        read_private(path)
    path.unlink()
    path.symlink_to("/etc/hosts")
    with pytest.raises(StorageError, match="Cannot use"):
        read_private(path)
