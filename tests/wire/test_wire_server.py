"""The transport's faults, what a test can wait for, and the line that requests of a session follow."""

from __future__ import annotations

import copy
import json
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.wire.bodies import HEADERS, PATHS, body_of
from tests.wire.script import Tally, broken_call, by_turn, call, hold, reply, status
from tests.wire.seen import Seen
from tests.wire.server import WireServer, serve
from tests.wire.test_wire_refusals import send

ROOT = Path(__file__).parents[2]


def chunks_of(server: WireServer, wire: str) -> list[bytes]:
    """The body as the chunks in which it was sent."""
    with (
        httpx.Client(trust_env=False) as client,
        client.stream(
            "POST", server.url + PATHS[wire], json=body_of(wire), headers=HEADERS[wire]
        ) as response,
    ):
        return list(response.iter_raw())


@pytest.mark.parametrize("wire", PATHS)
def test_small_chunks_carry_the_same_bytes(wire):
    with serve(lambda seen: reply("Olá ✓")) as server:
        whole = b"".join(chunks_of(server, wire))
    with serve(lambda seen: reply("Olá ✓", chunk_bytes=1)) as server:
        chunks = chunks_of(server, wire)

    assert b"".join(chunks) == whole
    assert "✓".encode() in whole


@pytest.mark.parametrize("wire", PATHS)
def test_a_cut_stream_ends_in_the_middle(wire):
    with serve([reply("Half of it", cut_bytes=60)]) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            chunks_of(server, wire)
        server.wait_for_state("cut")

    assert server.exchanges[0].sent_bytes == 60


@pytest.mark.parametrize("wire", PATHS)
def test_a_held_reply_goes_on_when_it_is_released(wire):
    received: list[bytes] = []
    with serve([reply("Half", hold(), " whole")]) as server:
        client = threading.Thread(target=lambda: received.extend(chunks_of(server, wire)))
        client.start()
        server.wait_for_state("holding")
        server.release()
        client.join()
        server.wait_for_state("sent")

    assert b"Half" in b"".join(received)
    assert b" whole" in b"".join(received)


def test_the_server_notices_that_the_client_went_away():
    with serve([reply("Half", hold(), " whole"), reply("Next")]) as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            content = json.dumps(body_of("ollama")).encode()
            connection.sendall(
                b"POST /api/chat HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(content) + content
            )
            server.wait_for_state("holding")
        server.wait_for_state("client_closed")

        assert send(server, "ollama", body_of("ollama")).status_code == 200


def test_waiting_for_what_never_comes_tells_what_happened():
    with serve([]) as server, pytest.raises(TimeoutError, match="did not happen"):
        server.wait_for_state("sent", timeout_seconds=0.01)


def test_ollama_answers_a_call_that_it_cannot_parse_with_an_error_line():
    with serve([reply(broken_call("read", '{"file": '))]) as server:
        lines = b"".join(chunks_of(server, "ollama")).splitlines()

    assert json.loads(lines[-1])["error"].startswith("error parsing tool call: raw=")


def test_ollama_lists_and_shows_its_models():
    with serve([]) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        assert [m["name"] for m in client.get("/api/tags").json()["models"]] == ["gpt-oss:20b"]
        assert client.post("/api/show", json={"model": "gpt-oss:20b"}).json()["capabilities"]
        assert client.post("/api/show", json={"model": "x"}).status_code == 404
        assert client.get("/nothing").status_code == 404


def test_a_script_by_turn_answers_by_what_the_request_holds():
    def second(seen: Seen) -> Any:
        return reply(f"{seen.results[0].name} said {seen.last_result}, asked: {seen.user_texts[0]}")

    script = by_turn(reply(call("read", file="a")), second)
    for wire in PATHS:
        with serve(script) as server:
            text = send(server, wire, body_of(wire)).text
        assert "read said B, asked: Compare a and b." in text


@pytest.mark.parametrize("wire", PATHS)
def test_the_new_results_are_those_of_the_newest_turn(wire):
    with serve([reply("Ok")]) as server:
        send(server, wire, body_of(wire))
    seen = server.exchanges[0].seen

    assert seen is not None
    assert [result.text for result in seen.new_results] == ["A", "B"]
    assert [(asked.name, asked.arguments) for asked in seen.calls] == [
        ("read", {"file": "a"}),
        ("read", {"file": "b"}),
    ]
    assert seen.tools == ("read",)
    assert seen.assistant_turns == 1


def test_the_usage_of_a_second_request_reads_the_cache():
    body = body_of("anthropic")
    body["system"][0] |= {"text": "s" * 8000, "cache_control": {"type": "ephemeral"}}
    with serve(lambda seen: reply("Ok")) as server:
        send(server, "anthropic", body)
        send(server, "anthropic", body)
    first, second = (exchange.tally or Tally() for exchange in server.exchanges)

    assert first.write_5m == second.read > 2000
    assert (first.read, second.write) == (0, 0)
    assert first.prompt == second.prompt


def test_a_failed_request_leaves_nothing_in_the_cache():
    body = body_of("anthropic")
    body["system"][0] |= {"text": "s" * 8000, "cache_control": {"type": "ephemeral"}}
    with serve([status(529), reply("Ok")]) as server:
        send(server, "anthropic", body)
        send(server, "anthropic", body)

    assert server.exchanges[0].tally is None
    assert server.exchanges[1].tally is not None
    assert server.exchanges[1].tally.read == 0


def grown(wire: str) -> dict[str, Any]:
    """The valid body with one more exchange of words at its end."""
    body = copy.deepcopy(body_of(wire))
    messages = body["input"] if wire == "responses" else body["messages"]
    messages += [{"role": "assistant", "content": "Fine."}, {"role": "user", "content": "Thanks."}]
    return body


@pytest.mark.parametrize("wire", PATHS)
def test_a_request_that_extends_the_one_before_is_no_violation(wire):
    with serve(lambda seen: reply("Fine.")) as server:
        send(server, wire, body_of(wire))
        send(server, wire, body_of(wire))
        send(server, wire, grown(wire))

    assert server.violations == []


def changed(wire: str) -> dict[str, Any]:
    return json.loads(json.dumps(grown(wire)).replace("Compare a and b.", "Compare b and a."))


@pytest.mark.parametrize("wire", PATHS)
def test_a_request_that_changes_what_was_sent_is_recorded_with_the_place(wire):
    with serve(lambda seen: reply("Fine.")) as server:
        send(server, wire, body_of(wire))
        response = send(server, wire, changed(wire))

    assert response.status_code == 200
    assert [v.rule for v in server.violations] == ["same_prefix"]
    assert "b and a." in server.violations[0].detail


def test_a_shrunken_history_and_another_model_are_recorded():
    with serve(lambda seen: reply("Fine.")) as server:
        send(server, "chat", grown("chat"))
        send(server, "chat", body_of("chat"))
        send(server, "chat", grown("chat") | {"model": "gpt-6-luna"})

    assert ["shrank" in v.detail or "luna" in v.detail for v in server.violations] == [True, True]


def test_an_expected_rewrite_is_no_violation():
    with serve([reply("Fine."), reply("Fine.", rewrite=True), reply("Fine.")]) as server:
        send(server, "chat", body_of("chat"))
        send(server, "chat", changed("chat"))
        send(server, "chat", changed("chat"))

    assert server.violations == []


def test_after_a_side_call_the_session_goes_on_from_before_it():
    aside = body_of("chat")
    aside["messages"] += [{"role": "assistant", "content": "Fine."}, {"role": "user", "content": "Sum up."}]
    with serve([reply("Fine."), reply("A sum.", side=True), reply("Fine.")]) as server:
        send(server, "chat", body_of("chat"))
        send(server, "chat", aside)
        send(server, "chat", grown("chat"))

    assert server.violations == []


def test_two_sessions_at_once_follow_their_own_lines():
    other = json.loads(json.dumps(body_of("chat")).replace("Compare", "Contrast"))
    begun = [{**body, "messages": body["messages"][:2]} for body in (body_of("chat"), other)]
    with serve(lambda seen: reply("Fine.")) as server:
        for body in (*begun, body_of("chat"), other):
            send(server, "chat", body)

    assert server.violations == []


def test_the_command_prints_where_it_serves_and_what_was_violated(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from tests.wire.script import reply\nscript = [reply('Hi')]\n", encoding="utf-8")
    command = [sys.executable, "-m", "tests.wire.server", "--script", str(script)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with httpx.Client(trust_env=False) as client:
            answer = client.post(url + PATHS["ollama"], json=body_of("ollama"))
            client.post(url + PATHS["ollama"], json=body_of("ollama"))
        told = process.stdout.readline()
        process.send_signal(2)
        code = process.wait(timeout=20)

    assert "Hi" in answer.text
    assert "script_over" in told
    assert code == 1


def test_claude_at_openrouter_is_cached_at_breakpoints_only():
    body = body_of("openrouter") | {"model": "anthropic/claude-sonnet-5.5"}
    part = {"type": "text", "text": "s" * 8000, "cache_control": {"type": "ephemeral"}}
    body["messages"][0]["content"] = [part]
    with serve(lambda seen: reply("Ok")) as server:
        send(server, "openrouter", body)
        send(server, "openrouter", body)
    first, second = (exchange.tally or Tally() for exchange in server.exchanges)

    assert first.write_5m == second.read > 2000


def test_ollama_refuses_a_long_prompt_when_it_was_told_not_to_cut():
    body = body_of("ollama") | {"truncate": False, "options": {"num_ctx": 32}}
    with serve([]) as server:
        response = send(server, "ollama", body)

    assert response.json() == {"error": "the input length exceeds the context length"}
    assert server.violations == []
