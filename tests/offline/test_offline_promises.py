"""What holds for every request: pure, bounded, honest, whatever the tools return."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatcli.events import Reply, TextDelta, ToolCallDelta, UsageSeen
from chatcli.messages import Archived, AssistantMessage, Message, Text, ToolCall, ToolResult, UserMessage
from chatcli.providers.base import Request
from chatcli.providers.offline import Offline
from chatcli.providers.offline.guide import answer
from chatcli.providers.offline.patterns import fold
from chatcli.tools.registry import Registry
from tests.offline.test_offline_intents import PHRASINGS

TOOLS = Registry.load().schemas()
QUESTIONS = [question for question, _name, _slots in PHRASINGS]
MAX_ROUNDS = 3

result_texts = st.one_of(
    st.text(max_size=200),
    st.sampled_from(
        [
            "./\n[0 folders, 0 files]",
            "./\na/ (3)\nb.py  12\n[1 folders, 1 files; 2 ignored and not counted: x, y]",
            "[lines 1-2 of 9]\none\ntwo\n[go on with start=3]",
            "a.py\n3:def x\n[1 matching lines in 1 files]",
            "[no match for 'x' in .]",
            "[exit 0 in 0.1 s]",
            "x does not exist; there is a/x, b/x",
            "x is a folder; it holds y",
            "x is a file; use read",
        ]
    ),
)
statuses = st.sampled_from(
    ["ok", "ok", "error", "denied", "cancelled", "interrupted", "not_executed", "missing"]
)


def request_of(messages: list[Message]) -> Request:
    return Request(model="rules", system=(), tools=TOOLS, messages=tuple(messages))


def result_of(call: ToolCall, status: str, text: str, seq: int) -> ToolResult:
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    original = Archived(key=digest[:16], sha256=digest, size_bytes=len(text), size_chars=len(text), lines=1)
    return ToolResult(seq=seq, call_id=call.id, name=call.name, status=status, original=original, text=text)


@given(st.sampled_from(QUESTIONS), st.data())
@settings(max_examples=300, deadline=None)
def test_every_plan_ends_whatever_the_tools_return(question, data) -> None:
    messages: list[Message] = [UserMessage(seq=1, parts=(Text(question),))]
    for round_number in range(MAX_ROUNDS + 1):
        draft = answer(request_of(messages))
        if not draft.calls:
            assert "OFFLINE" in "".join(draft.pieces)
            return
        assert round_number < MAX_ROUNDS, "asks for more and more"
        seq = messages[-1].seq + 1
        messages.append(AssistantMessage(seq=seq, parts=draft.calls, provider="OFFLINE", model="rules"))
        for call in draft.calls:
            text = data.draw(result_texts)
            messages.append(result_of(call, data.draw(statuses), text, messages[-1].seq + 1))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_first_call_fits_the_schema_of_its_tool(question) -> None:
    registry = Registry.load()
    for call in answer(request_of([UserMessage(seq=1, parts=(Text(question),))])).calls:
        registry.tools[call.name].validate(call.arguments())


@given(st.text(max_size=300))
@settings(deadline=None)
def test_the_same_request_gets_the_same_reply(question) -> None:
    request = request_of([UserMessage(seq=1, parts=(Text(question),))])
    assert answer(request) == answer(request)


def test_call_ids_never_repeat_in_a_session() -> None:
    first = answer(request_of([UserMessage(seq=1, parts=(Text("what is here?"),))]))
    messages: list[Message] = [UserMessage(seq=1, parts=(Text("what is here?"),))]
    messages.append(AssistantMessage(seq=2, parts=first.calls, provider="OFFLINE", model="rules"))
    messages += [result_of(call, "ok", "./\n[0 folders, 0 files]", 3) for call in first.calls]
    messages.append(UserMessage(seq=9, parts=(Text("what is here?"),)))
    second = answer(request_of(messages))
    assert not {call.id for call in first.calls} & {call.id for call in second.calls}


def test_a_message_that_came_while_it_worked_is_answered_next() -> None:
    first = answer(request_of([UserMessage(seq=1, parts=(Text("what is here?"),))]))
    messages: list[Message] = [UserMessage(seq=1, parts=(Text("what is here?"),))]
    messages.append(AssistantMessage(seq=2, parts=first.calls, provider="OFFLINE", model="rules"))
    messages += [result_of(call, "ok", "./\n[0 folders, 0 files]", 3) for call in first.calls]
    messages.append(UserMessage(seq=9, parts=(Text("thanks"),)))
    assert "welcome" in "".join(answer(request_of(messages)).pieces)


def test_a_very_long_request_is_given_up_quickly() -> None:
    draft = answer(request_of([UserMessage(seq=1, parts=(Text("show " * 100_000),))]))
    assert not draft.calls


@given(st.text())
def test_folding_keeps_every_position(text) -> None:
    assert len(fold(text)) == len(text)


async def test_the_stream_ends_with_a_reply_that_holds_what_was_streamed() -> None:
    request = request_of([UserMessage(seq=1, parts=(Text("hello"),))])
    *deltas, usage, reply = [event async for event in Offline().stream(request)]
    assert isinstance(reply, Reply)
    assert isinstance(usage, UsageSeen)
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == reply.parts[0].text
    assert reply.usage.estimated
    assert reply.usage.cost_usd == 0.0
    assert reply.usage.input > 0


async def test_calls_are_streamed_like_those_of_a_model() -> None:
    request = request_of([UserMessage(seq=1, parts=(Text("show README.md"),))])
    events = [event async for event in Offline().stream(request)]
    assert isinstance(events[0], ToolCallDelta)
    assert events[-1].parts[0].arguments_json == events[0].arguments
    assert events[-1].stop_reason == "tool_calls"
