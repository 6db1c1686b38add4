"""Standard streams that are missing or cannot be written: cron jobs, full disks, readers that leave."""

from __future__ import annotations

import subprocess
import sys

import pytest

ONE_SHOT = '-p "what is in this folder?" --provider OFFLINE'


def run(cli, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f'chatcli() {{ {sys.executable} -m chatcli "$@"; }}; {script}'],
        cwd=cli.project,
        env=cli.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", ["tools", ONE_SHOT, f"{ONE_SHOT} --output json", "--version"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_start_with_streams_closed_is_like_one_with_nothing_behind_them(cli, arguments, closed) -> None:
    ran = run(cli, f"chatcli {arguments} {closed}")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["tools", ONE_SHOT, f"{ONE_SHOT} --output json"])
def test_output_that_cannot_be_written_is_one_line_and_the_exit_code_of_disks(cli, arguments) -> None:
    ran = run(cli, f"chatcli {arguments} > /dev/full")
    assert ran.returncode == 6
    assert "No space left" in ran.stderr
    assert "Traceback" not in ran.stderr
