"""A world for the real command: a home, a project, an environment, and terminals in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.terminal.driver import Terminal
from tests.wire.script import Script
from tests.wire.server import WireServer, serve

MODEL = "gpt-oss:20b"


class World:
    """Starts servers and terminals, and ends them."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "user" / "project"
        self.tmp = root / "tmp"
        for folder in (self.home, self.project, self.tmp):
            folder.mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(root / "user"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.tmp),
            "CHATCLI_HOME": str(self.home),
            "LLM_PROVIDER": "OFFLINE",
            "PYTHONPATH": os.pathsep.join(
                path for path in os.environ.get("PYTHONPATH", "").split(":") if path
            ),
        }
        self.server: WireServer
        self._open = ExitStack()

    def serve(self, script: Script) -> WireServer:
        """A scripted model on the Ollama wire, which needs no SDK: a start is cheap."""
        self.server = self._open.enter_context(serve(script))
        self.environment |= self.server.environment()
        self.environment |= {"LLM_PROVIDER": "OLLAMA", "OLLAMA_MODEL": MODEL}
        return self.server

    def start(self, *arguments: str, columns: int = 80, rows: int = 24, **variables: str) -> Terminal:
        terminal = Terminal(
            arguments,
            environment={**self.environment, **variables},
            folder=self.project,
            columns=columns,
            rows=rows,
        )
        self._open.callback(terminal.close)
        return terminal

    def prompt(self, *arguments: str, columns: int = 80, rows: int = 24, **variables: str) -> Terminal:
        """A terminal whose prompt is ready."""
        terminal = self.start(*arguments, columns=columns, rows=rows, **variables)
        terminal.expect("❯")
        return terminal

    def workspaces(self) -> list[str]:
        return sorted(path.name for path in self.tmp.glob("chatcli-agent-*"))

    def close(self) -> None:
        self._open.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
