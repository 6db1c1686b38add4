"""What a start may import. Speed itself is a benchmark; what is loaded is a fact."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pexpect
import pytest

HEAVY = {"anthropic", "openai", "tiktoken", "httpx", "httpx2", "prompt_toolkit", "genai_prices", "keyring"}
SHOW = "import atexit, sys; atexit.register(lambda: sys.stderr.write('\\nLOADED ' + ' '.join(sys.modules)))\n"


def environment(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "CHATCLI_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path),
        "TERM": "xterm",
        "OLLAMA_BASE_URL": "http://127.0.0.1:9",
    }


def program(arguments: Sequence[str]) -> str:
    return SHOW + f"sys.argv = {['chatcli', *arguments]!r}\nfrom chatcli.__main__ import main\nmain()"


def loaded_by(tmp_path: Path, *arguments: str) -> set[str]:
    """Modules that the command had loaded when it ended."""
    finished = subprocess.run(
        [sys.executable, "-c", program(arguments)],
        env=environment(tmp_path),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    return loaded(finished.stderr)


def loaded(output: str) -> set[str]:
    return set(output.rpartition("LOADED ")[2].split())


def test_version_is_answered_before_anything_is_imported(tmp_path):
    assert not loaded_by(tmp_path, "--version") & (
        HEAVY | {"typer", "rich", "msgspec", "asyncio", "chatcli.settings"}
    )


def test_help_loads_nothing_heavy(tmp_path):
    found = loaded_by(tmp_path, "--help")
    assert "typer" in found
    assert not found & (HEAVY | {"rich", "asyncio"})


@pytest.mark.parametrize("arguments", [["tools"], ["config"], ["sessions"]])
def test_subcommands_load_no_sdk(tmp_path, arguments):
    assert not loaded_by(tmp_path, *arguments) & (HEAVY - {"prompt_toolkit"})


def test_the_bare_command_at_a_terminal_needs_no_command_line(tmp_path):
    child = pexpect.spawn(
        sys.executable,
        ["-c", program([])],
        env=environment(tmp_path),
        cwd=str(tmp_path),
        timeout=50,
        encoding="utf-8",
    )
    child.expect_exact("[y/N] ")  # the first start offers to set a provider up
    child.sendline("")
    child.expect_exact("❯")
    child.sendeof()
    child.expect(pexpect.EOF)
    found = loaded(child.before)
    assert "chatcli.terminal.repl" in found
    assert not found & ((HEAVY - {"prompt_toolkit"}) | {"typer", "rich"})


def test_nothing_is_imported_from_the_folder_that_is_worked_in(tmp_path):
    (tmp_path / "msgspec.py").write_text("raise SystemExit('planted')", encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-m", "chatcli", "-p", "hello"],
        env=environment(tmp_path),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    assert "planted" not in finished.stderr
