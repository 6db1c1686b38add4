"""What Gemini is sent: its subset of schemas, signatures in their own parts, results by name and order."""

from __future__ import annotations

import json

import pytest

from chatcli.messages import AssistantMessage, Reasoning, Text, ToolCall, ToolSchema
from chatcli.providers.encoding import encode
from chatcli.providers.gemini_body import render
from chatcli.providers.gemini_schema import subset
from tests.providers.conversation import call, request, result, user

MODEL = "gemini-3.8-flash"


def body(*messages, model=MODEL, **fields):
    asked = request(*messages, model=model, **fields)
    return json.loads(encode(render(asked, provider="GOOGLEAI")))


def said(*parts, provider="GOOGLEAI", model=MODEL):
    return AssistantMessage(seq=2, parts=parts, provider=provider, model=model)


def of(schema):
    """The converted schema of one parameter."""
    return subset({"type": "object", "properties": {"a": schema}})["properties"]["a"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "description": "d", "default": "x"}, {"type": "string", "description": "d"}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "integer", "nullable": True}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        ),
        ({"const": "on"}, {"type": "string", "enum": ["on"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer"}),
        ({"type": "string", "format": "uri"}, {"type": "string"}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        (
            {
                "type": "object",
                "properties": {"b": {"type": "boolean"}},
                "required": ["b"],
                "additionalProperties": False,
            },
            {"type": "object", "properties": {"b": {"type": "boolean"}}, "required": ["b"]},
        ),
    ],
)
def test_schemas_become_the_subset_that_the_service_takes(schema, expected):
    assert of(schema) == expected


def test_references_are_written_out_and_circles_end():
    tree = {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
    }
    assert subset(tree)["properties"]["root"] == {
        "type": "object",
        "properties": {"next": {"type": "object"}},
    }


def test_a_tool_without_parameters_has_no_schema():
    ping = ToolSchema(name="ping", description="Ping.", parameters={"type": "object", "properties": {}})
    assert body(tools=(ping,))["tools"] == [
        {"functionDeclarations": [{"name": "ping", "description": "Ping."}]}
    ]


def test_signatures_go_back_in_the_parts_in_which_they_came():
    parts = (
        Reasoning(text="Hm.", opaque={"thoughtSignature": "s-thought"}),
        Text("Hello"),
        Reasoning(opaque={"thoughtSignature": "s-text", "signs_text": True}),
        ToolCall(id="c1", name="read", extra={"thoughtSignature": "s-call", "id": "c1"}),
        ToolCall(id="c2", name="read", extra={"id": "c2"}),
    )
    sent = body(user(1, "Go."), said(*parts), result(3, "c1", "A"), result(4, "c2", "B"))["contents"]
    assert sent[1]["parts"] == [
        {"text": "Hm.", "thought": True, "thoughtSignature": "s-thought"},
        {"text": "Hello", "thoughtSignature": "s-text"},
        {"functionCall": {"id": "c1", "name": "read", "args": {}}, "thoughtSignature": "s-call"},
        {"functionCall": {"id": "c2", "name": "read", "args": {}}},
    ]
    assert [part["functionResponse"]["id"] for part in sent[2]["parts"]] == ["c1", "c2"]


@pytest.mark.parametrize("other", [{"model": "gemini-2.5-pro"}, {"provider": "VERTEX"}])
def test_signatures_of_another_model_or_service_stay_away(other):
    parts = (
        Reasoning(text="Hm.", opaque={"thoughtSignature": "s-thought"}),
        Text("Hello"),
        Reasoning(opaque={"thoughtSignature": "s-text", "signs_text": True}),
        Reasoning(opaque={"thoughtSignature": "s-alone"}),
    )
    sent = body(user(1, "Hi."), said(*parts, **other), user(3, "On."))["contents"]
    assert sent[1]["parts"] == [{"text": "Hello"}]


def test_a_signature_that_came_alone_stays_alone():
    parts = (Text("Hello"), Reasoning(opaque={"thoughtSignature": "s"}))
    sent = body(user(1, "Hi."), said(*parts), user(3, "On."))["contents"]
    assert sent[1]["parts"] == [{"text": "Hello"}, {"text": "", "thoughtSignature": "s"}]


def test_blank_text_is_left_out_unless_it_is_signed():
    marker = Reasoning(opaque={"thoughtSignature": "s", "signs_text": True})
    sent = body(user(1, "Hi."), said(Text("\n"), Text("Hello"), Text(" "), marker), user(3, "On."))[
        "contents"
    ]
    assert sent[1]["parts"] == [{"text": "Hello"}, {"text": " ", "thoughtSignature": "s"}]


@pytest.mark.parametrize(("model", "signed"), [(MODEL, True), ("gemini-2.5-pro", False)])
def test_calls_of_another_model_are_marked_as_unsigned_where_signatures_are_wanted(model, signed):
    foreign = said(
        Reasoning(text="Hm.", opaque={"type": "thinking", "signature": "s"}),
        call("toolu_1"),
        call("toolu_2"),
        provider="CLAUDEAI",
        model="claude-sonnet-5-5",
    )
    sent = body(user(1, "Go."), foreign, result(3, "toolu_1", "A"), result(4, "toolu_2", "B"), model=model)
    parts = sent["contents"][1]["parts"]
    assert ["thoughtSignature" in part for part in parts] == [signed, False]
    assert all("id" not in part["functionCall"] for part in parts)


def test_results_stand_in_call_order_and_errors_say_so():
    both = said(call("c1"), call("c2", name="tree"))
    messages = (
        user(1, "Go."),
        both,
        result(3, "c2", "no such folder", status="error", name="tree"),
        result(4, "c1", "A"),
        user(5, "And?"),
    )
    sent = body(*messages)["contents"]
    assert [part["functionResponse"] for part in sent[2]["parts"]] == [
        {"name": "read", "response": {"output": "A"}},
        {"name": "tree", "response": {"error": "no such folder"}},
    ]
    assert sent[3] == {"role": "user", "parts": [{"text": "And?"}]}


def test_thoughts_are_asked_for_where_there_are_any():
    assert body()["generationConfig"] == {"thinkingConfig": {"includeThoughts": True}}
    assert "generationConfig" not in body(model="gemma-4")
    assert body(model="gemma-4", max_output_tokens=9)["generationConfig"] == {"maxOutputTokens": 9}
