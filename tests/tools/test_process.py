"""Real programs under the runner: ends, limits, cancels, and what they leave behind."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from chatcli.errors import ToolFailed
from chatcli.tools.process import Ended, run_helper, run_shell

ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


async def shell(command: str, tmp_path: Path, timeout_seconds: float = 20.0) -> tuple[Ended, bytes]:
    said = bytearray()
    ended = await run_shell(
        command, cwd=tmp_path, env=ENV, on_output=said.extend, timeout_seconds=timeout_seconds
    )
    return ended, bytes(said)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds; the test's own time limit ends it otherwise."""
    while not condition():  # noqa: ASYNC110 - no event tells what other processes do
        await asyncio.sleep(0.005)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_output_and_errors_come_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    ended, said = await shell("echo one; echo two >&2; echo three; exit 3", tmp_path)
    assert said == b"one\ntwo\nthree\n"
    assert (ended.exit_code, ended.signal, ended.timed_out, ended.left_running) == (3, None, False, False)


async def test_a_command_may_begin_with_a_dash(tmp_path: Path) -> None:
    ended, said = await shell("-x", tmp_path)
    assert ended.exit_code == 127
    assert b"-x: command not found" in said


async def test_a_command_that_is_too_long_for_the_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="too long for the system"):
        await shell(f"true {'x' * 3_000_000}", tmp_path)


@pytest.mark.parametrize("word", ["a\0b", "\ud800"])
async def test_a_word_that_no_program_can_be_given_is_refused(word: str, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="NUL"):
        await run_helper(["echo", word], cwd=tmp_path, env={})


async def test_a_signal_is_reported_as_such(tmp_path: Path) -> None:
    ended, _ = await shell("kill -9 $$", tmp_path)
    assert (ended.exit_code, ended.signal) == (None, signal.SIGKILL)


async def test_there_is_nothing_to_read(tmp_path: Path) -> None:
    ended, said = await shell("cat; echo end", tmp_path)
    assert said == b"end\n"
    assert ended.exit_code == 0


async def test_start_up_files_and_exported_functions_are_not_run(tmp_path: Path) -> None:
    (tmp_path / "evil").write_text("echo evil")
    hostile = {**ENV, "BASH_ENV": str(tmp_path / "evil"), "BASH_FUNC_ls%%": "() { echo evil; }"}
    said = bytearray()
    await run_shell("ls", cwd=tmp_path, env=hostile, on_output=said.extend, timeout_seconds=10)
    assert said == b"evil\n"  # the file of that name, listed


async def test_the_environment_is_the_one_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_CANARY", "canary")
    _, said = await shell("env", tmp_path)
    assert b"canary" not in said


async def test_the_time_limit_ends_the_command_and_keeps_its_output(tmp_path: Path) -> None:
    ended, said = await shell("echo begun; sleep 60", tmp_path, timeout_seconds=0.2)
    assert ended.timed_out
    assert ended.exit_code is None
    assert said == b"begun\n"
    assert ended.duration_seconds < 2


async def test_a_program_that_ignores_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatcli.tools.process.TIMEOUT_GRACE_SECONDS", 0.2)
    ended, _ = await shell("trap '' TERM; while :; do sleep 0.05; done", tmp_path, timeout_seconds=0.2)
    assert ended.timed_out
    assert ended.signal == signal.SIGKILL


async def test_endless_output_is_ended_by_the_time_limit(tmp_path: Path) -> None:
    taken = 0

    def count(data: bytes) -> None:
        nonlocal taken
        taken += len(data)

    ended = await run_shell("yes", cwd=tmp_path, env=ENV, on_output=count, timeout_seconds=0.2)
    assert ended.timed_out
    assert taken > 1_000_000


async def test_the_loop_goes_on_while_a_command_prints_without_end(tmp_path: Path) -> None:
    blocks = 0

    def count(_: bytes) -> None:
        nonlocal blocks
        blocks += 1

    running = asyncio.ensure_future(
        run_shell("yes", cwd=tmp_path, env=ENV, on_output=count, timeout_seconds=20)
    )
    await until(lambda: blocks > 10)
    turns_of_the_loop = 0
    begun_at = blocks
    while blocks < begun_at + 10:
        turns_of_the_loop += 1
        await asyncio.sleep(0)
    assert turns_of_the_loop >= 10
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_background_process_that_holds_the_output_does_not_hold_the_call(tmp_path: Path) -> None:
    ended, said = await shell("sleep 30 & echo $!", tmp_path)
    pid = int(said)
    assert ended.left_running
    assert ended.exit_code == 0
    assert ended.duration_seconds < 5
    assert is_alive(pid)
    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "start",
    ["SLEEP &", "setsid SLEEP &", "(setsid sh -c 'SLEEP & wait' &) ;"],
    ids=["child", "left the group", "lost its parent"],
)
async def test_the_time_limit_ends_all_descendants(tmp_path: Path, start: str) -> None:
    sleep = f"sleep 60.{secrets.randbelow(10**9)}"
    ended, _ = await shell(start.replace("SLEEP", sleep) + f" {sleep}", tmp_path, timeout_seconds=0.5)
    assert ended.timed_out
    assert not pids_of(sleep)


def pids_of(command: str) -> list[int]:
    wanted = command.replace(" ", "\0").encode() + b"\0"
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (folder / "cmdline").read_bytes() == wanted and is_alive(int(folder.name)):
                found.append(int(folder.name))
    return found


async def test_a_cancel_ends_the_tree_at_once_and_is_raised(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    told = f"echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}"
    running = asyncio.ensure_future(shell(f"setsid sh -c '{told}; exec sleep 60' & wait", tmp_path))
    await until(pid_file.exists)
    began = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - began < 1
    await until(lambda: not is_alive(int(pid_file.read_text())))


async def test_what_the_receiver_raises_ends_the_command(tmp_path: Path) -> None:
    def refuse(_: bytes) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        await run_shell("echo x; sleep 60", cwd=tmp_path, env=ENV, on_output=refuse, timeout_seconds=20)


async def test_no_descriptors_are_left_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        await shell("echo x", tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


async def test_a_helper_gets_its_input_and_keeps_output_and_errors_apart(tmp_path: Path) -> None:
    ended = await run_helper(
        ["sh", "-c", "cat; echo oops >&2; exit 4"], cwd=tmp_path, env=ENV, stdin=b"given\n"
    )
    assert (ended.exit_code, ended.output, ended.errors) == (4, b"given\n", b"oops\n")


async def test_a_helper_that_says_too_much_is_stopped(tmp_path: Path) -> None:
    ended = await run_helper(["yes"], cwd=tmp_path, env=ENV, max_bytes=1_000)
    assert ended.cut
    assert len(ended.output) == 1_000
    assert ended.exit_code is None


async def test_a_helper_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    ended = await run_helper(["sleep", "60"], cwd=tmp_path, env=ENV, timeout_seconds=0.1)
    assert ended.timed_out


async def test_a_helper_that_does_not_exist_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await run_helper(["no-such-program-here"], cwd=tmp_path, env=ENV)


async def test_endless_errors_of_a_helper_are_cut(tmp_path: Path) -> None:
    program = "import sys\nfor _ in range(100): sys.stderr.write('x' * 10_000)"
    ended = await run_helper([sys.executable, "-c", program], cwd=tmp_path, env=ENV)
    assert ended.exit_code == 0
    assert len(ended.errors) == 65_536
