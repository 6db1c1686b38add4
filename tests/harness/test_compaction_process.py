"""The real command in a narrow window: it sums up on its way, and a kill in the middle costs nothing."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.harness.disk import read_sessions
from tests.harness.driver import Place, finish
from tests.wire.script import Answer, call, hold, reply
from tests.wire.seen import Seen
from tests.wire.server import serve

WINDOW = 9_000
FILES = 16
SETTINGS = (
    "--set",
    f"CHATCLI_CONTEXT_WINDOW={WINDOW}",
    "--set",
    f"CHATCLI_OLLAMA_NUM_CTX={WINDOW}",
    "--max-turns",
    "60",
)
SUMMARY = "## Task\nRead every file.\n## Next steps\nRead the others."


class Reader:
    """Reads one file after the other; `last_word` is what it does when it is asked to sum up."""

    def __init__(self, last_word: Answer) -> None:
        self._last_word = last_word
        self._read = 0

    def __call__(self, seen: Seen) -> Answer:
        if "under exactly these headings" in seen.user_texts[-1]:
            return self._last_word
        if self._read == FILES:
            return reply("All read.", rewrite=True)
        self._read += 1
        return reply(call("read", file=f"{self._read - 1}.py"), rewrite=True)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place.make(tmp_path / "world")
    for number in range(FILES):
        text = f"# {number}\n" + "    name, size = entry.name, entry.size_bytes\n" * 54
        (place.project / f"{number}.py").write_text(text, encoding="utf-8")
    return place


def results_on_disk(place: Place) -> int:
    (session,) = read_sessions(place.home)
    assert all(made.result for made in session.calls)
    return len(session.calls)


@pytest.mark.parametrize("wire", ["anthropic", "ollama"])
def test_a_run_that_is_longer_than_the_window_comes_to_its_end(place: Place, wire: str) -> None:
    with serve(Reader(reply(SUMMARY, side=True)), window_tokens=WINDOW) as server:
        done = place.run(place.environment(wire, server), "-p", "/agent Read every file.", *SETTINGS)
        assert (done.code, done.out.strip()) == (0, "All read.")
        assert "Room was made" in done.err
        assert server.violations == []
    assert results_on_disk(place) == FILES


def test_killed_while_it_sums_up_it_goes_on_as_if_it_had_not_begun(place: Place) -> None:
    with serve(Reader(reply("## Task", hold(), side=True)), window_tokens=WINDOW) as server:
        environment = place.environment("anthropic", server)
        process = place.start(environment, "-p", "/agent Read every file.", *SETTINGS)
        server.wait_for_state("holding", timeout_seconds=30)
        process.send_signal(signal.SIGKILL)
        finish(process)
        known = results_on_disk(place)
        assert known > 3
        server.play(Reader(reply(SUMMARY, side=True)))
        done = place.run(environment, "--continue", "-p", "/agent Go on.", *SETTINGS)
        assert (done.code, done.out.strip()) == (0, "All read.")
        assert server.violations == []
        assert results_on_disk(place) == known + FILES
        asked = "\n".join(server.exchanges[-1].seen.user_texts)
        assert "Read every file." in asked
        assert "Go on." in asked
