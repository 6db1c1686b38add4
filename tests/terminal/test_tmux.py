"""A real tmux, which breaks rows anew when its window becomes narrower."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.terminal.conftest import World
from tests.wire.script import hold, reply

TYPED = "a long half typed line that is longer than forty columns for sure, and some more of it"
TIMEOUT_SECONDS = 20.0

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


class Tmux:
    """One window with chatcli in it, on a server of its own."""

    def __init__(self, world: World, socket: Path) -> None:
        self._socket = socket
        variables = [f"{name}={value}" for name, value in world.environment.items() if name != "TERM"]
        command = ["env", *variables, sys.executable, "-m", "chatcli"]
        self._run(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "100",
            "-y",
            "40",
            "-c",
            str(world.project),
            *command,
        )

    def _run(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._socket), *arguments]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout

    def text(self) -> str:
        """Everything in the window and above it, rows that were broken joined again."""
        return self._run("capture-pane", "-p", "-J", "-S", "-")

    def type(self, *keys: str) -> None:
        self._run("send-keys", *keys)

    def resize(self, columns: int) -> None:
        self._run("resize-window", "-x", str(columns), "-y", "40")

    def wait(self, holds: Callable[[str], object]) -> None:
        until = time.monotonic() + TIMEOUT_SECONDS
        while not holds(text := self.text()):
            assert time.monotonic() < until, text

    def close(self) -> None:
        self._run("kill-server")


@pytest.fixture
def tmux(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Tmux]]:
    opened: list[Tmux] = []

    def start() -> Tmux:
        opened.append(Tmux(world, tmp_path_factory.mktemp("t") / "s"))
        return opened[-1]

    yield start
    for window in opened:
        window.close()


def test_a_narrower_window_leaves_no_rows_behind_and_takes_none_away(
    world: World, tmux: Callable[[], Tmux]
) -> None:
    world.serve(
        [reply("First answer, whose line is quite as long as a line of an answer is in most windows.")]
    )
    window = tmux()
    window.wait(lambda text: "❯" in text)
    window.type("hello", "Enter")
    window.wait(lambda text: "First answer" in text and "$0.00\n" in text)
    window.type(TYPED)
    window.wait(lambda text: TYPED in text)
    for columns in (97, 60, 40, 55, 80, 45, 100):
        window.resize(columns)
        window.wait(lambda text, columns=columns: _bottom_width(text) <= columns and _settled(text))
    text = window.text()
    assert text.count("❯ a long half typed line") == 1
    assert text.count("agent (ask)") + text.count("chat (ask)") == 1
    assert text.count("First answer, whose line") == 1
    assert text.count("❯ hello") == 1


def test_the_same_while_an_answer_comes(world: World, tmux: Callable[[], Tmux]) -> None:
    world.serve(
        [reply("First paragraph.\n\nThe second one is still being written, word for word ", hold(), "now.")]
    )
    window = tmux()
    window.wait(lambda text: "❯" in text)
    window.type("hello", "Enter")
    window.wait(lambda text: "word for word" in text)
    for columns in range(97, 40, -6):
        window.resize(columns)
    window.resize(80)
    world.server.release()
    window.wait(lambda text: "word for word now." in text and "$0.00" in text)
    text = window.text()
    assert [text.count(words) for words in ("First paragraph.", "The second one", "❯ hello")] == [1, 1, 1]


def _bottom_width(text: str) -> int:
    return len(text.rstrip().splitlines()[-1])


def _settled(text: str) -> bool:
    typed = text[text.rindex("❯") :].replace("\n", "").replace(" ", "")
    return TYPED.replace(" ", "") in typed
