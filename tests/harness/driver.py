"""Drives the real command as its users do: a process, its streams, its exit code, nothing else.

A `Place` is a whole world in one folder: a project, a home, a temporary folder. Nothing of the
tester's own environment reaches the command but the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.wire.server import WireServer

COMMAND = (sys.executable, "-P", "-m", "chatcli")
"""`-P`: a project that has a package of the same name as one of ours must not be imported."""

PROVIDERS: dict[str, dict[str, str]] = {
    "anthropic": {"LLM_PROVIDER": "CLAUDEAI"},
    "responses": {"LLM_PROVIDER": "OPENAI", "OPENAI_USE_RESPONSES": "true"},
    "chat": {"LLM_PROVIDER": "OPENAI", "OPENAI_USE_RESPONSES": "false"},
    "openrouter": {"LLM_PROVIDER": "OPENROUTER"},
    "ollama": {"LLM_PROVIDER": "OLLAMA"},
    "in text": {"LLM_PROVIDER": "CLAUDEAI", "CHATCLI_TOOL_PROTOCOL": "text"},
}
"""For each wire, the variables that choose it; and for tools that are called in text."""


class Finished(Struct, frozen=True, kw_only=True):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Place(Struct, frozen=True, kw_only=True):
    """Where a command runs: `project` is its folder, `home` its CHATCLI_HOME."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> Place:
        place = cls(root=root)
        for folder in (place.project, place.home, place.tmp):
            folder.mkdir(parents=True)
        return place

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def home(self) -> Path:
        return self.root / "chatcli"

    @property
    def tmp(self) -> Path:
        return self.root / "tmp"

    def copy_package(self, name: str) -> Path:
        """A copy of an installed package, as source to work on."""
        source = Path(next(iter(__import__(name).__path__)))
        shutil.copytree(source, self.project / name, ignore=shutil.ignore_patterns("__pycache__"))
        return self.project / name

    def environment(self, wire: str = "", server: WireServer | None = None) -> dict[str, str]:
        """Without a server no provider is configured at all."""
        python = str(Path(sys.executable).parent)
        return {
            "PATH": os.pathsep.join((python, os.environ.get("PATH", os.defpath))),
            "HOME": str(self.root),
            "CHATCLI_HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "PYTHONDONTWRITEBYTECODE": "1",
            "INITIAL_BACKOFF": "0.01",
            "OLLAMA_BASE_URL": "http://127.0.0.1:1",
            **(server.environment() if server else {}),
            **PROVIDERS.get(wire, {}),
        }

    def start(
        self, environment: Mapping[str, str], *arguments: str, stdin: int | None = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """The command as a running process, leader of its own group."""
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.project,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, environment: Mapping[str, str], *arguments: str, stdin: bytes | None = None) -> Finished:
        """Run the command to its end."""
        process = self.start(
            environment, *arguments, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE
        )
        return finish(process, stdin)


def finish(process: subprocess.Popen[bytes], stdin: bytes | None = None) -> Finished:
    """Wait for the end of a command; one that hangs is killed and fails the test."""
    try:
        out, err = process.communicate(stdin, timeout=50)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"the command hangs\n{out.decode()}\n{err.decode()}") from None
    return Finished(code=process.returncode, out=out.decode(), err=err.decode())


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C, as a terminal sends it: to the whole group."""
    os.killpg(process.pid, signal.SIGINT)
