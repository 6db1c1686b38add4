"""Commands: what comes back, how it is said that they ended, and what they count as."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chatcli.tools import InvalidArguments, StreamedOutput, ToolFailed
from chatcli_plugins.exec import run
from tests.tools.fakes import FakeContext


async def test_the_output_ends_with_how_the_command_ended(context: FakeContext) -> None:
    text = await context.text(run, command="echo out; echo err >&2; exit 3")
    assert text.startswith("out\nerr\n[exit 3 in ")
    assert text.endswith(" s]")


async def test_a_command_without_output_says_only_that(context: FakeContext) -> None:
    text = await context.text(run, command="true")
    assert text.startswith("[exit 0 in ")


async def test_an_unended_last_line_is_kept_apart_from_the_note(context: FakeContext) -> None:
    assert (await context.text(run, command="printf x")).startswith("x\n[exit 0")


async def test_an_exit_code_makes_an_error(context: FakeContext) -> None:
    context.processes.read_only = True
    output = await context.call(run, command="exit 1")
    assert output.is_error
    assert output.read_only is False
    assert output.brief == "exit 1"


@pytest.mark.parametrize("judged", [True, False])
async def test_only_what_the_gate_judged_reading_counts_as_it(context: FakeContext, judged: bool) -> None:
    context.processes.read_only = judged
    output = await context.call(run, command="true")
    assert not output.is_error
    assert output.read_only is judged


async def test_the_time_limit_is_said(context: FakeContext) -> None:
    text = await context.text(run, command="echo begun; sleep 60", timeout=1)
    assert text.startswith("begun\n[stopped by the time limit in 1.")


async def test_a_signal_is_said(context: FakeContext) -> None:
    assert "[killed by signal 11 (Segmentation fault) in" in await context.text(run, command="kill -SEGV $$")


async def test_what_it_left_running_is_said(context: FakeContext) -> None:
    text = await context.text(run, command="sleep 60 & echo $!")
    assert "something it started still runs" in text
    os.kill(int(text.split("\n")[0]), signal.SIGKILL)


async def test_it_runs_in_the_project_or_in_a_folder_of_choice(context: FakeContext) -> None:
    (context.root / "sub").mkdir()
    assert (await context.text(run, command="pwd")).startswith(f"{context.root}\n")
    assert (await context.text(run, command="pwd", cwd="sub")).startswith(f"{context.root}/sub\n")
    with pytest.raises(ToolFailed, match="nowhere is no folder"):
        await context.call(run, command="pwd", cwd="nowhere")


async def test_an_empty_command_is_refused(context: FakeContext) -> None:
    with pytest.raises(InvalidArguments, match="'command' is empty"):
        await context.call(run, command="  ")


async def test_output_that_is_no_text_is_kept_to_the_byte(context: FakeContext) -> None:
    output = await context.call(run, command="printf '\\xff\\x00\\xfe'")
    assert output.archived is not None
    assert (context.store.folder / output.archived.key).read_bytes().startswith(b"\xff\x00\xfe\n[exit 0")


async def test_an_interrupted_command_leaves_what_it_had_written(context: FakeContext) -> None:
    running = asyncio.ensure_future(context.call(run, command="echo begun; sleep 60"))
    while not list(context.store.folder.iterdir()):  # noqa: ASYNC110 - no event tells that a file came
        await asyncio.sleep(0.005)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    text = context.store.text(context.so_far.key)
    assert text.startswith("begun\n[interrupted while it ran; this is its output so far.")


async def test_output_that_no_result_names_is_not_kept(context: FakeContext) -> None:
    with pytest.raises(ToolFailed), StreamedOutput(context) as output:  # noqa: PT012 - raised inside
        output.write(b"begun")
        raise ToolFailed("denied")
    assert list(context.store.folder.iterdir()) == []


def test_a_flood_of_output_fills_no_memory(tmp_path: Path) -> None:
    program = """
import asyncio, resource, sys
from pathlib import Path
from chatcli_plugins.exec import run
from tests.tools.fakes import FakeContext

async def main():
    context = FakeContext(Path(sys.argv[1]))
    await context.text(run, command="echo warm")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    output = await context.call(run, command="head -c 300000000 /dev/zero; echo; echo the end")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, output.archived.size_bytes)

asyncio.run(main())
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    grown_kb, size_bytes = map(int, done.stdout.split())
    assert size_bytes > 300_000_000
    assert grown_kb < 10_000
