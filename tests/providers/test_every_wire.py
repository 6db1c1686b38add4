"""One script, every wire: what a provider does must not depend on the wire it speaks.

The other side is the strict scripted server, which refuses what the real services refuse.
"""

from __future__ import annotations

import asyncio
import time

import pytest

from chatcli.errors import (
    AuthError,
    BadRequest,
    BillingError,
    ContextOverflow,
    ModelNotFound,
    NetworkError,
    Overloaded,
    RateLimited,
)
from chatcli.events import TextDelta
from chatcli.messages import AssistantMessage, Text, ToolCall
from chatcli.providers.base import Marks
from chatcli.providers.credentials import Credential
from chatcli.providers.table import create, find_spec
from chatcli.settings import Settings
from tests.providers.conversation import receive, request, result, usages, user
from tests.wire import script
from tests.wire.server import serve
from tests.wire.wires import KEY

WIRES = ("CLAUDEAI", "RESPONSES", "OPENAI", "OPENROUTER", "OLLAMA")
EVERY_MARK = Marks(last_tool=True, system_block=0, messages=(0,))


@pytest.fixture(params=WIRES)
def wire(request):
    return request.param


def provider(wire, server, model="", key=KEY, **settings):
    """A provider from the table, redirected to the server."""
    environment = server.environment() | {"OPENAI_USE_RESPONSES": str(wire == "RESPONSES").lower()}
    spec = find_spec("OPENAI" if wire == "RESPONSES" else wire)
    return create(
        spec, model, Settings(**settings), environment, lambda names: Credential(key, "environment", names[0])
    )


def played(*replies):
    return serve(list(replies))


async def test_a_plain_answer(wire):
    with played(script.reply("Olá, ", "você.")) as server:
        events, reply = await receive(provider(wire, server))
    assert "".join(event.text for event in events) == "Olá, você."
    assert reply.parts == (Text("Olá, você."),)
    assert reply.stop_reason == "end"
    assert reply.usage.context == server.exchanges[0].tally.prompt
    assert reply.usage.output == server.exchanges[0].tally.output
    assert server.violations == []


async def test_calls_and_results_go_back_and_forth(wire):
    """Thinking, two parallel calls, one without arguments; then again in the same conversation."""
    both = script.reply(
        script.think("Look first."), "Both.", script.call("read", file="é.py"), script.call("read")
    )
    with played(both, both, script.reply("Done.")) as server:
        asked = provider(wire, server)
        messages = [user(1, "Go.")]
        for _ in range(3):
            conversation = request(*messages, model=asked.model, marks=EVERY_MARK, cache_key="session")
            reply = [event async for event in asked.stream(conversation)][-1]
            said = AssistantMessage(
                seq=len(messages) + 1, parts=reply.parts, provider=asked.name, model=reply.model
            )
            results = [
                result(len(messages) + 2 + i, call.id, f"text {i}") for i, call in enumerate(said.calls)
            ]
            messages += [said, *reversed(results)]
        await asked.aclose()
    assert server.violations == []
    assert [call.arguments() for call in messages[1].calls] == [{"file": "é.py"}, {}]
    assert messages[-1].text == "Done."
    ids = [call.id for message in messages if isinstance(message, AssistantMessage) for call in message.calls]
    assert len(set(ids)) == 4


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "OLLAMA"])  # arguments are objects there
async def test_broken_arguments_are_kept_and_what_goes_back_is_accepted(wire):
    broken = script.reply(script.broken_call("read", '{"file": "a'))
    with played(broken, script.reply("Sorry.")) as server:
        asked = provider(wire, server)
        reply = [event async for event in asked.stream(request(model=asked.model))][-1]
        assert [part.arguments_json for part in reply.parts] == ['{"file": "a']
        said = AssistantMessage(seq=2, parts=reply.parts, provider=asked.name, model=reply.model)
        answer = result(3, said.calls[0].id, "arguments are not valid JSON", status="error")
        await receive(asked, request(user(1, "Hi."), said, answer, model=asked.model))
    assert server.violations == []


async def test_a_reply_cut_in_a_call_keeps_the_text_and_names_the_call(wire):
    """Ollama hands over whole calls alone."""
    cut = script.reply("I write.", script.broken_call("read", '{"file": "a'), stop="max_tokens")
    with played(cut) as server:
        _, reply = await receive(provider(wire, server))
    assert reply.stop_reason == "max_tokens"
    text, *calls = reply.parts
    assert text == Text("I write.")
    assert [(call.name, call.arguments_json) for call in calls] == [("read", "{}")] * (wire != "OLLAMA")
    assert reply.cut_call_id == "".join(call.id for call in calls)


async def test_an_empty_reply(wire):
    with played(script.reply()) as server:
        events, reply = await receive(provider(wire, server))
    assert (events, reply.parts) == ([], ())


async def test_chunks_that_cut_through_characters(wire):
    with played(script.reply("日本", "é🙂", script.call("read", file="日本"), chunk_bytes=5)) as server:
        _, reply = await receive(provider(wire, server))
    text, call = reply.parts
    assert text == Text("日本é🙂")
    assert isinstance(call, ToolCall)
    assert call.arguments() == {"file": "日本"}


async def test_a_cut_stream(wire):
    long = "Hello. " * 50
    with played(script.reply(long, cut_bytes=200), script.reply(long, cut_bytes=900)) as server:
        with pytest.raises(NetworkError):
            await receive(provider(wire, server))
        told = await usages(provider(wire, server))
    assert told
    assert told[-1].input > 0


async def test_a_stream_that_stalls(wire):
    with played(script.reply("I ", script.hold(), "never come")) as server:
        asked = provider(wire, server, stream_idle_seconds=0.2)
        with pytest.raises(NetworkError, match="sent nothing"):
            await receive(asked)


FAILURES = [
    (script.status(429, retry_after_seconds=7), RateLimited),
    (script.status(529), Overloaded),
    (script.status(500), Overloaded),
    (script.status(400, "what is this?"), BadRequest),
]


@pytest.mark.parametrize(("failure", "kind"), FAILURES)
async def test_failures_before_the_reply(wire, failure, kind):
    with played(failure) as server, pytest.raises(kind) as caught:
        await receive(provider(wire, server))
    error = caught.value
    assert error.provider == ("OPENAI" if wire == "RESPONSES" else wire)
    assert error.provider in error.message
    assert error.status == failure.status
    assert error.retry_after_seconds == failure.retry_after_seconds
    assert KEY not in error.message + error.hint


async def test_a_failure_inside_the_stream(wire):
    with played(script.reply("I ", script.break_off())) as server, pytest.raises(Overloaded):
        await receive(provider(wire, server))


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "CLAUDEAI"])  # there by prose alone
async def test_no_credit(wire):
    with played(script.no_credit()) as server, pytest.raises(BillingError) as caught:
        await receive(provider(wire, server))
    assert not caught.value.retryable


async def test_a_conversation_that_does_not_fit(wire):
    with played(script.overflow()) as server:
        asked = provider(wire, server)
        with pytest.raises(ContextOverflow):
            await receive(asked, request(user(1, "x" * 70_000), model=asked.model))


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "OLLAMA"])  # needs none
async def test_a_wrong_key(wire):
    with played() as server, pytest.raises(AuthError) as caught:
        await receive(provider(wire, server, key="sk-wrong"))
    assert "chatcli setup" in caught.value.hint
    assert "_API_KEY" in caught.value.hint
    assert "sk-wrong" not in caught.value.message + caught.value.hint


async def test_an_unknown_model(wire):
    with played() as server, pytest.raises(ModelNotFound) as caught:
        await receive(provider(wire, server, model="gpt-9"))
    assert "gpt-9" in caught.value.message


async def test_nobody_listens(wire):
    with played() as server:
        asked = provider(wire, server)
    with pytest.raises(NetworkError, match="no connection"):
        await receive(asked)


async def test_a_cancelled_task_closes_the_connection_at_once(wire):
    with played(script.reply("I ", script.hold())) as server:
        asked = provider(wire, server)
        heard = asyncio.Event()

        async def listen():
            async for event in asked.stream(request(model=asked.model)):
                if isinstance(event, TextDelta):
                    heard.set()

        task = asyncio.create_task(listen())
        await heard.wait()
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(server.wait_for_state, "client_closed", 2.0)
        assert time.monotonic() - began < 0.2
        await asked.aclose()


async def test_a_closed_iterator_closes_the_connection_at_once(wire):
    with played(script.reply("I ", script.hold())) as server:
        asked = provider(wire, server)
        stream = asked.stream(request(model=asked.model))
        async for event in stream:
            if isinstance(event, TextDelta):
                break
        began = time.monotonic()
        await stream.aclose()
        await asyncio.to_thread(server.wait_for_state, "client_closed", 2.0)
        assert time.monotonic() - began < 0.2
        await asked.aclose()
