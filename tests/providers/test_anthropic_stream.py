"""Anthropic's stream, event by event, in shapes of today and of older services."""

from __future__ import annotations

import pytest

from chatcli.errors import ContextOverflow, NetworkError, Overloaded
from chatcli.events import ReasoningDelta, TextDelta, ToolCallDelta
from chatcli.messages import Reasoning, Text, ToolCall, Usage
from chatcli.providers.anthropic_messages import AnthropicMessages
from tests.providers.conversation import receive, request, service, usages
from tests.providers.loopback import Act, in_pieces, loopback, refusal, sse

START = {
    "type": "message_start",
    "message": {
        "model": "claude-sonnet-5-5-20260929",
        "usage": {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 1},
    },
}
PING = {"type": "ping"}
STOP = {"type": "message_stop"}


def provider(url: str, idle_seconds: float = 5.0) -> AnthropicMessages:
    asked = service("CLAUDEAI", "claude-sonnet-5-5", url, idle_seconds=idle_seconds)
    return AnthropicMessages(asked)


def begin(index, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index, **content):
    return {"type": "content_block_delta", "index": index, "delta": content}


def end(index):
    return {"type": "content_block_stop", "index": index}


def text(index, *pieces):
    yield begin(index, type="text", text="")
    for piece in pieces:
        yield delta(index, type="text_delta", text=piece)
    yield end(index)


def tool_use(index, call_id, *pieces, name="read"):
    yield begin(index, type="tool_use", id=call_id, name=name, input={})
    for piece in pieces:
        yield delta(index, type="input_json_delta", partial_json=piece)
    yield end(index)


def finish(stop_reason, **usage):
    return {
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason},
        "usage": {"output_tokens": 7, **usage},
    }


async def answered(*events, asked=None):
    async with loopback(sse(*events)) as server:
        return await receive(provider(server.url), asked)


async def test_a_plain_answer():
    events, reply = await answered(START, PING, *text(0, "Olá, ", "você."), finish("end_turn"), STOP)
    assert events == [TextDelta("Olá, "), TextDelta("você.")]
    assert reply.parts == (Text("Olá, você."),)
    assert reply.stop_reason == "end"
    assert reply.model == "claude-sonnet-5-5-20260929"
    assert reply.usage == Usage(input=100, cache_read=900, output=7)


async def test_calls_of_one_reply_keep_their_order_and_their_very_bytes():
    events, reply = await answered(
        START,
        *text(0, "Both."),
        *tool_use(1, "c1", "", '{"file":', ' "a.py"}'),
        *tool_use(2, "c2", name="tree"),
        finish("tool_use"),
        STOP,
    )
    assert events[1:] == [
        ToolCallDelta("c1", "read", ""),
        ToolCallDelta("c1", "read", '{"file":'),
        ToolCallDelta("c1", "read", ' "a.py"}'),
        ToolCallDelta("c2", "tree", ""),
    ]
    assert reply.parts == (
        Text("Both."),
        ToolCall(id="c1", name="read", arguments_json='{"file": "a.py"}'),
        ToolCall(id="c2", name="tree", arguments_json="{}"),
    )
    assert reply.stop_reason == "tool_calls"


async def test_input_that_comes_at_once_instead_of_in_deltas():
    whole = begin(0, type="tool_use", id="c1", name="read", input={"file": "a.py"})
    _, reply = await answered(START, whole, end(0), finish("tool_use"), STOP)
    assert reply.parts[0].arguments() == {"file": "a.py"}


async def test_broken_arguments_are_kept_as_they_are():
    _, reply = await answered(START, *tool_use(0, "c1", '{"file": "a.py'), finish("tool_use"), STOP)
    assert reply.parts == (ToolCall(id="c1", name="read", arguments_json='{"file": "a.py'),)


async def test_a_call_that_the_output_limit_cut_is_marked_and_has_no_arguments():
    _, reply = await answered(
        START, *text(0, "I write."), *tool_use(1, "c1", '{"file": "a.py", "te'), finish("max_tokens"), STOP
    )
    assert reply.parts == (Text("I write."), ToolCall(id="c1", name="read"))
    assert (reply.stop_reason, reply.cut_call_id) == ("max_tokens", "c1")


async def test_a_call_that_was_whole_before_the_limit_stays():
    _, reply = await answered(START, *tool_use(0, "c1", '{"file": "a"}'), finish("max_tokens"), STOP)
    assert len(reply.parts) == 1


async def test_thinking_keeps_its_signature():
    events, reply = await answered(
        START,
        begin(0, type="thinking", thinking="", signature=""),
        delta(0, type="thinking_delta", thinking="H"),
        delta(0, type="thinking_delta", thinking="m."),
        delta(0, type="signature_delta", signature="s1g"),
        end(0),
        begin(1, type="redacted_thinking", data="x0x"),
        end(1),
        *text(2, "Yes."),
        finish("end_turn"),
        STOP,
    )
    assert events == [ReasoningDelta("H"), ReasoningDelta("m."), TextDelta("Yes.")]
    assert reply.parts == (
        Reasoning(text="Hm.", opaque={"type": "thinking", "signature": "s1g"}),
        Reasoning(opaque={"type": "redacted_thinking", "data": "x0x"}),
        Text("Yes."),
    )


async def test_an_empty_reply():
    events, reply = await answered(START, finish("end_turn"), STOP)
    assert events == []
    assert reply.parts == ()


@pytest.mark.parametrize(
    ("service_says", "means"),
    [("stop_sequence", "end"), ("pause_turn", "pause"), ("refusal", "refusal"), ("something_new", "end")],
)
async def test_stop_reasons(service_says, means):
    _, reply = await answered(START, *text(0, "Hm."), finish(service_says), STOP)
    assert reply.stop_reason == means


async def test_a_full_window_is_an_overflow():
    with pytest.raises(ContextOverflow):
        await answered(START, *text(0, "Hm."), finish("model_context_window_exceeded"), STOP)


@pytest.mark.parametrize("size_bytes", [1, 3, 7])
async def test_chunks_may_cut_through_characters(size_bytes):
    whole = sse(START, *text(0, "日本", "é🙂"), finish("end_turn"), STOP)
    async with loopback(in_pieces(whole, size_bytes)) as server:
        _, reply = await receive(provider(server.url))
    assert reply.parts == (Text("日本é🙂"),)


async def test_halves_of_a_character_in_two_deltas_become_one():
    halves = (
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":'
        '{"type":"text_delta","text":"a\\ud83d"}}\n\n',
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":'
        '{"type":"text_delta","text":"\\ude42!"}}\n\n',
    )
    events, _ = await answered(START, begin(0, type="text", text=""), *halves, finish("end_turn"), STOP)
    assert events == [TextDelta("a"), TextDelta("🙂!")]


async def test_a_cut_stream_is_an_error_and_its_usage_was_told():
    answer = sse(START, begin(0, type="text", text=""), delta(0, type="text_delta", text="x" * 4000), Act.CUT)
    async with loopback(answer, answer) as server:
        with pytest.raises(NetworkError, match="lost before the reply"):
            await receive(provider(server.url))
        told = await usages(provider(server.url))
    assert told == [
        Usage(input=100, cache_read=900, output=1),
        Usage(input=100, cache_read=900, output=1000, estimated=True),
    ]


async def test_a_stream_that_ends_without_a_stop_reason_was_cut():
    with pytest.raises(NetworkError):
        await answered(START, *text(0, "Hm."))


async def test_what_fails_behind_a_whole_reply_does_not_matter():
    _, reply = await answered(START, *text(0, "Hm."), finish("end_turn"), Act.CUT)
    assert reply.parts == (Text("Hm."),)


async def test_silence_is_an_error():
    async with loopback(sse(START, Act.STALL)) as server:
        with pytest.raises(NetworkError, match=r"sent nothing for 0\.2 seconds"):
            await receive(provider(server.url, idle_seconds=0.2))


async def test_an_error_inside_the_stream():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(Overloaded) as caught:
        await answered(START, error)
    assert caught.value.status == 529


async def test_an_event_that_is_no_json_is_a_cut_stream():
    with pytest.raises(NetworkError):
        await answered(START, 'event: content_block_delta\ndata: {"type": "content_b\n\n')


async def test_a_prompt_that_is_too_long_is_an_overflow():
    body = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"},
    }
    async with loopback(refusal(400, body, request_id="req_1")) as server:
        with pytest.raises(ContextOverflow) as caught:
            await receive(provider(server.url))
    assert caught.value.request_id == "req_1"


async def test_the_key_goes_to_the_given_address_only(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-other")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/elsewhere")
    async with loopback(sse(START, finish("end_turn"), STOP)) as server:
        await receive(provider(server.url), request(max_output_tokens=300))
        got = server.received[0]
    assert got.path == "/v1/messages"
    assert "sk-secret" in got.headers.get("authorization", "") + got.headers.get("x-api-key", "")
    assert "anthropic-version" in got.headers
    assert got.json["max_tokens"] == 300
