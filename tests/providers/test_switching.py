"""Provider and model change in the middle of a session, even of a tool loop: nothing said is lost.

From every wire to every other and back. What only its maker can read goes back to its maker, and to
nobody else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from chatcli.messages import AssistantMessage, Message, Reasoning, ToolCall
from chatcli.providers.base import Provider
from chatcli.providers.exchanges import same_source
from tests.providers.conversation import request, result, user
from tests.providers.rows import provider_of
from tests.wire import script
from tests.wire.seen import Seen
from tests.wire.server import serve

FIRST = (
    "claudeai",
    "bedrock-invoke",
    "bedrock-converse",
    "openai-responses",
    "zai",
    "moonshot",
    "openrouter",
    "googleai",
    "ollama",
    "copilot-chat",
    "stackspot-flat",
    "claudeai-in-text",
    "googleai-in-text",
)
"""One row for each way to keep reasoning, and for calls that are text."""
SECOND = (*FIRST, "openai-chat", "openai-responses-in-text")


def think_and_call(seen: Seen) -> script.Reply:
    return script.reply(script.think(f"As {seen.wire} thinks."), "I look.", script.call("read", file="é.py"))


async def go_on(provider: Provider, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The conversation with the reply and the results of its calls."""
    asked = request(*messages, model=provider.model)
    reply = [event async for event in provider.stream(asked)][-1]
    seq = len(messages) + 1
    said = AssistantMessage(seq=seq, parts=reply.parts, provider=provider.name, model=reply.model)
    results = [result(seq + 1 + i, call.id, f"result {seq}") for i, call in enumerate(said.calls)]
    return (*messages, said, *results)


def opaque_values(message: Message) -> Iterator[str]:
    """Signatures and the like: strings that nobody writes by chance."""
    assert isinstance(message, AssistantMessage)
    for part in message.parts:
        match part:
            case Reasoning(opaque=fields) | ToolCall(extra=fields):
                yield from (v for v in fields.values() if isinstance(v, str) and len(v) > 20)


@pytest.mark.parametrize("first", FIRST)
async def test_any_wire_goes_on_where_another_stopped_and_gives_back(first, tmp_path):
    with serve(think_and_call, same_prefix=False) as server:
        providers = {name: provider_of(name, server, tmp_path) for name in SECOND}
        try:
            begun = await go_on(providers[first], (user(1, "Go."),))
            said = begun[1]
            for name, other in providers.items():
                continued = await go_on(other, begun)
                body = json.dumps(server.exchanges[-1].seen.body)
                assert "result 2" in body, name
                assert "I look." in body, name
                kept = [value for value in opaque_values(said) if value in body]
                assert kept == [] or same_source(said, other.name, other.model), name
                assert name != first or "in-text" in name or kept == list(opaque_values(said))
                if not isinstance(continued[-1], AssistantMessage):
                    await go_on(providers[first], continued)
        finally:
            for provider in providers.values():
                await provider.aclose()
    assert server.violations == []
