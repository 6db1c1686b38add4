from __future__ import annotations

import stat
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from chatcli.errors import StorageError
from chatcli.session.checkpoints import Checkpoints


class Agent:
    """Writes files as a turn does: a copy first, then the file."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.checkpoints = Checkpoints(folder)

    def write(self, turn: int, path: Path, after: str, *, killed: bool = False) -> None:
        content = path.read_bytes() if path.exists() else None
        mode = path.stat().st_mode if path.exists() else 0o644
        self.checkpoints.before_write(turn, path, content=content, mode=mode, after=after.encode())
        if not killed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(after)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path / "checkpoints")


def test_without_writes_there_is_nothing_to_undo(agent: Agent) -> None:
    assert agent.checkpoints.undo() is None


def test_all_files_of_the_last_turn_come_back(agent: Agent, project: Path) -> None:
    first, second = project / "a", project / "b"
    first.write_text("a1")
    second.write_bytes(b"\xff\r\n")
    agent.write(7, first, "a2")
    agent.write(7, second, "b2")
    done = agent.checkpoints.undo()
    assert done is not None
    assert (done.turn, done.restored, done.removed, done.left) == (7, (first, second), (), ())
    assert (first.read_text(), second.read_bytes()) == ("a1", b"\xff\r\n")


def test_created_files_and_folders_go(agent: Agent, project: Path) -> None:
    path = project / "new" / "deep" / "file"
    agent.write(1, path, "x")
    done = agent.checkpoints.undo()
    assert done is not None
    assert done.removed == (path,)
    assert list(project.iterdir()) == []


def test_a_created_folder_that_holds_more_by_now_stays(agent: Agent, project: Path) -> None:
    path = project / "new" / "file"
    agent.write(1, path, "x")
    (path.parent / "other").write_text("mine")
    agent.checkpoints.undo()
    assert [found.name for found in path.parent.iterdir()] == ["other"]


def test_mode_bits_come_back(agent: Agent, project: Path) -> None:
    path = project / "script"
    path.write_text("a")
    path.chmod(0o751)
    agent.write(1, path, "b")
    path.chmod(0o600)
    agent.checkpoints.undo()
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


def test_undo_goes_further_back_each_time(agent: Agent, project: Path) -> None:
    path = project / "a"
    path.write_text("0")
    for turn in (2, 9, 10):
        agent.write(turn, path, str(turn))
    for before in ("9", "2", "0"):
        assert agent.checkpoints.undo() is not None
        assert path.read_text() == before
    assert agent.checkpoints.undo() is None


def test_several_writes_of_a_turn_are_undone_as_one(agent: Agent, project: Path) -> None:
    path = project / "a"
    path.write_text("0")
    agent.write(1, path, "1")
    agent.write(1, path, "2")
    agent.checkpoints.undo()
    assert path.read_text() == "0"


def test_a_file_that_others_changed_is_left_alone_and_named(agent: Agent, project: Path) -> None:
    ours, theirs = project / "ours", project / "theirs"
    for path in (ours, theirs):
        path.write_text("0")
        agent.write(1, path, "1")
    theirs.write_text("by hand")
    done = agent.checkpoints.undo()
    assert done is not None
    assert done.restored == (ours,)
    assert [(left.path, left.reason) for left in done.left] == [(theirs, "it was changed since")]
    assert theirs.read_text() == "by hand"


def test_force_puts_back_what_the_last_undo_left_alone(agent: Agent, project: Path) -> None:
    path = project / "a"
    for turn in (1, 2):
        agent.write(turn, path, str(turn))
    path.write_text("by hand")
    agent.checkpoints.undo()
    done = agent.checkpoints.undo(force=True)
    assert done is not None
    assert (done.turn, path.read_text()) == (2, "1")


def test_undo_without_force_goes_on_past_what_was_left_alone(agent: Agent, project: Path) -> None:
    mine, other = project / "a", project / "b"
    agent.write(1, other, "1")
    agent.write(2, mine, "2")
    mine.write_text("by hand")
    assert agent.checkpoints.undo() is not None
    done = agent.checkpoints.undo()
    assert done is not None
    assert (done.turn, done.removed) == (1, (other,))


def test_a_new_turn_is_undone_before_what_was_left_alone(agent: Agent, project: Path) -> None:
    mine, other = project / "a", project / "b"
    agent.write(1, mine, "1")
    mine.write_text("by hand")
    agent.checkpoints.undo()
    agent.write(5, other, "5")
    done = agent.checkpoints.undo(force=True)
    assert done is not None
    assert (done.turn, done.removed) == (5, (other,))


def test_a_file_that_others_changed_between_two_writes_is_left_alone(agent: Agent, project: Path) -> None:
    path = project / "a"
    path.write_text("0")
    agent.write(1, path, "1")
    path.write_text("by hand")
    agent.write(1, path, "2")
    done = agent.checkpoints.undo()
    assert done is not None
    assert [left.path for left in done.left] == [path]
    assert path.read_text() == "2"


def test_a_file_that_others_removed_comes_back_only_by_force(agent: Agent, project: Path) -> None:
    path = project / "folder" / "a"
    path.parent.mkdir()
    path.write_text("0")
    agent.write(1, path, "1")
    path.unlink()
    path.parent.rmdir()
    done = agent.checkpoints.undo()
    assert done is not None
    assert [left.reason for left in done.left] == ["it was removed since"]
    agent.checkpoints.undo(force=True)
    assert path.read_text() == "0"


def test_a_link_is_never_written_through(agent: Agent, project: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("1")
    path = project / "a"
    path.write_text("0")
    agent.write(1, path, "1")
    path.unlink()
    path.symlink_to(precious)
    done = agent.checkpoints.undo(force=True)
    assert done is not None
    assert [left.reason for left in done.left] == ["it is no longer a file"]
    assert precious.read_text() == "1"


def test_a_folder_that_became_a_link_is_not_followed(agent: Agent, project: Path, tmp_path: Path) -> None:
    path = project / "folder" / "a"
    path.parent.mkdir()
    path.write_text("0")
    agent.write(1, path, "1")
    elsewhere = tmp_path / "elsewhere"
    path.parent.rename(elsewhere)
    path.parent.symlink_to(elsewhere)
    done = agent.checkpoints.undo(force=True)
    assert done is not None
    assert [left.reason for left in done.left] == ["its folder is a link now"]
    assert (elsewhere / "a").read_text() == "1"


def test_killed_before_the_write_there_is_nothing_to_put_back(agent: Agent, project: Path) -> None:
    path = project / "a"
    path.write_text("0")
    agent.write(1, path, "1", killed=True)
    done = agent.checkpoints.undo()
    assert done is not None
    assert (done.restored, done.left) == ((), ())
    assert path.read_text() == "0"


def test_killed_before_a_second_write_the_first_content_comes_back(agent: Agent, project: Path) -> None:
    path = project / "a"
    path.write_text("0")
    agent.write(1, path, "1")
    agent.write(1, path, "2", killed=True)
    agent.checkpoints.undo()
    assert path.read_text() == "0"


def test_an_undo_that_was_killed_in_the_middle_is_finished_by_the_next(agent: Agent, project: Path) -> None:
    first, second = project / "a", project / "b"
    for path in (first, second):
        path.write_text("0")
        agent.write(1, path, "1")
    first.write_text("0")
    done = agent.checkpoints.undo()
    assert done is not None
    assert (done.restored, done.left) == ((second,), ())
    assert second.read_text() == "0"


def test_one_file_that_cannot_be_restored_does_not_stop_the_others(agent: Agent, project: Path) -> None:
    first, second = project / "a", project / "b"
    for path in (first, second):
        path.write_text(path.name)
        agent.write(1, path, "1")
    (copy,) = [
        found for found in (project.parent / "checkpoints" / "1").iterdir() if found.read_bytes() == b"a"
    ]
    copy.unlink()
    done = agent.checkpoints.undo()
    assert done is not None
    assert (done.restored, [left.path for left in done.left]) == ((second,), [first])


def test_an_index_that_cannot_be_read_is_named(agent: Agent, project: Path) -> None:
    agent.write(1, project / "a", "1")
    index = project.parent / "checkpoints" / "1" / "index.json"
    index.write_bytes(b"{")
    with pytest.raises(StorageError, match=r"index\.json"):
        agent.checkpoints.undo()


def test_copies_are_private(agent: Agent, project: Path) -> None:
    (project / "a").write_text("0")
    agent.write(1, project / "a", "1")
    folder = project.parent / "checkpoints" / "1"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_full_disk_keeps_the_file_from_being_written(
    agent: Agent, project: Path, full_at: Callable[[int], AbstractContextManager[None]]
) -> None:
    path = project / "a"
    path.write_text("x" * 5_000)
    with full_at(1_000), pytest.raises(StorageError):
        agent.write(1, path, "1")
    assert path.read_text() == "x" * 5_000
    assert list((project.parent / "checkpoints" / "1").iterdir()) == []
    assert agent.checkpoints.undo() is None
