"""A result too long to show: shortened for the model, whole on disk, and open to it through the file."""

from __future__ import annotations

import re

import pytest

from tests.harness.disk import read_sessions
from tests.harness.driver import Place
from tests.wire.script import Answer, by_turn, call, reply
from tests.wire.seen import Seen
from tests.wire.server import serve

LINES = 5_000
TEXT = "".join(f"line {i:04} of the long file\n" for i in range(1, LINES + 1))


@pytest.fixture
def place(tmp_path) -> Place:
    made = Place.make(tmp_path / "place")
    (made.project / "long.txt").write_text(TEXT, encoding="utf-8")
    return made


def saved_at(seen: Seen) -> str:
    """The file that the marker of the first result names."""
    named = re.search(r"full output saved to ([^\s,]+)", seen.results[0].text)
    assert named, seen.results[0].text
    return named[1]


def open_saved(seen: Seen) -> Answer:
    return reply(call("read", file=saved_at(seen), start=2500, end=2501))


def search_saved(seen: Seen) -> Answer:
    assert seen.last_result.count("line 250") == 2
    return reply(call("search", pattern="line 4321", path=saved_at(seen)))


def tell(seen: Seen) -> Answer:
    assert "line 4321" in seen.last_result
    return reply("Seen it all.", rewrite=True)  # by now the long result is old, and shortened once more


READS_BACK = by_turn(reply(call("exec", command="cat long.txt")), open_saved, search_saved, tell)


@pytest.mark.parametrize("wire", ["anthropic", "ollama"])
def test_the_model_opens_what_was_left_out(place, wire):
    with serve(READS_BACK) as server:
        finished = place.run(place.environment(wire, server), "-p", "/agent read it", "--approve", "all")
    assert (finished.code, finished.out) == (0, "Seen it all.\n"), finished.err
    assert server.violations == []

    shown = server.exchanges[1].seen
    [session] = read_sessions(place.home)
    whole = session.calls[0].result
    assert shown is not None
    assert len(shown.results[0].text) < 20_000
    assert whole is not None
    assert whole.text.startswith(TEXT)


def test_the_file_is_there_again_when_the_session_goes_on(place):
    with serve([reply(call("exec", command="cat long.txt")), reply("Read.")]) as server:
        environment = place.environment("ollama", server) | {"CHATCLI_MICROCOMPACT_TRUNCATE_TURNS": "9"}
        place.run(environment, "-p", "/agent read it", "--approve", "all")
        assert list(place.tmp.iterdir()) == []
        server.play([open_saved, lambda seen: reply(seen.last_result)])
        finished = place.run(environment, "-p", "/agent once more", "--continue")

    assert "line 2500 of the long file" in finished.out
    assert server.violations == []
