from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from chatcli.errors import StorageError
from chatcli.session.archive import Archive
from chatcli.session.workspace import Workspace, file_name, reap_stale

LEAVE_ONE = """
import os, sys
from pathlib import Path
from chatcli.session.workspace import Workspace
workspace = Workspace.create(Path(sys.argv[1]))
(workspace.scratch / "left").write_text("x")
print(workspace.root.name, flush=True)
if sys.argv[2] == "kill":
    os.kill(os.getpid(), 9)
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def other_process(tmp: Path, end: str) -> str:
    """Make a workspace in another process; its name."""
    done = subprocess.run(
        [sys.executable, "-c", LEAVE_ONE, str(tmp), end], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    folder = tmp_path / "archive"
    folder.mkdir()
    return Archive(folder, 1_000_000)


def test_it_is_private_and_told_to_children(tmp: Path) -> None:
    workspace = Workspace.create(tmp)
    assert [mode(path) for path in (workspace.root, workspace.scratch, workspace.tool_results)] == [0o700] * 3
    assert workspace.root.name.startswith("chatcli-agent-")
    assert workspace.environment() == {"CHATCLI_AGENT_TMPDIR": str(workspace.scratch)}
    workspace.remove()


def test_removing_it_takes_everything_along_and_may_be_repeated(tmp: Path) -> None:
    workspace = Workspace.create(tmp)
    locked = workspace.scratch / "module" / "cache"
    locked.mkdir(parents=True)
    (locked / "file").write_text("x")
    (workspace.scratch / "link").symlink_to("/nowhere")
    locked.chmod(0)
    locked.parent.chmod(0o500)
    workspace.remove()
    workspace.remove()
    assert list(tmp.iterdir()) == []


def test_links_in_it_are_removed_and_not_followed(tmp: Path, project: Path) -> None:
    (project / "file").write_text("x")
    workspace = Workspace.create(tmp)
    (workspace.scratch / "link").symlink_to(project)
    workspace.remove()
    assert (project / "file").exists()


def test_it_is_removed_when_the_process_forgets_to(tmp: Path) -> None:
    assert other_process(tmp, "leave")
    assert list(tmp.iterdir()) == []


def test_a_forked_child_does_not_remove_it(tmp: Path) -> None:
    workspace = Workspace.create(tmp)
    workspace._pid = os.getpid() + 1
    workspace.remove()
    assert workspace.root.exists()
    workspace._pid = os.getpid()
    workspace.remove()


def test_a_kept_one_survives_its_process_and_the_reaper(tmp: Path) -> None:
    workspace = Workspace.create(tmp)
    workspace.remove(keep=True)
    assert reap_stale(tmp) == []
    assert workspace.scratch.is_dir()


def test_the_workspace_of_a_killed_process_is_taken_over_by_name(tmp: Path) -> None:
    name = other_process(tmp, "kill")
    workspace = Workspace.create(tmp, name)
    assert workspace.root == tmp / name
    assert (workspace.scratch / "left").exists()
    workspace.remove()


def test_the_workspace_of_a_killed_process_is_reaped(tmp: Path) -> None:
    name = other_process(tmp, "kill")
    assert reap_stale(tmp) == [tmp / name]
    assert list(tmp.iterdir()) == []


def test_live_and_strange_folders_are_not_reaped(tmp: Path, project: Path) -> None:
    workspace = Workspace.create(tmp)
    (tmp / "other").mkdir()
    (tmp / "chatcli-agent-link").symlink_to(project)
    (tmp / "chatcli-agent-file").touch()
    (tmp / "chatcli-agent-open").mkdir(mode=0o755)
    (tmp / "chatcli-agent-new").mkdir(mode=0o700)
    assert reap_stale(tmp) == []
    assert len(list(tmp.iterdir())) == 6
    workspace.remove()


def test_a_folder_whose_maker_died_at_once_is_reaped_later(tmp: Path) -> None:
    folder = tmp / "chatcli-agent-old"
    folder.mkdir(mode=0o700)
    os.utime(folder, (0, 0))
    assert reap_stale(tmp) == [folder]


def test_a_name_that_lives_is_taken(tmp: Path) -> None:
    workspace = Workspace.create(tmp)
    with pytest.raises(StorageError, match="somebody else"):
        Workspace.create(tmp, workspace.root.name)
    workspace.remove()


def test_a_name_that_became_a_link_or_is_open_to_others_is_taken(tmp: Path, project: Path) -> None:
    (tmp / "chatcli-agent-link").symlink_to(project)
    (tmp / "chatcli-agent-open").mkdir(mode=0o777)
    (tmp / "chatcli-agent-open").chmod(0o777)
    for name in ("chatcli-agent-link", "chatcli-agent-open"):
        with pytest.raises(StorageError, match="somebody else"):
            Workspace.create(tmp, name)
    assert list(project.iterdir()) == []


def test_a_name_that_somebody_else_took_is_taken(tmp: Path) -> None:
    folder = tmp / "chatcli-agent-squatted"
    folder.mkdir(mode=0o700)
    try:
        os.chown(folder, 12_345, 12_345)
    except PermissionError:
        pytest.skip("only root can give a folder away")
    with pytest.raises(StorageError, match="somebody else"):
        Workspace.create(tmp, folder.name)
    assert reap_stale(tmp) == []


def test_a_link_left_in_place_of_a_folder_is_replaced(tmp: Path, project: Path) -> None:
    name = other_process(tmp, "kill")
    (tmp / name / "tool-results").rmdir()
    (tmp / name / "tool-results").symlink_to(project)
    workspace = Workspace.create(tmp, name)
    assert not workspace.tool_results.is_symlink()
    workspace.remove()


def test_no_temporary_folder_is_one_clear_error(tmp: Path) -> None:
    with pytest.raises(StorageError, match="missing"):
        Workspace.create(tmp / "missing")


def test_an_original_is_exposed_once_and_read_only(tmp: Path, archive: Archive) -> None:
    workspace = Workspace.create(tmp)
    original = archive.put(b"\xffdata\n")
    path = workspace.expose("call_1", original, archive)
    assert path == workspace.tool_results / f"budget_call_1_{original.sha256[:8]}.txt"
    assert path.read_bytes() == b"\xffdata\n"
    assert mode(path) == 0o400
    made = path.stat().st_ino
    assert workspace.expose("call_1", original, archive) == path
    assert path.stat().st_ino == made
    path.unlink()
    assert workspace.expose("call_1", original, archive) == path
    assert path.exists()
    workspace.remove()


def test_the_path_is_the_same_after_a_crash(tmp: Path, archive: Archive) -> None:
    name = other_process(tmp, "kill")
    original = archive.put(b"data")
    paths = []
    for _time in range(2):
        workspace = Workspace.create(tmp, name)
        paths.append(workspace.expose("c", original, archive))
        workspace.remove()
    assert paths[0] == paths[1] == tmp / name / "tool-results" / file_name("c", original)


def change(path: Path) -> None:
    """As a command can: other bytes, as many as before, and the mode as it was."""
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"data", b"LIES"))
    path.chmod(0o400)


def test_a_file_that_a_command_changed_is_written_again(tmp: Path, archive: Archive) -> None:
    workspace = Workspace.create(tmp)
    original = archive.put(b"data")
    path = workspace.expose("c", original, archive)
    assert path is not None
    change(path)
    assert workspace.expose("c", original, archive) == path
    assert path.read_bytes() == b"data"
    change(path)
    workspace.mend(archive)
    assert (path.read_bytes(), mode(path)) == (b"data", 0o400)
    elsewhere = workspace.scratch / "lies"
    elsewhere.write_bytes(b"LIES")
    path.unlink()
    path.symlink_to(elsewhere)
    workspace.mend(archive)
    assert (path.read_bytes(), elsewhere.read_bytes()) == (b"data", b"LIES")
    workspace.remove()


def test_a_changed_file_whose_original_is_gone_is_removed(tmp: Path, archive: Archive) -> None:
    workspace = Workspace.create(tmp)
    original = archive.put(b"data")
    path = workspace.expose("c", original, archive)
    assert path is not None
    (archive.folder / original.sha256).unlink()
    workspace.mend(archive)
    assert path.read_bytes() == b"data", "nobody touched it"
    change(path)
    workspace.mend(archive)
    assert not path.exists()
    workspace.remove()


def test_what_was_deleted_is_not_written_again(tmp: Path, archive: Archive) -> None:
    workspace = Workspace.create(tmp)
    original = archive.put(b"data")
    path = workspace.expose("c", original, archive)
    assert path is not None
    workspace.conceal(original.sha256)
    workspace.mend(archive)
    assert not path.exists()
    workspace.remove()


def test_files_of_an_earlier_process_are_not_trusted(tmp: Path, archive: Archive) -> None:
    workspace = Workspace.create(tmp)
    path = workspace.expose("c", archive.put(b"data"), archive)
    assert path is not None
    change(path)
    workspace.remove(keep=True)
    again = Workspace.create(tmp, workspace.root.name)
    assert not path.exists()
    again.remove()


@pytest.mark.parametrize("call_id", ["../../etc/x", "a/b\\c", "web_fetch:0", "x" * 500, "é\n\0", ""])
def test_file_names_are_safe_whatever_the_call_id(tmp: Path, archive: Archive, call_id: str) -> None:
    workspace = Workspace.create(tmp)
    path = workspace.expose(call_id, archive.put(b"data"), archive)
    assert path is not None
    assert path.parent == workspace.tool_results
    assert path.read_bytes() == b"data"
    workspace.remove()


def test_a_full_disk_exposes_nothing(
    tmp: Path, archive: Archive, full_at: Callable[[int], AbstractContextManager[None]]
) -> None:
    workspace = Workspace.create(tmp)
    original = archive.put(b"x" * 5_000)
    with full_at(1_000):
        assert workspace.expose("c", original, archive) is None
    assert list(workspace.tool_results.iterdir()) == []
    assert {path.name for path in workspace.root.iterdir()} == {"owner", "scratch", "tool-results"}
    workspace.remove()


def test_an_original_that_is_gone_exposes_nothing(tmp: Path, archive: Archive) -> None:
    workspace = Workspace.create(tmp)
    original = archive.put(b"data")
    (archive.folder / original.sha256).unlink()
    assert workspace.expose("c", original, archive) is None
    workspace.remove()


def test_a_workspace_that_a_cleaner_removed_is_made_again(tmp: Path, archive: Archive) -> None:
    original = archive.put_text("one")
    workspace = Workspace.create(tmp)
    path = workspace.expose("c1", original, archive)
    assert path is not None
    shutil.rmtree(workspace.root)
    assert workspace.disturbances() == 1
    assert workspace.expose("c1", original, archive) == path
    assert path.read_text(encoding="utf-8") == "one"
    assert [mode(folder) for folder in (workspace.root, workspace.scratch)] == [0o700] * 2
    assert reap_stale(tmp) == []
    workspace.remove()
    assert not workspace.root.exists()


def test_files_that_somebody_removed_are_noticed_and_written_again(tmp: Path, archive: Archive) -> None:
    one, other = archive.put_text("one"), archive.put_text("other")
    workspace = Workspace.create(tmp)
    first = workspace.expose("c1", one, archive)
    assert first is not None
    assert workspace.disturbances() == 0
    os.utime(workspace.tool_results, (1, 1))  # clocks of file systems are coarse
    assert workspace.disturbances() == 1
    first.unlink()
    assert workspace.expose("c2", other, archive)
    assert workspace.disturbances() == workspace.disturbances() == 2
    assert workspace.expose("c1", one, archive) == first
    shutil.rmtree(workspace.tool_results)
    assert workspace.disturbances() == 3
    assert workspace.expose("c1", one, archive) == first
    assert first.read_text(encoding="utf-8") == "one"
    workspace.conceal(one.sha256)
    assert workspace.disturbances() == 3
    workspace.remove()
