"""The same change, carried through by a person at a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.driver import Place
from tests.terminal.driver import Terminal
from tests.wire.coder import HTTPX, RICH, Task, coder
from tests.wire.server import serve

TASKS = {"anthropic": RICH, "responses": HTTPX, "chat": RICH, "ollama": HTTPX, "in text": RICH}


@pytest.mark.parametrize(("wire", "task"), TASKS.items(), ids=TASKS)
def test_coder_in_the_repl_mends_a_real_package(tmp_path: Path, wire: str, task: Task):
    place = Place.make(tmp_path / "place")
    place.copy_package(task.package)
    with serve(coder(task)) as server:
        terminal = Terminal(
            ["--cwd", str(place.project), "--approve", "all"],
            environment=place.environment(wire, server) | {"TERM": "xterm-256color"},
            folder=place.root,
            columns=100,
            rows=40,
        )
        try:
            terminal.expect("❯")
            terminal.line(f"/coder {task.request}")
            terminal.expect("the test passes. ✓")
            terminal.line("/exit")
            code = terminal.end()
        finally:
            terminal.close()

    assert server.violations == []
    assert code == 0
    assert list(place.tmp.iterdir()) == []
