"""The real command in a process of its own, with a clean environment and a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct

Ran = subprocess.CompletedProcess[str]


class Cli(Struct, frozen=True, kw_only=True):
    """`cli("config", "path")` runs `chatcli config path` in `project`."""

    home: Path
    project: Path
    environment: dict[str, str]

    def __call__(self, *arguments: str, stdin: str = "", **variables: str) -> Ran:
        return subprocess.run(
            [sys.executable, "-m", "chatcli", *arguments],
            cwd=self.project,
            env={**self.environment, **variables},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    folders = {name: tmp_path / name for name in ("home", "project", "tmp", "user")}
    for folder in folders.values():
        folder.mkdir(mode=0o700)
    return Cli(
        home=folders["home"],
        project=folders["project"],
        environment={
            "PATH": os.environ["PATH"],
            "HOME": str(folders["user"]),
            "CHATCLI_HOME": str(folders["home"]),
            "TMPDIR": str(folders["tmp"]),
            "LANG": "C.UTF-8",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "OLLAMA_BASE_URL": "http://127.0.0.1:9",
        },
    )


Succeed = Callable[..., str]


@pytest.fixture
def out(cli: Cli) -> Succeed:
    """Standard output of a command that must succeed without a word on stderr."""

    def run(*arguments: str, stdin: str = "", **variables: str) -> str:
        ran = cli(*arguments, stdin=stdin, **variables)
        assert (ran.returncode, ran.stderr) == (0, "")
        return ran.stdout

    return run
