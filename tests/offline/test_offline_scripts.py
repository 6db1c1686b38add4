"""Scripts: fixed replies that the OFFLINE provider plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatcli.errors import BadRequest, InvalidArguments, UsageError
from chatcli.events import ReasoningDelta, Reply, TextDelta
from chatcli.messages import AssistantMessage, Text, UserMessage
from chatcli.providers.base import Request
from chatcli.providers.offline import Offline


@pytest.fixture
def script(tmp_path: Path):
    def write(*lines: str) -> Path:
        path = tmp_path / "script.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return write


async def play(provider: Offline, replies_before: int = 0) -> tuple[list, Reply]:
    said = AssistantMessage(seq=2, parts=(Text("x"),), provider="OFFLINE", model="rules")
    messages = (UserMessage(seq=1, parts=(Text("go"),)), *(said for _ in range(replies_before)))
    request = Request(model="rules", system=(), tools=(), messages=messages)
    *events, reply = [event async for event in provider.stream(request)]
    return events, reply


async def test_the_next_reply_follows_from_the_replies_in_the_request(script) -> None:
    path = script('{"text": "first"}', "", "# a comment", '{"text": "second"}')
    provider = Offline(model=f"script:{path}")
    assert (await play(provider, 1))[1].parts == (Text("second"),)
    assert (await play(provider, 0))[1].parts == (Text("first"),)


async def test_a_variable_names_the_script_too(script) -> None:
    path = script('{"text": "hi"}')
    provider = Offline(environment={"CHATCLI_OFFLINE_SCRIPT": str(path)})
    assert (await play(provider))[1].parts == (Text("hi"),)


def test_the_model_names_what_answers(script) -> None:
    path = script('{"text": "hi"}')
    assert Offline(environment={"CHATCLI_OFFLINE_SCRIPT": str(path)}).model == f"script:{path}"
    assert Offline().model == "rules"
    assert Offline("claude-of-yesterday").model == "rules"


async def test_text_arrives_in_the_pieces_that_the_script_gives(script) -> None:
    path = script('{"text": ["a", "b"], "reasoning": "why"}')
    events, reply = await play(Offline(model=f"script:{path}"))
    assert events[:3] == [ReasoningDelta("why"), TextDelta("a"), TextDelta("b")]
    assert reply.parts[1] == Text("ab")


async def test_calls_usage_and_stop_reason_are_the_scripts(script) -> None:
    line = (
        '{"calls": [{"name": "read", "arguments": {"file": "a"}},'
        ' {"name": "x", "arguments": "{broken", "id": "c"}],'
        ' "usage": {"input": 7, "output": 3, "cost_usd": 0.5}, "stop_reason": "max_tokens"}'
    )
    _events, reply = await play(Offline(model=f"script:{script(line)}"))
    first, second = reply.parts
    assert (first.id, first.arguments()) == ("offline_1_0", {"file": "a"})
    assert (second.id, second.arguments_json) == ("c", "{broken")
    with pytest.raises(InvalidArguments):
        second.arguments()
    assert (reply.usage.input, reply.usage.output, reply.usage.cost_usd) == (7, 3, 0.5)
    assert reply.stop_reason == "max_tokens"


async def test_a_script_that_is_over_says_so(script) -> None:
    path = script('{"text": "only"}')
    with pytest.raises(BadRequest, match="1"):
        await play(Offline(model=f"script:{path}"), 1)


@pytest.mark.parametrize("line", ["{", '{"txt": "a"}', '{"calls": [{"arguments": {}}]}', "[]"])
def test_a_broken_line_is_named(script, line) -> None:
    path = script('{"text": "fine"}', line)
    with pytest.raises(UsageError, match="line 2") as caught:
        Offline(model=f"script:{path}")
    assert str(path) in caught.value.message


def test_a_script_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nope\.jsonl"):
        Offline(model=f"script:{tmp_path}/nope.jsonl")
