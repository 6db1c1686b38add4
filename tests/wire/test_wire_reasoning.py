"""What a service signs or encrypts must come back unchanged and in its place while the tool loop runs."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.wire.bodies import body_of
from tests.wire.script import call, reply, think
from tests.wire.server import WireServer, serve
from tests.wire.test_wire_refusals import send

THINKS = [
    reply(think("First this."), "Then ", call("read", file="a"), call("read", file="b")),
    reply("Done."),
]


def events_of(text: str) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


def anthropic_turn(server: WireServer) -> dict[str, Any]:
    """The body of the second request, as a client that returns everything unchanged sends it."""
    body = body_of("anthropic")
    body["messages"] = body["messages"][:1]
    blocks: list[dict[str, Any]] = []
    for event in events_of(send(server, "anthropic", body).text):
        match event:
            case {"type": "content_block_start", "content_block": block}:
                blocks.append(dict(block))
            case {"delta": {"type": "text_delta", "text": piece}}:
                blocks[-1]["text"] += piece
            case {"delta": {"type": "thinking_delta", "thinking": piece}}:
                blocks[-1]["thinking"] += piece
            case {"delta": {"type": "signature_delta", "signature": piece}}:
                blocks[-1]["signature"] += piece
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    body["messages"].append({"role": "assistant", "content": blocks})
    results = [{"type": "tool_result", "tool_use_id": call_id, "content": "x"} for call_id in calls]
    body["messages"].append({"role": "user", "content": results})
    return body


def responses_turn(server: WireServer) -> dict[str, Any]:
    body = body_of("responses")
    body["input"] = body["input"][:1]
    final = events_of(send(server, "responses", body).text)[-1]["response"]
    body["input"] += final["output"]
    for item in final["output"]:
        if item["type"] == "function_call":
            body["input"].append({"type": "function_call_output", "call_id": item["call_id"], "output": "x"})
    return body


def openrouter_turn(server: WireServer) -> dict[str, Any]:
    body = body_of("openrouter")
    body["messages"] = body["messages"][:2]
    message: dict[str, Any] = {
        "role": "assistant",
        "content": "Then ",
        "reasoning_details": [],
        "tool_calls": [],
    }
    for event in events_of(send(server, "openrouter", body).text):
        delta = event["choices"][0]["delta"] if event["choices"] else {}
        message["reasoning_details"] += delta.get("reasoning_details", [])
        for fragment in delta.get("tool_calls", []):
            if "id" in fragment:
                message["tool_calls"].append({key: fragment[key] for key in ("id", "type", "function")})
            else:
                message["tool_calls"][-1]["function"]["arguments"] += fragment["function"]["arguments"]
    body["messages"].append(message)
    body["messages"] += [
        {"role": "tool", "tool_call_id": made["id"], "content": "x"} for made in message["tool_calls"]
    ]
    return body


TURNS: dict[str, Callable[[WireServer], dict[str, Any]]] = {
    "anthropic": anthropic_turn,
    "responses": responses_turn,
    "openrouter": openrouter_turn,
}


def rules(server: WireServer) -> list[str]:
    return [violation.rule for violation in server.violations]


@pytest.mark.parametrize("wire", TURNS)
def test_a_turn_returned_unchanged_is_accepted(wire):
    with serve(THINKS) as server:
        response = send(server, wire, TURNS[wire](server))

    assert response.status_code == 200
    assert rules(server) == []


def alter_thinking(body: dict[str, Any]) -> None:
    body["messages"][1]["content"][0]["thinking"] = "Second this."


def alter_signature(body: dict[str, Any]) -> None:
    body["messages"][1]["content"][0]["signature"] = "bm90IG91cnM="


def drop_thinking(body: dict[str, Any]) -> None:
    del body["messages"][1]["content"][0]


def change_model(body: dict[str, Any]) -> None:
    body["model"] = "claude-fable-5-2"


def empty_thinking(body: dict[str, Any]) -> None:
    body["messages"][1]["content"][0]["thinking"] = ""


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (alter_thinking, "thinking_signature"),
        (alter_signature, "thinking_signature"),
        (change_model, "thinking_signature"),
        (drop_thinking, "thinking_missing"),
        (empty_thinking, "thinking_missing"),
    ],
)
def test_anthropic_refuses_thinking_that_changed_or_is_missing(damage, rule):
    with serve(THINKS) as server:
        body = anthropic_turn(server)
        damage(body)
        response = send(server, "anthropic", body)

    assert response.status_code == 400
    assert rules(server) == [rule]


def test_thinking_may_be_dropped_when_its_tool_loop_is_over():
    with serve([*THINKS, reply("Again.")], same_prefix=False) as server:
        body = anthropic_turn(server)
        body["messages"] += [
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Once more."},
        ]
        drop_thinking(body)
        response = send(server, "anthropic", body)

    assert response.status_code == 200
    assert rules(server) == []


def alter_content(body: dict[str, Any]) -> None:
    body["input"][1]["encrypted_content"] += "A"


def move_reasoning(body: dict[str, Any]) -> None:
    body["input"].insert(3, body["input"].pop(1))


def drop_reasoning(body: dict[str, Any]) -> None:
    del body["input"][1]


def drop_content(body: dict[str, Any]) -> None:
    del body["input"][1]["encrypted_content"]


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (alter_content, "reasoning_missing"),
        (move_reasoning, "reasoning_missing"),
        (drop_reasoning, "reasoning_missing"),
        (drop_content, "encrypted_content"),
    ],
)
def test_responses_refuses_reasoning_that_changed_moved_or_is_missing(damage, rule):
    with serve(THINKS) as server:
        body = responses_turn(server)
        damage(body)
        response = send(server, "responses", body)

    assert response.status_code in (400, 404)
    assert rules(server) == [rule]


def test_a_call_needs_only_the_reasoning_in_front_of_it():
    script = [
        reply(think("One."), call("read", file="a"), think("Two."), call("read", file="b")),
        reply("Done."),
    ]
    with serve(script) as server:
        response = send(server, "responses", responses_turn(server))

    assert response.status_code == 200
    assert rules(server) == []


def test_reasoning_of_another_model_may_be_dropped():
    with serve(THINKS, same_prefix=False) as server:
        body = responses_turn(server) | {"model": "gpt-6-luna"}
        drop_reasoning(body)
        response = send(server, "responses", body)

    assert response.status_code == 200


def test_openrouter_wants_its_reasoning_details_verbatim():
    with serve(THINKS) as server:
        body = openrouter_turn(server)
        altered = copy.deepcopy(body)
        altered["messages"][2]["reasoning_details"][0]["text"] = "Second this."
        response = send(server, "openrouter", altered)

    assert response.status_code == 400
    assert rules(server) == ["reasoning_missing"]
