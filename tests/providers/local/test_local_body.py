"""Promises about what llama.cpp is sent, over conversations that nobody would think of."""

from __future__ import annotations

import msgspec
from hypothesis import given

from chatcli.messages import AssistantMessage, Text
from chatcli.providers.encoding import encode
from chatcli.providers.local.body import render
from tests.providers.conversation import assistant, call, request, result, user
from tests.providers.test_request_properties import conversations


def messages_of(messages, **fields):
    body = render(request(*messages, **fields), output_tokens=100, looks_first=True)
    return msgspec.json.decode(encode(body))["messages"]


@given(conversations())
def test_roles_alternate_and_the_user_speaks_last(conversation):
    system, *others = messages_of(conversation)
    assert system["role"] == "system"
    assert [message["role"] for message in others] == ["user", "assistant"] * (len(others) // 2) + ["user"]
    assert all(message["content"] for message in others)


@given(conversations())
def test_a_longer_conversation_extends_the_same_text(conversation):
    cuts = [i for i, message in enumerate(conversation) if isinstance(message, AssistantMessage)]
    whole = messages_of(conversation)
    for cut in cuts:
        *before, newest = messages_of(conversation[:cut])
        assert whole[: len(before)] == before
        assert whole[len(before)]["content"].startswith(newest["content"])


def test_the_users_own_words_come_last():
    message = user(1, "What is here?")
    noted = msgspec.structs.replace(
        message, parts=(*message.parts, Text("[context: agent]", origin="context"))
    )
    assert messages_of([noted])[-1]["content"] == "[context: agent]\n\nWhat is here?"


def test_a_tool_is_one_line_and_calls_are_as_they_were_written():
    said = messages_of([user(1, "Read."), assistant(2, call("c", '{"file":"a.py"}')), result(3, "c", "hi")])
    assert "\nread(file): Read a file.\n" in said[0]["content"]
    assert said[-2]["content"] == '{"tool": "read", "arguments": {"file":"a.py"}}'
    assert said[-1]["content"] == "Result of read:\nhi"


def test_without_tools_nothing_is_said_of_them():
    body = render(request(tools=()), output_tokens=100, looks_first=True)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "grammar" not in body
