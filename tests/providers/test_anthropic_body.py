"""What is sent to Anthropic, byte for byte: the service refuses histories that break its rules, for ever."""

from __future__ import annotations

import pytest

from chatcli.messages import Attachment, Reasoning, Text, UserMessage
from chatcli.providers.anthropic_body import render
from chatcli.providers.base import Block, Marks
from chatcli.providers.encoding import encode
from tests.providers.conversation import NOTHING, assistant, call, request, result, user

THINKING = Reasoning(text="Hm.", opaque={"type": "thinking", "signature": "s1g"})
REDACTED = Reasoning(opaque={"type": "redacted_thinking", "data": "x0x"})
MARK = {"type": "ephemeral"}


def rendered(*messages, **fields):
    return render(request(*messages, **fields), provider="CLAUDEAI", max_output_tokens=1000)


def messages_of(*messages, **fields):
    return rendered(*messages, **fields)["messages"]


def test_the_body_is_these_bytes():
    body = rendered(user(1, "Read it."), assistant(2, Text("Yes."), call("c1")), result(3, "c1", "two lines"))
    assert encode(body).decode() == (
        '{"model":"claude-sonnet-5-5","max_tokens":1000,"stream":true,'
        '"system":[{"type":"text","text":"Be brief."}],'
        '"tools":[{"name":"read","description":"Read a file.","input_schema":{"type":"object",'
        '"properties":{"file":{"type":"string"}},"required":["file"]}}],'
        '"messages":[{"role":"user","content":[{"type":"text","text":"Read it."}]},'
        '{"role":"assistant","content":[{"type":"text","text":"Yes."},'
        '{"type":"tool_use","id":"c1","name":"read","input":{"file": "a.py"}}]},'
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"two lines"}]}]}'
    )


def test_results_stand_first_in_call_order_and_texts_behind_them_in_one_message():
    content = messages_of(
        user(1, "Go."),
        assistant(2, call("c1"), call("c2")),
        user(3, "And hurry."),
        result(4, "c2", "second"),
        result(5, "c1", "first", status="error"),
        user(6, "Please."),
    )[2]["content"]
    assert content == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "first", "is_error": True},
        {"type": "tool_result", "tool_use_id": "c2", "content": "second"},
        {"type": "text", "text": "And hurry."},
        {"type": "text", "text": "Please."},
    ]


def test_messages_of_one_role_are_merged():
    two_of_each = [user(1, "A"), user(2, "B"), assistant(3, Text("C")), assistant(4, Text("D")), user(5, "E")]
    merged = messages_of(*two_of_each)
    assert [(m["role"], [b["text"] for b in m["content"]]) for m in merged] == [
        ("user", ["A", "B"]),
        ("assistant", ["C", "D"]),
        ("user", ["E"]),
    ]


def test_nothing_empty_is_sent():
    asked, called, got, said_nothing, again = messages_of(
        user(1, "", "Go."),
        assistant(2, Text(" \n"), call("c1")),
        result(3, "c1", ""),
        assistant(4, Text("")),
        assistant(5, Text("No.")),
        user(6, "?"),
    )
    assert asked["content"] == [{"type": "text", "text": "Go."}]
    assert [block["type"] for block in called["content"]] == ["tool_use"]
    assert got["content"] == [{"type": "tool_result", "tool_use_id": "c1"}]
    assert said_nothing["content"] == [{"type": "text", "text": "No."}]
    assert again["content"] == [{"type": "text", "text": "?"}]


def test_an_attachment_is_a_block_of_its_own():
    message = UserMessage(
        seq=1, parts=(Text("See:"), Attachment(path="a.py", text="<file>x</file>", original=NOTHING))
    )
    assert messages_of(message)[0]["content"] == [
        {"type": "text", "text": "See:"},
        {"type": "text", "text": "<file>x</file>"},
    ]


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ('{"b": 1.0,  "a": [1e3]}', '{"b": 1.0,  "a": [1e3]}'),
        ("", "{}"),
        ("  \n", "{}"),
        ('{"file": "a', '{"_unparsable_arguments":"{\\"file\\": \\"a"}'),
        ("[1, 2]", '{"_unparsable_arguments":"[1, 2]"}'),
        ("\ud83d", '{"_unparsable_arguments":"\ufffd"}'),
    ],
)
def test_arguments_go_back_as_they_were_written(written, sent):
    body = encode(rendered(user(1, "Go."), assistant(2, call("c1", written)), result(3, "c1", "x")))
    assert f'"input":{sent}}}' in body.decode()


def content_between(message, **fields):
    """The blocks of a reply that stands between two user messages."""
    return messages_of(user(1, "Go."), message, user(3, "On."), **fields)[1]["content"]


def test_thinking_goes_back_unchanged_to_the_model_that_thought_it():
    assert content_between(assistant(2, THINKING, REDACTED, Text("Yes."))) == [
        {"type": "thinking", "thinking": "Hm.", "signature": "s1g"},
        {"type": "redacted_thinking", "data": "x0x"},
        {"type": "text", "text": "Yes."},
    ]


@pytest.mark.parametrize(
    "source",
    [
        {"provider": "OPENROUTER"},
        {"model": "claude-haiku-5-5"},
        {"provider": "OPENAI", "model": "gpt-6.1-sol"},
    ],
)
def test_thinking_of_another_model_or_provider_is_left_out(source):
    content = content_between(assistant(2, THINKING, Text("Yes."), **source))
    assert content == [{"type": "text", "text": "Yes."}]


def test_a_dated_id_is_the_same_model():
    dated = assistant(2, THINKING, Text("Yes."), model="claude-sonnet-5-5-20260929")
    assert content_between(dated)[0]["type"] == "thinking"


def test_thinking_without_a_signature_is_left_out():
    cut = assistant(2, Reasoning(text="Hm.", opaque={"type": "thinking", "signature": ""}), Text("Yes."))
    assert [block["type"] for block in content_between(cut)] == ["text"]


def test_breakpoints_stand_where_they_were_planned():
    body = rendered(
        user(1, "Go."),
        assistant(2, call("c1"), call("c2")),
        result(3, "c1", "a"),
        result(4, "c2", "b"),
        system=(Block("core", "A"), Block("rules", "B"), Block("empty", "")),
        marks=Marks(last_tool=True, system_block=2, messages=(0, 3)),
    )
    assert body["tools"][-1]["cache_control"] == MARK
    assert [block.get("cache_control") for block in body["system"]] == [None, MARK]
    assert [[b.get("cache_control") for b in m["content"]] for m in body["messages"]] == [
        [MARK],
        [None, None],
        [None, MARK],
    ]


def test_a_breakpoint_never_stands_on_thinking():
    content = content_between(assistant(2, Text("Yes."), THINKING), marks=Marks(messages=(1,)))
    assert [block.get("cache_control") for block in content] == [MARK, None]


def test_breakpoints_can_ask_for_an_hour():
    asked = request(user(1, "Go."), marks=Marks(last_tool=True, system_block=0, messages=(0,)))
    body = render(asked, provider="CLAUDEAI", max_output_tokens=1_000, ttl="1h")
    hour = {"type": "ephemeral", "ttl": "1h"}
    marked = [body["tools"][-1], body["system"][0], body["messages"][0]["content"][0]]
    assert [block["cache_control"] for block in marked] == [hour, hour, hour]


def test_ids_that_were_used_before_or_do_not_fit_get_names_that_stay():
    calls = messages_of(
        user(1, "Go."),
        assistant(2, call("call_0")),
        result(3, "call_0", "a"),
        assistant(4, call("call_0"), call("functions.read:1")),
        result(5, "call_0", "b"),
        result(6, "functions.read:1", "c"),
    )
    assert [block["id"] for message in calls for block in message["content"] if "id" in block] == [
        "call_0",
        "call_0_4_0",
        "functions_read_1_4_1",
    ]
    assert [block["tool_use_id"] for block in calls[-1]["content"]] == ["call_0_4_0", "functions_read_1_4_1"]
