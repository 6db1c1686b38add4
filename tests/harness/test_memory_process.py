"""The memory through the real command: what one process remembers, the next one knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.driver import Place
from tests.wire.script import call, reply
from tests.wire.seen import Seen
from tests.wire.server import serve

REMEMBER = call(
    "memory", action="remember", text="O deploy usa Helm.", category="architecture", tags=["deploy"]
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place.make(tmp_path / "place")


def run(place: Place, script: list, text: str, wire: str = "anthropic", **variables: str) -> list[Seen]:
    """What one process sends."""
    with serve(script) as server:
        finished = place.run({**place.environment(wire, server), **variables}, "-p", text)
        assert finished.code == 0, finished.err
        assert server.violations == []
        return [exchange.seen for exchange in server.exchanges]


@pytest.mark.parametrize("wire", ["anthropic", "responses"])
def test_remembered_in_one_process_and_known_in_the_next(place: Place, wire: str) -> None:
    run(place, [reply(REMEMBER), reply("Ok.")], "/agent lembre que o deploy usa Helm", wire)
    recall = call("memory", action="recall", text="how do we deploy?")
    first, second = run(place, [reply(recall), reply("Helm.")], "/agent how do we deploy?", wire)
    assert "Topics: deploy (1)" in str(first.body)
    assert "Helm" not in str(first.body)
    assert "O deploy usa Helm." in second.results[-1].text


def test_in_chat_the_fact_comes_with_the_message(place: Place) -> None:
    run(place, [reply(REMEMBER), reply("Ok.")], "/agent lembre que o deploy usa Helm")
    (seen,) = run(place, [reply("Helm.")], "/chat como é o deploy?")
    assert "O deploy usa Helm." in seen.user_texts[-1]
    (seen,) = run(place, [reply("Helm.")], "/chat como é o deploy?", CHATCLI_MEMORY_MODE="off")
    assert "O deploy usa Helm." not in str(seen.body)


def test_a_damaged_database_is_made_anew_and_told(place: Place) -> None:
    run(place, [reply(REMEMBER), reply("Ok.")], "/agent lembre que o deploy usa Helm")
    (place.home / "memory" / "memory.db").write_bytes(b"x" * 9_000)
    with serve([reply("Helm.")]) as server:
        finished = place.run(place.environment("anthropic", server), "-p", "/chat como é o deploy?")
        assert "O deploy usa Helm." in server.exchanges[0].seen.user_texts[-1]
    assert "made anew" in finished.err
