"""A change to a copy of a real package, carried through by `/coder` on each wire."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.driver import Place
from tests.wire.coder import HTTPX, RICH, Task, coder
from tests.wire.server import serve

TURNS = {
    "anthropic": HTTPX,
    "responses": RICH,
    "chat": HTTPX,
    "openrouter": RICH,
    "ollama": HTTPX,
    "in text": HTTPX,
}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def passes(place: Place) -> bool:
    """The test, run by us and not by the agent."""
    command = [sys.executable, "-m", "unittest", "-q", "test_task"]
    return subprocess.run(command, cwd=place.project, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(("wire", "task"), TURNS.items(), ids=TURNS)
def test_coder_searches_reads_edits_and_tests(tmp_path: Path, wire: str, task: Task):
    place = Place.make(tmp_path / "place")
    place.copy_package(task.package)
    before = contents(place.project)
    with serve(coder(task)) as server:
        environment = place.environment(wire, server)
        finished = place.run(
            environment, "-p", f"/coder {task.request}", "--approve", "all", "--output", "json"
        )
    after = contents(place.project)
    changed = {name for name in before if before[name] != after.get(name)}

    assert server.violations == []
    assert finished.code == 0, finished.err
    assert finished.json["text"].endswith("the test passes. ✓")
    assert (finished.json["turns"], finished.json["tool_calls"]) == (6, 8)
    assert len(changed) == 1
    assert after.keys() - before.keys() == {"test_task.py"}
    assert passes(place)
