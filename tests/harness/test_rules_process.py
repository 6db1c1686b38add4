"""Rules files through the real command: what the model is sent of them, with and without trust."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.driver import Place
from tests.wire.script import reply
from tests.wire.server import serve

ROOT_RULE, INNER_RULE, OWN_RULE = "Indent with tabs.", "Never touch this file.", "Answer in one line."


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place.make(tmp_path / "place")
    (made.project / ".git").mkdir()
    inner = made.project / "packages" / "one"
    inner.mkdir(parents=True)
    (made.project / "AGENTS.md").write_text(ROOT_RULE, encoding="utf-8")
    (inner / "CLAUDE.md").write_text("@style.md\n", encoding="utf-8")
    (inner / "style.md").write_text(INNER_RULE, encoding="utf-8")
    (made.home / "AGENTS.md").write_text(OWN_RULE, encoding="utf-8")
    return made


def system_of(place: Place, *arguments: str) -> tuple[list[dict], str]:
    """The blocks of the system prompt that a one-shot sends, and what it tells."""
    with serve([reply("Yes.")]) as server:
        environment = place.environment("anthropic", server)
        inner = place.project / "packages" / "one"
        finished = place.run(environment, "-p", "hello", "--cwd", str(inner), *arguments)
        assert finished.code == 0
        return server.exchanges[0].seen.body["system"], finished.err


def test_a_trusted_project_is_obeyed_outer_rules_first(place: Place) -> None:
    blocks, told = system_of(place, "--trust")
    rules = blocks[1]["text"]
    order = [rules.index(rule) for rule in (OWN_RULE, ROOT_RULE, INNER_RULE)]
    assert order == sorted(order)
    assert blocks[1]["cache_control"] == {"type": "ephemeral"}
    assert "Not followed" not in told


def test_of_an_untrusted_project_nothing_is_sent_and_that_is_told(place: Place) -> None:
    blocks, told = system_of(place)
    text = "".join(block["text"] for block in blocks)
    assert OWN_RULE in text
    assert ROOT_RULE not in text
    assert INNER_RULE not in text
    assert "Not followed, because this folder is not trusted: ../../AGENTS.md, CLAUDE.md." in told


def test_a_resumed_session_keeps_the_rules_that_it_began_with(place: Place) -> None:
    before, _ = system_of(place, "--trust")
    (place.project / "AGENTS.md").write_text("Indent with spaces.", encoding="utf-8")
    resumed, _ = system_of(place, "--trust", "--continue")
    anew, _ = system_of(place, "--trust")
    assert resumed == before
    assert "Indent with spaces." in anew[1]["text"]
