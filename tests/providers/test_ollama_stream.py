"""Lines of Ollama's native chat."""

from __future__ import annotations

import pytest

from chatcli.errors import (
    AuthError,
    BadRequest,
    ContextOverflow,
    ModelNotFound,
    NetworkError,
    Overloaded,
)
from chatcli.events import ReasoningDelta, TextDelta
from chatcli.messages import Reasoning, Text, ToolCall, Usage
from chatcli.providers.ollama import Ollama
from tests.providers.conversation import receive, request, service, user
from tests.providers.loopback import Act, in_pieces, lines, loopback, refusal

DONE = {"done": True, "done_reason": "stop", "prompt_eval_count": 50, "eval_count": 9}


def provider(url: str, **fields) -> Ollama:
    given = {"idle_seconds": 5.0, **fields}
    return Ollama(service("OLLAMA", "gpt-oss:20b", url, local=True, key="", window_tokens=8192, **given))


def message(**content):
    return {"model": "gpt-oss:20b", "message": {"role": "assistant", **content}, "done": False}


def called(name, **arguments):
    return {"function": {"name": name, "arguments": arguments}}


async def answered(*objects, asked=None):
    async with loopback(lines(*objects)) as server:
        return await receive(provider(server.url), asked or request(model="gpt-oss:20b"))


async def test_a_plain_answer():
    events, reply = await answered(message(content="Olá, "), message(content="você."), DONE)
    assert events == [TextDelta("Olá, "), TextDelta("você.")]
    assert reply.parts == (Text("Olá, você."),)
    assert (reply.stop_reason, reply.usage) == ("end", Usage(input=50, output=9))


async def test_thinking_and_calls_with_ids_that_follow_from_the_conversation():
    events, reply = await answered(
        message(content="", thinking="Hm."),
        message(content="", tool_calls=[called("read", file="a.py"), called("tree")]),
        {**DONE, "message": {"role": "assistant", "content": ""}},
        asked=request(user(41, "Go."), model="gpt-oss:20b"),
    )
    assert events[0] == ReasoningDelta("Hm.")
    assert reply.parts == (
        Reasoning(text="Hm."),
        ToolCall(id="call_41_1", name="read", arguments_json='{"file":"a.py"}'),
        ToolCall(id="call_41_2", name="tree", arguments_json="{}"),
    )
    assert reply.stop_reason == "tool_calls"


async def test_a_reply_that_the_limit_cut():
    _, reply = await answered(message(content="On and on"), {**DONE, "done_reason": "length"})
    assert reply.stop_reason == "max_tokens"


@pytest.mark.parametrize("size_bytes", [1, 3])
async def test_chunks_may_cut_through_characters_and_strings_may_hold_other_line_ends(size_bytes):
    odd = "日本\u2028🙂\u0085."
    async with loopback(in_pieces(lines(message(content=odd), DONE), size_bytes)) as server:
        _, reply = await receive(provider(server.url))
    assert reply.parts == (Text(odd),)


@pytest.mark.parametrize("last", [Act.CUT, message(content=".")])
async def test_a_stream_without_done_was_cut(last):
    with pytest.raises(NetworkError, match="lost before the reply"):
        await answered(message(content="Hm"), last)


async def test_silence_in_the_middle_is_an_error():
    async with loopback(lines(message(content="Hm"), Act.STALL)) as server:
        with pytest.raises(NetworkError, match=r"sent nothing for 0\.2 seconds"):
            await receive(provider(server.url, idle_seconds=0.2))


async def test_an_error_inside_the_stream():
    with pytest.raises(Overloaded):
        await answered(message(content="Hm"), {"error": "llama runner process has terminated"})


async def test_a_line_that_is_no_json_is_a_cut_stream():
    async with loopback(in_pieces(lines({"message": {}}), 6)) as server:
        server._answers[0] = type(server._answers[0])(pieces=(b'{"message": \n',))
        with pytest.raises(NetworkError):
            await receive(provider(server.url))


async def test_an_unknown_model_comes_with_the_command_that_gets_it():
    async with loopback(refusal(404, {"error": "model 'gpt-oss:20b' not found"})) as server:
        with pytest.raises(ModelNotFound) as caught:
            await receive(provider(server.url))
    assert "ollama pull gpt-oss:20b" in caught.value.hint


async def test_only_a_long_prompt_can_be_too_long():
    refused = refusal(400, {"error": "the input length exceeds the context length"})
    async with loopback(refused, refused) as server:
        with pytest.raises(BadRequest, match="the input length exceeds"):
            await receive(provider(server.url))
        with pytest.raises(ContextOverflow):
            await receive(provider(server.url), request(user(1, "x" * 20_000), model="gpt-oss:20b"))


async def test_nobody_at_home():
    async with loopback() as server:
        url = server.url
    with pytest.raises(NetworkError) as caught:
        await receive(provider(url))
    assert "ollama serve" in caught.value.hint
    assert url in caught.value.message


async def test_a_key_for_a_distant_ollama_is_sent():
    keyed = service("OLLAMA", "gpt-oss:20b", key="sk-cloud", local=True)
    async with loopback(lines(DONE), refusal(401, {"error": "unauthorized"})) as server:
        for expected in (None, AuthError):
            cloud = Ollama(service("OLLAMA", "gpt-oss:20b", server.url, key=keyed.key))
            if expected is None:
                await receive(cloud)
                continue
            with pytest.raises(expected):
                await receive(cloud)
        assert server.received[0].headers["authorization"] == "Bearer sk-cloud"
