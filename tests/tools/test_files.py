"""Files are opened and replaced only where the path says."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from chatcli.tools.files import open_regular, replace_file


def test_a_regular_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    with open_regular(tmp_path / "a") as file:
        assert file.read() == b"text"


def test_a_link_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        open_regular(tmp_path / "link")


def test_a_path_through_a_link_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_bytes(b"text")
    (tmp_path / "link").symlink_to("folder")
    with pytest.raises(OSError, match="elsewhere"):
        open_regular(tmp_path / "link" / "a")


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(tmp_path / "pipe")


def test_a_device_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(Path("/dev/null"))
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)


def test_a_refusal_leaves_no_descriptor_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_folder_swapped_for_a_link_never_leads_outside(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "a").write_text(folder.name)
    (tmp_path / "link").symlink_to("outside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (tmp_path / "inside").rename(tmp_path / "aside")
            (tmp_path / "link").rename(tmp_path / "inside")
            (tmp_path / "inside").rename(tmp_path / "link")
            (tmp_path / "aside").rename(tmp_path / "inside")

    swapping = threading.Thread(target=swap)
    swapping.start()
    found = set()
    for _ in range(3_000):
        try:
            with open_regular(inside / "a") as file:
                found.add(file.read())
        except OSError:
            continue
    stop.set()
    swapping.join()
    assert found <= {b"inside"}


def test_a_file_is_replaced_with_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    replace_file(path, b"new", 0o751)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o7777 == 0o751
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_link_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(OSError, match="not a regular file"):
        replace_file(tmp_path / "link", b"new", 0o644)
    assert (tmp_path / "a").read_bytes() == b"text"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, b"new", 0o644)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.chown(path, 1234, 1234)
    replace_file(path, b"new", 0o644)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1234)


def test_a_long_name_still_fits_its_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / ("界" * 84)
    replace_file(path, b"new", 0o644)
    assert path.read_bytes() == b"new"
