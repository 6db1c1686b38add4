"""The loop's judgement as its user meets it: exit codes, streams, the REPL."""

from __future__ import annotations

import pytest

from tests.harness.driver import Finished, Place
from tests.wire.script import call, reply
from tests.wire.server import WireServer, serve

QUESTION = "/agent o que é um canal em Go?"


@pytest.fixture
def place(tmp_path) -> Place:
    made = Place.make(tmp_path / "place")
    (made.project / "a.py").write_text("x = 1\n", encoding="utf-8")
    return made


def answer(place: Place, server: WireServer, *arguments: str) -> Finished:
    return place.run(place.environment("ollama", server), *arguments)


def test_a_run_that_repeats_itself_exits_with_4_and_still_answers(place):
    script = [*(reply(call("read", file="a.py")) for _ in range(3)), reply("x is 1.")]
    with serve(script) as server:
        finished = answer(place, server, "-p", "/agent look")

    assert (finished.code, finished.out) == (4, "x is 1.\n")
    assert "only repeated itself" in finished.err
    assert server.violations == []


def test_a_run_in_a_circle_is_advised_and_then_exits_with_4(place):
    script = [*[reply(call("read", file="a.py")), reply(call("tree"))] * 4, reply("x is 1.")]
    with serve(script) as server:
        finished = answer(place, server, "-p", "/agent look")

    assert (finished.code, finished.out) == (4, "x is 1.\n")
    assert finished.err.count("told to try something else") == 1
    assert server.violations == []


def test_the_tip_goes_to_standard_error_and_the_loop_runs(place):
    with serve([reply(call("read", file="a.py")), reply("Um tubo.")]) as server:
        finished = answer(place, server, "-p", QUESTION)

    assert (finished.code, finished.out) == (0, "Um tubo.\n")
    assert finished.err.startswith("Tip: ")
    assert len(server.exchanges) == 2


def test_auto_sends_a_question_to_chat_but_never_one_given_to_run(place):
    with serve([reply("Um tubo."), reply("Um tubo.")]) as server:
        auto = ("--set", "CHATCLI_AGENT_SMART_ROUTE=redirect", "--output", "jsonl")
        rerouted = answer(place, server, "-p", QUESTION, *auto)
        forced = answer(place, server, "-p", QUESTION.replace("/agent", "/run"), *auto)

    assert [finished.lines[0]["mode"] for finished in (rerouted, forced)] == ["chat", "agent"]
    assert [sum(line["type"] == "notice" for line in f.lines) for f in (rerouted, forced)] == [1, 0]
