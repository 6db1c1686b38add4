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


def read_a() -> dict:
    return reply(call("read", file="a.py"))


def test_in_the_last_turn_no_tool_runs(place):
    with serve(
        [read_a(), read_a(), read_a(), reply("x is 1.", call("write", file="b.py", content="y"))]
    ) as s:
        finished = answer(place, s, "-p", "/agent look", "--approve", "all")

    assert (finished.code, finished.out) == (4, "x is 1.\n")
    assert not (place.project / "b.py").exists()
    assert "No tool runs now" in str(s.exchanges[3].seen.body)
    assert s.violations == []


def test_the_order_of_calls_hides_nothing(place):
    one, other = call("read", file="a.py"), call("tree")
    with serve([reply(one, other), reply(other, one), reply(one, other), reply("x is 1.")]) as server:
        assert answer(place, server, "-p", "/agent look").code == 4


def test_polling_whose_answer_changes_goes_on_until_twice_the_number(place):
    (place.project / "poll.sh").write_text(
        "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n\n"
        "set -- queued pending building testing packing uploading done; shift $n; echo state $1 at $(date)\n",
        encoding="utf-8",
    )
    poll = reply(call("exec", command="sh poll.sh"))
    with serve([*[poll] * 5, reply("It builds.")]) as server:
        finished = answer(place, server, "-p", "/agent wait for it", "--approve", "all")
    assert (finished.code, finished.out) == (0, "It builds.\n")

    (place.project / "n").unlink()
    with serve([*[poll] * 6, reply("Still not.")]) as server:
        finished = answer(place, server, "-p", "/agent wait for it", "--approve", "all")
    assert (finished.code, finished.out) == (4, "Still not.\n")


def test_one_error_with_ever_other_arguments_is_advised_and_then_exits_with_4(place):
    wrong = [reply(call("read", file=f"nowhere/{name}.py")) for name in ("one", "two", "three")]
    with serve([*wrong, *wrong, reply("Nothing there.")]) as server:
        finished = answer(place, server, "-p", "/agent look")

    assert (finished.code, finished.out) == (4, "Nothing there.\n")
    assert finished.err.count("told to try something else") == 1
    assert "keeps failing in the same way" in str(server.exchanges[3].seen.body)


def test_a_number_of_turns_out_of_range_is_told_and_clamped(place):
    with serve([read_a(), read_a(), reply("x is 1.")]) as server:
        environment = {**place.environment("ollama", server), "CHATCLI_AGENT_EARLY_EXIT_TURNS": "1"}
        finished = place.run(environment, "-p", "/agent look")
    assert finished.code == 4
    assert "CHATCLI_AGENT_EARLY_EXIT_TURNS" in finished.err
    assert "using 2" in finished.err


@pytest.mark.parametrize("word", ["0", "false", "off", "no"])
def test_turned_off_it_goes_on(place, word):
    with serve([*[read_a()] * 7, reply("x is 1.")]) as server:
        finished = answer(place, server, "--set", f"CHATCLI_AGENT_EARLY_EXIT={word}", "-p", "/agent look")
    assert finished.code == 0


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
