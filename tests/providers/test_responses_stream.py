"""Events of OpenAI's Responses API."""

from __future__ import annotations

import pytest

from chatcli.errors import ContentRefused, NetworkError, RateLimited
from chatcli.events import ReasoningDelta, TextDelta
from chatcli.messages import Reasoning, Text, ToolCall, Usage
from chatcli.providers.openai_responses import OpenAIResponses
from tests.providers.conversation import receive, service
from tests.providers.loopback import loopback, sse

USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60},
    "output_tokens": 9,
    "output_tokens_details": {"reasoning_tokens": 4},
}
CREATED = {"type": "response.created", "response": {"model": "gpt-6.1-sol", "error": None}}


def provider(url: str) -> OpenAIResponses:
    asked = service("OPENAI", "gpt-6.1-sol", f"{url}/v1")
    return OpenAIResponses(asked)


def event(kind, index=0, **fields):
    return {"type": f"response.{kind}", "output_index": index, **fields}


def final(status="completed", **fields):
    response = {"status": status, "model": "gpt-6.1-sol-2026-10-02", "usage": USAGE, **fields}
    return {"type": f"response.{status}", "response": response}


def call_item(arguments="", **fields):
    return {"type": "function_call", "call_id": "c1", "name": "read", "arguments": arguments, **fields}


async def answered(*events):
    async with loopback(sse(*events)) as server:
        return await receive(provider(server.url))


async def test_a_plain_answer():
    events, reply = await answered(
        CREATED, event("output_text.delta", delta="Olá, "), event("output_text.delta", delta="você."), final()
    )
    assert events == [TextDelta("Olá, "), TextDelta("você.")]
    assert reply.parts == (Text("Olá, você."),)
    assert reply.stop_reason == "end"
    assert reply.model == "gpt-6.1-sol-2026-10-02"
    assert reply.usage == Usage(input=40, cache_read=60, output=9, reasoning=4)


async def test_reasoning_is_kept_as_it_came_without_what_is_empty():
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x0x", "status": None}
    events, reply = await answered(
        event("output_item.added", item={"type": "reasoning", "id": "rs_1", "summary": []}),
        event("reasoning_summary_part.added", summary_index=0),
        event("reasoning_summary_text.delta", delta="One."),
        event("reasoning_summary_part.added", summary_index=1),
        event("reasoning_summary_text.delta", delta="Two."),
        event("output_item.done", item=item),
        event("output_text.delta", 1, delta="Yes."),
        final(),
    )
    assert events[:3] == [ReasoningDelta("One."), ReasoningDelta("\n\n"), ReasoningDelta("Two.")]
    assert reply.parts[0] == Reasoning(
        text="One.\n\nTwo.",
        opaque={"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x0x"},
    )


async def test_a_call_in_pieces_and_one_without_arguments():
    _, reply = await answered(
        event("output_item.added", item=call_item()),
        event("function_call_arguments.delta", delta='{"file":'),
        event("function_call_arguments.delta", delta=' "a"}'),
        event("output_item.done", item=call_item('{"file": "a"}', status="completed")),
        event("output_item.done", 1, item={"type": "function_call", "call_id": "c2", "name": "tree"}),
        final(),
    )
    assert reply.parts == (
        ToolCall(id="c1", name="read", arguments_json='{"file": "a"}'),
        ToolCall(id="c2", name="tree", arguments_json="{}"),
    )
    assert reply.stop_reason == "tool_calls"


async def test_a_call_that_comes_only_as_a_whole():
    _, reply = await answered(event("output_item.done", item=call_item('{"file": "a"}')), final())
    assert reply.parts == (ToolCall(id="c1", name="read", arguments_json='{"file": "a"}'),)


@pytest.mark.parametrize("last", [(), (event("output_item.done", 1, item=call_item(status="incomplete")),)])
async def test_a_call_that_the_output_limit_cut_is_marked_and_has_no_arguments(last):
    _, reply = await answered(
        event("output_text.delta", delta="I write."),
        event("output_item.added", 1, item=call_item()),
        event("function_call_arguments.delta", 1, delta='{"te'),
        *last,
        final("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    )
    assert reply.parts == (Text("I write."), ToolCall(id="c1", name="read"))
    assert (reply.stop_reason, reply.cut_call_id) == ("max_tokens", "c1")


async def test_a_refusal_and_a_content_filter():
    _, refused = await answered(event("refusal.delta", delta="I will not."), final())
    assert (refused.parts, refused.stop_reason) == ((Text("I will not."),), "refusal")
    _, filtered = await answered(final("incomplete", incomplete_details={"reason": "content_filter"}))
    assert filtered.stop_reason == "refusal"


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (
            {
                "type": "response.failed",
                "response": {"error": {"code": "rate_limit_exceeded", "message": ""}},
            },
            RateLimited,
        ),
        ({"type": "response.failed", "response": {"error": {"code": "invalid_prompt"}}}, ContentRefused),
        ({"type": "error", "code": "rate_limit_exceeded", "message": "slow down"}, RateLimited),
        ({"type": "error", "error": {"code": "rate_limit_exceeded", "message": "slow down"}}, RateLimited),
    ],
)
async def test_failures_inside_the_stream(failure, kind):
    with pytest.raises(kind):
        await answered(CREATED, failure)


async def test_a_stream_without_an_end_was_cut():
    with pytest.raises(NetworkError):
        await answered(CREATED, event("output_text.delta", delta="Hm."))
