"""Chunks of Chat Completions, in the ways in which services that imitate OpenAI differ from it."""

from __future__ import annotations

import pytest

from chatcli.errors import BillingError, ContextOverflow, NetworkError, Overloaded
from chatcli.events import ReasoningDelta, TextDelta, ToolCallDelta
from chatcli.messages import Reasoning, Text, ToolCall, Usage
from chatcli.providers.openai_chat import OpenAIChat
from chatcli.providers.openai_chat_body import Dialect
from tests.providers.conversation import receive, request, service, usages
from tests.providers.loopback import Act, Answer, loopback, refusal, sse

DONE = "data: [DONE]\n\n"
USAGE = {"choices": [], "usage": {"prompt_tokens": 50, "completion_tokens": 9}}


def provider(url: str, name: str = "OPENROUTER", idle_seconds: float = 5.0) -> OpenAIChat:
    asked = service(name, "openai/gpt-6.1-sol", f"{url}/v1", idle_seconds=idle_seconds)
    return OpenAIChat(asked, Dialect())


def chunk(finish_reason=None, **delta):
    return {
        "model": "openai/gpt-6.1-sol",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


def fragment(index, arguments="", call_id=None, name=None):
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}


def calls(*fragments):
    return chunk(tool_calls=list(fragments))


async def answered(*events):
    async with loopback(sse(*events, named=False)) as server:
        return await receive(provider(server.url))


async def test_a_plain_answer():
    first = chunk(role="assistant", content="")
    events, reply = await answered(
        ": OPENROUTER PROCESSING\n\n", first, chunk(content="Olá"), chunk("stop"), USAGE, DONE
    )
    assert events == [TextDelta("Olá")]
    assert reply.parts == (Text("Olá"),)
    assert reply.stop_reason == "end"
    assert reply.usage == Usage(input=50, output=9)


async def test_fragments_of_parallel_calls_are_told_apart_by_their_index():
    events, reply = await answered(
        calls(fragment(0, call_id="c1", name="read")),
        calls(fragment(0, '{"file":')),
        calls(fragment(1, call_id="c2", name="tree")),
        calls(fragment(0, ' "a"}'), fragment(1, "{}")),
        chunk("tool_calls"),
        USAGE,
        DONE,
    )
    assert events[1] == ToolCallDelta("c1", "read", '{"file":')
    assert reply.parts == (
        ToolCall(id="c1", name="read", arguments_json='{"file": "a"}'),
        ToolCall(id="c2", name="tree", arguments_json="{}"),
    )


async def test_calls_that_are_all_numbered_0_are_told_apart_by_their_ids():
    _, reply = await answered(
        calls(fragment(0, '{"file": "a"}', "c1", "read")),
        calls(fragment(0, '{"file": "b"}', "c2", "read")),
        chunk("stop"),
        DONE,
    )
    assert [call.id for call in reply.parts] == ["c1", "c2"]
    assert reply.stop_reason == "tool_calls"


async def test_an_id_that_changes_with_every_fragment_is_one_call():
    _, reply = await answered(
        calls(fragment(0, "", "c1", "read")), calls(fragment(0, "{}", "c9")), chunk("tool_calls"), DONE
    )
    assert reply.parts == (ToolCall(id="c1", name="read", arguments_json="{}"),)


async def test_a_missing_id_is_invented_from_the_place_in_the_conversation():
    _, reply = await answered(calls(fragment(0, "{}", name="read")), chunk("tool_calls"), DONE)
    assert [call.id for call in reply.parts] == ["call_1_1"]


async def test_a_call_that_the_output_limit_cut_is_marked_and_has_no_arguments():
    _, reply = await answered(
        chunk(content="I write."), calls(fragment(0, '{"te', "c1", "write")), chunk("length"), USAGE, DONE
    )
    assert reply.parts == (Text("I write."), ToolCall(id="c1", name="write"))
    assert (reply.stop_reason, reply.cut_call_id) == ("max_tokens", "c1")


async def test_reasoning_details_are_joined_up_to_their_signature():
    def piece(**fields):
        return {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1", **fields}

    events, reply = await answered(
        chunk(reasoning="H", reasoning_details=[piece(text="H")]),
        chunk(reasoning="m.", reasoning_details=[piece(text="m.")]),
        chunk(reasoning_details=[piece(text=None, signature="s1g")]),
        chunk(reasoning_details=[{"type": "reasoning.encrypted", "index": 1, "data": "x0x"}]),
        chunk(content="Yes."),
        chunk("stop"),
        DONE,
    )
    assert events == [ReasoningDelta("H"), ReasoningDelta("m."), TextDelta("Yes.")]
    assert reply.parts == (
        Reasoning(
            text="Hm.",
            opaque={
                "reasoning_details": [
                    piece(text="Hm.", signature="s1g"),
                    {"type": "reasoning.encrypted", "index": 1, "data": "x0x"},
                ]
            },
        ),
        Text("Yes."),
    )


async def test_reasoning_content_of_other_services_is_shown():
    events, _ = await answered(chunk(reasoning_content="Hm."), chunk(content="Yes."), chunk("stop"), DONE)
    assert events[0] == ReasoningDelta("Hm.")


async def test_a_refusal_is_text_with_a_reason():
    _, reply = await answered(chunk(refusal="I will not."), chunk("stop"), USAGE, DONE)
    assert (reply.parts, reply.stop_reason) == ((Text("I will not."),), "refusal")


async def test_usage_that_is_never_reported_is_estimated():
    _, reply = await answered(chunk(content="x" * 400), chunk("stop"), DONE)
    assert reply.usage.estimated
    assert reply.usage.output == 100
    assert reply.usage.input > 20


async def test_a_cut_stream_has_an_estimated_usage():
    answer = sse(chunk(content="x" * 400), Act.CUT, named=False)
    async with loopback(answer, answer) as server:
        with pytest.raises(NetworkError):
            await receive(provider(server.url))
        (told,) = await usages(provider(server.url))
    assert told.estimated


async def test_an_error_in_place_of_a_stream_with_status_200():
    body = Answer(
        pieces=(b'{"error": {"code": 402, "message": "Insufficient credits"}}',),
        headers={"content-type": "application/json"},
    )
    async with loopback(body) as server:
        with pytest.raises(BillingError):
            await receive(provider(server.url))


async def test_an_error_inside_the_stream():
    error = {"error": {"code": 502, "message": "Upstream"}, **chunk("error", content="")}
    with pytest.raises(Overloaded) as caught:
        await answered(chunk(content="I "), error)
    assert caught.value.status == 502


async def test_a_stream_that_finishes_with_an_error():
    with pytest.raises(Overloaded):
        await answered(chunk(content="I "), chunk("error"))


async def test_no_quota_is_not_too_many_requests():
    body = {"error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "no"}}
    async with loopback(refusal(429, body, retry_after="3")) as server:
        with pytest.raises(BillingError):
            await receive(provider(server.url))


async def test_a_llama_cpp_server_says_overflow_in_the_type():
    body = {"error": {"code": 400, "type": "exceed_context_size_error", "message": "too long"}}
    async with loopback(refusal(400, body)) as server:
        with pytest.raises(ContextOverflow):
            await receive(provider(server.url))


async def test_other_services_get_nothing_that_belongs_to_openai(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-openai")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/elsewhere")
    async with loopback(sse(chunk("stop"), DONE, named=False)) as server:
        await receive(provider(server.url), request(model="openai/gpt-6.1-sol"))
        got = server.received[0]
    assert got.path == "/v1/chat/completions"
    assert got.headers["authorization"] == "Bearer sk-secret"
    assert "of-openai" not in " ".join(got.headers.values())
