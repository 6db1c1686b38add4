"""The official SDKs as independent clients: they must understand every stream and every error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.wire.bodies import body_of
from tests.wire.script import Tally, break_off, broken_call, call, overflow, refusal, reply, status, think
from tests.wire.server import WireServer, serve

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

RICH = reply(think("First a, then b."), "Olá, ", "mundo ✓", call("read", file="ação.py"), call("tree"))


def anthropic_client(server: WireServer) -> Any:
    return anthropic.AsyncAnthropic(base_url=server.url, api_key=server.options.key, max_retries=0)


def openai_client(server: WireServer, base: str = "/v1") -> Any:
    return openai.AsyncOpenAI(base_url=server.url + base, api_key=server.options.key, max_retries=0)


async def message_of(server: WireServer) -> Any:
    """The final message, put together by the SDK."""
    body = body_of("anthropic")
    del body["stream"]
    async with anthropic_client(server) as client, client.messages.stream(**body) as stream:
        return await stream.get_final_message()


async def chunks_of(server: WireServer, base: str = "/v1") -> list[Any]:
    async with openai_client(server, base) as client:
        return [chunk async for chunk in await client.chat.completions.create(**body_of("chat"))]


async def events_of(server: WireServer) -> list[Any]:
    async with openai_client(server) as client:
        return [event async for event in await client.responses.create(**body_of("responses"))]


async def test_anthropic_reads_thinking_text_and_calls():
    with serve([RICH]) as server:
        message = await message_of(server)

    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert message.content[0].thinking == "First a, then b."
    assert message.content[0].signature
    assert message.content[1].text == "Olá, mundo ✓"
    assert message.content[2].input == {"file": "ação.py"}
    assert message.content[3].input == {}
    assert message.stop_reason == "tool_use"
    assert server.violations == []


async def test_anthropic_reads_the_usage_that_the_books_say():
    usage = Tally(plain=10, read=900, write_5m=50, write_1h=7, output=30, reasoning=12)
    with serve([reply("Ok", usage=usage)]) as server:
        told = (await message_of(server)).usage

    assert (told.input_tokens, told.cache_read_input_tokens, told.cache_creation_input_tokens) == (
        10,
        900,
        57,
    )
    assert (told.cache_creation.ephemeral_5m_input_tokens, told.cache_creation.ephemeral_1h_input_tokens) == (
        50,
        7,
    )
    assert (told.output_tokens, told.output_tokens_details.thinking_tokens) == (30, 12)
    assert server.exchanges[0].tally == usage


async def test_anthropic_reads_hidden_and_redacted_thinking():
    with serve([reply(think("secret"), think(""), "Ok")]) as server:
        body = body_of("anthropic") | {"thinking": {"type": "adaptive", "display": "omitted"}}
        del body["stream"]
        async with anthropic_client(server) as client, client.messages.stream(**body) as stream:
            message = await stream.get_final_message()

    assert [block.type for block in message.content] == ["thinking", "redacted_thinking", "text"]
    assert message.content[0].thinking == ""


async def test_chat_reads_text_calls_and_usage():
    usage = Tally(plain=100, read=900, write_5m=50, output=30, reasoning=12)
    with serve([reply(*RICH.parts, usage=usage)]) as server:
        chunks = await chunks_of(server)

    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    fragments = [fragment for delta in deltas for fragment in delta.tool_calls or []]
    first = "".join(f.function.arguments for f in fragments if f.index == 0)
    assert "".join(delta.content or "" for delta in deltas) == "Olá, mundo ✓"
    assert [f.function.name for f in fragments if f.id] == ["read", "tree"]
    assert json.loads(first) == {"file": "ação.py"}
    assert chunks[-2].choices[0].finish_reason == "tool_calls"
    assert chunks[-1].choices == []
    told = chunks[-1].usage
    assert (told.prompt_tokens, told.prompt_tokens_details.cached_tokens, told.completion_tokens) == (
        1050,
        900,
        30,
    )
    assert told.completion_tokens_details.reasoning_tokens == 12
    assert server.violations == []


async def test_openrouter_shows_its_reasoning_and_what_it_cost():
    with serve([RICH]) as server:
        chunks = await chunks_of(server, "/api/v1")

    details = [
        detail
        for c in chunks
        for choice in c.choices
        for detail in (choice.delta.model_extra or {}).get("reasoning_details", [])
    ]
    assert [detail["text"] for detail in details] == ["First a, then b."]
    assert chunks[-1].usage.cost > 0


async def test_responses_reads_reasoning_text_calls_and_usage():
    usage = Tally(plain=100, read=900, write_5m=50, output=30, reasoning=12)
    with serve([reply(*RICH.parts, usage=usage)]) as server:
        events = await events_of(server)

    response = events[-1].response
    reasoning, message, read, tree = response.output
    assert (reasoning.summary[0].text, bool(reasoning.encrypted_content)) == ("First a, then b.", True)
    assert message.content[0].text == "Olá, mundo ✓"
    assert (json.loads(read.arguments), tree.arguments) == ({"file": "ação.py"}, "{}")
    assert read.call_id != tree.call_id
    assert (response.status, response.usage.input_tokens, response.usage.output_tokens) == (
        "completed",
        1050,
        30,
    )
    assert response.usage.input_tokens_details.cached_tokens == 900
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert server.violations == []


async def test_an_empty_reply_is_a_reply_on_each_wire():
    with serve(lambda seen: reply()) as server:
        message, chunks, events = await message_of(server), await chunks_of(server), await events_of(server)

    assert (message.content, message.stop_reason) == ([], "end_turn")
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert events[-1].response.output == []


async def test_a_refusal_is_named_on_each_wire():
    with serve(lambda seen: refusal("No.")) as server:
        message, chunks, events = await message_of(server), await chunks_of(server), await events_of(server)

    assert message.stop_reason == "refusal"
    assert chunks[1].choices[0].delta.refusal == "No."
    assert events[-1].response.output[0].content[0].refusal == "No."


async def test_a_call_that_the_output_limit_cuts_is_not_whole():
    with serve(lambda seen: reply(broken_call("write", '{"file": "a.py", "te'), stop="max_tokens")) as server:
        chunks, events = await chunks_of(server), await events_of(server)

    assert chunks[-2].choices[0].finish_reason == "length"
    assert events[-1].type == "response.incomplete"
    assert events[-1].response.incomplete_details.reason == "max_output_tokens"
    assert events[-1].response.output[0].status == "incomplete"


async def test_errors_before_the_reply_have_the_classes_of_the_sdks():
    script = [status(429, retry_after_seconds=2), status(529), status(500), overflow()]
    kinds = [
        anthropic.RateLimitError,
        anthropic.APIStatusError,
        anthropic.InternalServerError,
        anthropic.BadRequestError,
    ]
    raised = []
    with serve(script) as server:
        for kind in kinds:
            with pytest.raises(kind) as caught:
                await message_of(server)
            raised.append((caught.value.status_code, caught.value.body["error"]["type"]))

    assert raised == [
        (429, "rate_limit_error"),
        (529, "overloaded_error"),
        (500, "api_error"),
        (400, "invalid_request_error"),
    ]
    assert [e.state for e in server.exchanges] == ["failed"] * 4


async def test_openai_reads_retry_after_and_codes():
    with serve([status(429, retry_after_seconds=0.5), overflow()]) as server:
        with pytest.raises(openai.RateLimitError) as limited:
            await chunks_of(server)
        with pytest.raises(openai.BadRequestError) as too_long:
            await events_of(server)

    assert limited.value.response.headers["retry-after"] == "0.5"
    assert too_long.value.code == "context_length_exceeded"


async def test_an_error_inside_the_stream_is_raised_by_the_sdks():
    with serve(lambda seen: reply("Half", break_off("Overloaded"))) as server:
        with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
            await message_of(server)
        with pytest.raises(openai.APIError, match="Overloaded"):
            await chunks_of(server)
        events = await events_of(server)

    assert (events[-1].type, events[-1].response.error.message) == ("response.failed", "Overloaded")


async def test_a_count_of_tokens_is_that_of_the_request():
    with serve([reply("Ok")]) as server:
        body = body_of("anthropic")
        async with anthropic_client(server) as client:
            keys = ("model", "messages", "system", "tools")
            counted = await client.messages.count_tokens(**{key: body[key] for key in keys})
        message = await message_of(server)

    assert counted.input_tokens == message.usage.input_tokens


async def test_both_sdks_list_the_models():
    with serve([]) as server:
        async with anthropic_client(server) as one, openai_client(server) as other:
            names = (
                [model.id async for model in await one.models.list()],
                [m.id async for m in await other.models.list()],
            )

    assert names[0] == names[1] == list(server.options.models)
