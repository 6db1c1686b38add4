"""One shot as a process: what goes in, what comes out on which stream, and with which exit code."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.harness.disk import read_sessions
from tests.harness.driver import PROVIDERS, Finished, Place, finish, interrupt
from tests.providers.pictures import png
from tests.wire.script import (
    Reply,
    Script,
    broken_call,
    by_turn,
    call,
    hold,
    no_credit,
    overflow,
    refusal,
    reply,
    status,
    think,
)
from tests.wire.seen import Seen
from tests.wire.server import WireServer, serve


@pytest.fixture
def place(tmp_path) -> Place:
    made = Place.make(tmp_path / "place")
    (made.project / "a.py").write_text("x = 1\ny = 2\n", encoding="utf-8")
    return made


def answer(place: Place, server: WireServer, *arguments: str, stdin: bytes | None = None) -> Finished:
    """Run on the wire that starts fastest."""
    return place.run(place.environment("ollama", server), *arguments, stdin=stdin)


def repeat_result(seen: Seen) -> Reply:
    return reply(f"It said: {seen.last_result}")


READS = by_turn(reply(think("Look."), "I look. ", call("read", file="a.py")), repeat_result)


@pytest.mark.parametrize("wire", PROVIDERS)
def test_a_run_through_all_faults_before_the_answer_ends_with_the_answer(place, wire):
    script: Script = [
        status(429, retry_after_seconds=0.01),
        status(529),
        status(500),
        reply("lost", cut_bytes=20),
        reply(think("Now."), "Olá ✓", " mundo", chunk_bytes=3),
    ]
    with serve(script) as server:
        finished = place.run(place.environment(wire, server), "-p", "hi")

    assert (finished.code, finished.out) == (0, "Olá ✓ mundo\n")
    assert "429" in finished.err
    assert server.violations == []


@pytest.mark.parametrize("wire", PROVIDERS)
def test_a_model_that_says_nothing_has_not_answered(place, wire):
    with serve([reply(), reply()]) as server:
        finished = place.run(place.environment(wire, server), "-p", "hi")

    assert (finished.code, finished.out) == (3, "")
    assert finished.err.count("empty reply") == 2  # asked once more, then given up
    assert server.violations == []


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
def test_broken_arguments_are_told_to_the_model_and_the_history_stays_valid(place, wire):
    script: Script = [reply("I try. ", broken_call("read", '{"file": ')), repeat_result]
    with serve(script) as server:
        finished = place.run(place.environment(wire, server), "-p", "/agent hi")

    assert (finished.code, "not valid JSON" in finished.out) == (0, True)
    assert server.violations == []


def test_a_write_that_nobody_can_approve_says_how_to_allow_it(place):
    script: Script = [reply(call("write", file="new.py", content="z = 3\n")), repeat_result]
    with serve(script) as server:
        finished = answer(place, server, "-p", "/coder add z")

    told = "nobody is here to approve it; start with --approve edits or --allow write:new.py"
    assert finished.code == 5
    assert finished.err == f"✗ write new.py: {told}\nchatcli: ended because something was denied.\n"
    assert "Only the user can allow it, by starting with --approve edits" in finished.out
    assert "Plan mode" not in finished.out + finished.err


def test_what_may_hold_keys_is_neither_read_nor_found_without_asking(place):
    (place.project / ".env").write_text("x = 'TOKEN'\n", encoding="utf-8")
    script: Script = [
        reply(call("search", pattern="x = "), call("tree"), call("read", file=".env")),
        lambda seen: reply("\n".join(result.text for result in seen.results)),
    ]
    with serve(script) as server:
        finished = answer(place, server, "-p", "/agent look", "--approve", "all")

    assert finished.code == 5
    assert "TOKEN" not in finished.out
    assert "1 more file matches but is not shown without asking: .env" in finished.out
    assert ".env  12" in finished.out
    assert "by its name it holds passwords or keys" in finished.out
    assert "start with --allow read:.env" in finished.err


def test_the_answer_alone_goes_to_standard_output(place):
    with serve(READS) as server:
        finished = answer(place, server, "-p", "/agent what is in a.py?")

    assert (finished.code, finished.err) == (0, "")
    assert finished.out.startswith("It said: ")
    assert "x = 1" in finished.out


def test_json_is_one_object_with_the_sums_of_the_run(place):
    with serve(READS) as server:
        finished = answer(place, server, "-p", "/agent what is in a.py?", "--output", "json")
    told = finished.json
    billed = [exchange.tally for exchange in server.exchanges if exchange.tally]

    assert list(told) == [
        "session_id",
        "text",
        "stop_reason",
        "turns",
        "tool_calls",
        "usage",
        "cost_usd",
        "duration_seconds",
    ]
    assert (told["stop_reason"], told["turns"], told["tool_calls"]) == ("answered", 2, 1)
    assert told["usage"]["input"] + told["usage"]["cache_read"] == sum(tally.prompt for tally in billed)
    assert told["usage"]["output"] == sum(tally.output for tally in billed)
    assert told["session_id"] == read_sessions(place.home)[0].folder.name


def test_jsonl_is_the_stream_of_events(place):
    with serve(READS) as server:
        finished = answer(place, server, "-p", "/agent what is in a.py?", "--output", "jsonl")
    events = finished.lines
    kinds = [event["type"] for event in events]

    assert events[0]["session_id"] == read_sessions(place.home)[0].folder.name
    assert "".join(event["text"] for event in events if event["type"] == "text").startswith(
        "I look. It said: "
    )
    assert kinds.index("tool_started") < kinds.index("tool_finished") < kinds.index("run_finished")
    assert kinds[-1] == "run_finished"


def test_piped_input_alone_is_the_text(place):
    with serve([reply("Read.")]) as server:
        finished = answer(place, server, stdin="olá do pipe".encode())

    assert (finished.code, finished.out) == (0, "Read.\n")
    assert server.exchanges[0].seen is not None
    assert "olá do pipe" in server.exchanges[0].seen.user_texts[-1]


def test_a_text_that_was_piped_in_names_no_files_and_a_typed_one_does(place):
    with serve([reply("Read."), reply("Read.")]) as server:
        answer(place, server, stdin=b"some page: @a.py please")
        answer(place, server, "-p", "look at @a.py please", stdin=b"some page: @b.py please")
    piped, typed = (exchange.seen.user_texts[-1] for exchange in server.exchanges)

    assert "@a.py" in piped
    assert "x = 1" not in piped
    assert "x = 1" in typed


def test_piped_input_is_attached_to_the_text(place):
    with serve([reply("Read.")]) as server:
        answer(place, server, "-p", "sum this up", stdin=b"first line\nsecond line\n")
    seen = server.exchanges[0].seen

    assert seen is not None
    assert "sum this up" in seen.user_texts[-1]
    assert "first line\nsecond line" in seen.user_texts[-1]


def test_continue_extends_the_session_byte_for_byte(place):
    with serve([*[reply("One.")], reply("Two."), reply("Three.")]) as server:
        first = answer(place, server, "-p", "one", "--output", "json")
        second = answer(place, server, "-p", "two", "--continue", "--output", "json")
        third = answer(place, server, "-p", "three", "--resume", first.json["session_id"], "--output", "json")

    assert first.json["session_id"] == second.json["session_id"] == third.json["session_id"]
    assert server.exchanges[2].seen is not None
    assert server.exchanges[2].seen.assistant_turns == 2
    assert server.violations == []


def test_continue_on_a_session_that_runs_elsewhere_is_refused_in_one_line(place):
    with serve([reply("Wait", hold())]) as server:
        busy = place.start(place.environment("ollama", server), "-p", "one")
        server.wait_for_state("holding")
        refused = answer(place, server, "-p", "two", "--continue")
        server.release()
        finished = finish(busy)

    assert (refused.code, finished.code) == (6, 0)
    assert refused.out == ""
    assert len(server.exchanges) == 1


@pytest.mark.parametrize("wire", ["anthropic", "ollama"])
def test_ctrl_c_ends_within_a_second_and_keeps_what_was_said(place, wire):
    with serve([reply("Half of ", hold(), "it."), reply("On we go.")]) as server:
        environment = place.environment(wire, server)
        process = place.start(environment, "-p", "tell me", "--output", "jsonl")
        assert process.stdout is not None
        read_until(process.stdout.readline, b"Half of ")
        began = time.monotonic()
        interrupt(process)
        finished = finish(process)
        seconds = time.monotonic() - began
        server.wait_for_state("client_closed")
        place.run(environment, "-p", "go on", "--continue")
    seen = server.exchanges[-1].seen

    assert finished.code == 130
    # Python needs a while to leave with an SDK loaded: the bound is for the wire without one.
    assert seconds < 1 or wire != "ollama"
    assert seen is not None
    assert "Half of " in str(seen.body["messages"])
    assert server.violations == []


def test_ctrl_c_stops_a_running_command_and_answers_its_call(place):
    script = by_turn(reply(call("exec", command="tail -f a.py")), reply("Stopped, I see."))
    with serve(script) as server:
        environment = place.environment("ollama", server)
        process = place.start(environment, "-p", "/coder wait", "--approve", "all", "--output", "jsonl")
        assert process.stdout is not None
        read_until(process.stdout.readline, b"y = 2")
        interrupt(process)
        finished = finish(process)
        place.run(environment, "-p", "and now?", "--continue")
    seen = server.exchanges[-1].seen

    assert finished.code == 130
    assert seen is not None
    assert len(seen.results) == 1
    assert seen.last_result.startswith("x = 1\ny = 2\n[interrupted while it ran; this is its output so far.")
    assert server.violations == []


def read_until(next_line: Callable[[], bytes], word: bytes) -> None:
    while word not in (line := next_line()):
        assert line, f"the output ended before {word!r}"


def endless(seen: Seen) -> Reply:
    return reply(call("read", file="a.py", head=seen.assistant_turns + 1))


@pytest.mark.parametrize(
    ("code", "script", "arguments"),
    [
        (0, [reply("Fine.")], ["-p", "hi"]),
        (2, [], ["-p", " "]),
        (2, [], ["-p", "/cost"]),
        (2, [], ["-p", "/agnet read it"]),
        (0, [reply("Env.")], ["-p", "/usr/bin/env is a path"]),
        (2, [], ["-p", "hi", "--provider", "CLAUDEIA"]),
        (2, [], ["-p", "hi", "--output", "xml"]),
        (2, [], ["-p", "hi", "--resume", "nothing-like-it"]),
        (2, [], ["-p", "hi", "--cwd", "nowhere"]),
        (3, [], ["-p", "hi", "--model", "gpt-0"]),
        (3, [no_credit()], ["-p", "hi"]),
        (3, [overflow()], ["-p", "hi"]),
        (3, [status(400, "no")], ["-p", "hi"]),
        (3, [status(500)] * 3, ["-p", "hi", "--set", "MAX_RETRIES=2"]),
        (4, endless, ["-p", "/agent read", "--max-turns", "2"]),
        (4, [reply("Cut of", stop="max_tokens")] * 2, ["-p", "hi"]),
        (5, by_turn(reply(call("write", file="b", content="c")), reply("Denied.")), ["-p", "/coder write"]),
    ],
    ids=lambda value: value if isinstance(value, int) else "",
)
def test_the_exit_code_says_how_it_ended(place, code, script, arguments):
    with serve(script) as server:
        finished = answer(place, server, *arguments)

    assert finished.code == code
    assert code == 0 or finished.err.strip()
    assert "Traceback" not in finished.err
    assert server.violations == []


def test_a_refusal_of_the_model_is_named(place):
    with serve([refusal("No.")]) as server:
        finished = place.run(place.environment("chat", server), "-p", "hi")

    assert (finished.code, finished.out) == (3, "No.\n")


def test_a_wrong_key_is_one_line_with_a_hint(place):
    with serve([]) as server:
        environment = place.environment("anthropic", server) | {"ANTHROPIC_API_KEY": "sk-ant-wrong"}
        finished = place.run(environment, "-p", "hi")

    assert finished.code == 3
    assert len(finished.err.splitlines()) == 2
    assert "sk-ant-wrong" not in finished.err


def test_a_home_that_cannot_be_used_is_a_disk_error(place):
    blocked = place.root / "file"
    blocked.touch()
    with serve([]) as server:
        environment = place.environment("ollama", server) | {"CHATCLI_HOME": str(blocked / "home")}
        finished = place.run(environment, "-p", "hi")

    assert finished.code == 6
    assert "Traceback" not in finished.err


def test_the_workspace_is_gone_afterwards(place):
    with serve(READS) as server:
        answer(place, server, "-p", "/agent what is in a.py?")

    assert list(place.tmp.iterdir()) == []


def test_nothing_is_written_outside_the_places_given(place):
    before = sorted(path.name for path in place.root.iterdir())
    with serve(READS) as server:
        answer(place, server, "-p", "/agent what is in a.py?")

    assert sorted(path.name for path in place.root.iterdir()) == before
    assert sorted(path.name for path in place.project.iterdir()) == ["a.py"]
    assert all(_is_private(path) for path in place.home.rglob("*"))


def _is_private(path: Path) -> bool:
    return path.stat().st_mode & 0o077 == 0


def test_a_reader_that_goes_away_changes_nothing_about_the_run(place):
    with serve([reply("word " * 50_000)]) as server:
        process = place.start(place.environment("ollama", server), "-p", "go")
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize("wire", PROVIDERS)
def test_an_image_in_the_text_is_shown_to_a_model_that_sees(place, wire):
    (place.project / "a.png").write_bytes(png())
    with serve([reply("A cat.")]) as server:
        finished = place.run(place.environment(wire, server), "-p", "what is in @a.png?")
        (exchange,) = server.exchanges
    assert (finished.code, finished.out) == (0, "A cat.\n")
    shown = b64encode(png()).decode() in json.dumps(exchange.seen.body)
    assert shown is (wire != "ollama")
    assert ("gpt-oss:20b is not known to see images" in finished.err) is (wire == "ollama")


def test_a_model_that_takes_over_and_does_not_see_the_images_so_far_is_told_of_once(place):
    (place.project / "a.png").write_bytes(png())
    with serve([reply("A cat.")]) as server:
        place.run(place.environment("anthropic", server), "-p", "what is in @a.png?")
    blind = "gpt-oss:20b is not known to see images: it is told only the name and size of a.png."
    with serve([reply("It was a cat."), reply("Still.")]) as server:
        goes_on = place.environment("ollama", server)
        first = place.run(goes_on, "-p", "what was it?", "--continue", "--provider", "OLLAMA")
        second = place.run(goes_on, "-p", "and now?", "--continue")
    assert (first.code, first.out) == (0, "It was a cat.\n")
    assert blind in first.err
    assert (second.code, second.out) == (0, "Still.\n")
    assert "images" not in second.err


def test_an_image_that_the_service_refuses_ends_before_anything_is_sent(place):
    (place.project / "a.png").write_bytes(png(size_bytes=4_000_000))
    with serve([]) as server:
        finished = place.run(place.environment("anthropic", server), "-p", "what is in @a.png?")
    assert finished.code == 2
    assert "a.png is a PNG of 4.0 MB, 1200x800 pixels. CLAUDEAI takes" in finished.err
    assert server.exchanges == []
