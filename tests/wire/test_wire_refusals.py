"""Every rule of the strict server, broken one at a time on a request that is otherwise valid."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.wire.bodies import HEADERS, PATHS, body_of
from tests.wire.script import reply
from tests.wire.server import WireServer, serve

Damage = Callable[[dict[str, Any]], object]
WIRES = list(PATHS)


def send(server: WireServer, wire: str, body: Any, headers: dict[str, str] | None = None) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body)
    with httpx.Client(trust_env=False) as client:
        return client.post(server.url + PATHS[wire], content=content, headers=HEADERS[wire] | (headers or {}))


def error_text(wire: str, response: httpx.Response) -> str:
    """The message in the place where each service puts it."""
    error = response.json()["error"]
    if wire == "anthropic":
        assert response.json()["type"] == "error"
        assert response.json()["request_id"] == response.headers["request-id"]
    return error if wire == "ollama" else error["message"]


def items(body: dict[str, Any]) -> list[Any]:
    return body["input"] if "input" in body else body["messages"]


def blocks(body: dict[str, Any], i: int) -> list[Any]:
    return items(body)[i]["content"]


def put(path: str, value: Any) -> Damage:
    """Set the value at a dotted path; numbers are indexes."""

    def damage(body: dict[str, Any]) -> None:
        *steps, last = (int(step) if step.lstrip("-").isdigit() else step for step in path.split("."))
        inner: Any = body
        for step in steps:
            inner = inner[step]
        inner[last] = value

    return damage


def drop(path: str) -> Damage:
    """Remove what is at a dotted path."""

    def damage(body: dict[str, Any]) -> None:
        *steps, last = (int(step) if step.lstrip("-").isdigit() else step for step in path.split("."))
        inner: Any = body
        for step in steps:
            inner = inner[step]
        del inner[last]

    return damage


def move(old: int, new: int, where: Callable[[dict[str, Any]], list[Any]] = items) -> Damage:
    return lambda body: where(body).insert(new, where(body).pop(old))


def repeat(i: int, where: Callable[[dict[str, Any]], list[Any]] = items) -> Damage:
    return lambda body: where(body).insert(i, copy.deepcopy(where(body)[i]))


def add(item: Any, where: Callable[[dict[str, Any]], list[Any]] = items) -> Damage:
    return lambda body: where(body).append(item)


def calls(body: dict[str, Any]) -> list[Any]:
    return blocks(body, 1)


def results(body: dict[str, Any]) -> list[Any]:
    return blocks(body, 2)


def tools(body: dict[str, Any]) -> list[Any]:
    return body["tools"]


def mark_all(body: dict[str, Any]) -> None:
    marked = [body["tools"][0], body["system"][0], *calls(body)[:2], *results(body)[:1]]
    for block in marked:
        block["cache_control"] = {"type": "ephemeral"}


def split_results(body: dict[str, Any]) -> None:
    first, *rest = results(body)
    body["messages"][2]["content"] = [first]
    body["messages"].append({"role": "user", "content": rest})


def hour_after_minutes(body: dict[str, Any]) -> None:
    body["tools"][0]["cache_control"] = {"type": "ephemeral"}
    body["system"][0]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}


ANTHROPIC: list[tuple[str, Damage]] = [
    ("missing_field", drop("max_tokens")),
    ("max_tokens", put("max_tokens", 0)),
    ("max_tokens", put("max_tokens", 128_001)),
    ("extraneous", put("temperature", 0.5)),
    ("extraneous", put("messages.0.name", "ana")),
    ("extraneous", put("messages.1.content.1.index", 0)),
    ("thinking_type", put("thinking", {"type": "enabled", "budget_tokens": 2000})),
    ("no_messages", put("messages", [])),
    ("role", put("messages.0.role", "tool")),
    ("first_not_user", drop("messages.0")),
    ("prefill", drop("messages.2")),
    ("empty_message", put("messages.0.content", "")),
    ("empty_message", put("messages.0.content", [])),
    ("empty_text", put("messages.1.content.0.text", "")),
    ("empty_text", put("system.0.text", "")),
    ("blank_text", put("messages.1.content.0.text", " \n")),
    ("empty_text", put("messages.2.content.0.content", [{"type": "text", "text": ""}])),
    ("block_type", put("messages.0.content.0.type", "input_text")),
    ("block_place", add({"type": "tool_result", "tool_use_id": "c1"}, calls)),
    ("tool_use_in_user", add({"type": "tool_use", "id": "c3", "name": "read", "input": {}}, results)),
    ("tool_name", put("tools.0.name", "@read")),
    ("tool_name", put("messages.1.content.1.name", "read file")),
    ("tool_schema", put("tools.0.input_schema", {})),
    ("tool_duplicate", repeat(0, tools)),
    ("tools_missing", drop("tools")),
    ("tool_input", put("messages.1.content.1.input", '{"file": "a"}')),
    ("tool_id", put("messages.1.content.1.id", "call:1")),
    ("tool_id", put("messages.2.content.0.tool_use_id", "")),
    ("duplicate_id", put("messages.1.content.2.id", "c1")),
    ("empty_error", drop("messages.2.content.1.content")),
    ("empty_error", put("messages.2.content.1.content", "")),
    ("orphan_call", drop("messages.2.content.1")),
    ("orphan_call", move(2, 0, results)),
    ("orphan_call", move(2, 1, results)),
    ("orphan_call", split_results),
    ("orphan_result", drop("messages.1.content.2")),
    ("orphan_result", put("messages.2.content.2", {"type": "tool_result", "tool_use_id": "c9"})),
    ("duplicate_result", repeat(0, results)),
    ("breakpoints", mark_all),
    ("cache_control", put("system.0.cache_control", {"type": "ephemeral", "ttl": "10m"})),
    ("ttl_order", hour_after_minutes),
    ("cache_control_empty", put("messages.1.content.0", {"type": "text", "text": "", "cache_control": {}})),
    (
        "extraneous",
        put(
            "messages.1.content.0", {"type": "thinking", "thinking": "", "signature": "", "cache_control": {}}
        ),
    ),
    (
        "thinking_signature",
        put("messages.1.content.0", {"type": "thinking", "thinking": "x", "signature": "eA=="}),
    ),
    ("not_streaming", drop("stream")),
    ("tool_id", put("messages.2.content.0.tool_use_id", ["c1"])),
    ("malformed", put("messages.1.content.1.name", None)),
]

CHAT: list[tuple[str, Damage]] = [
    ("extraneous", put("thinking", {"type": "enabled"})),
    ("extraneous", put("messages.2.reasoning_content", "hm")),
    ("extraneous", put("messages.3.is_error", True)),
    ("missing_field", drop("messages")),
    ("tools_empty", put("tools", [])),
    ("tools_missing", drop("tools")),
    ("tool_name", put("tools.0.function.name", "@read")),
    ("tool_schema", put("tools.0.function.parameters", {})),
    ("tool_duplicate", repeat(0, tools)),
    ("missing_field", put("tools.0", {"type": "function", "function": {}})),
    ("role", put("messages.3.role", "function")),
    ("orphan_call", drop("messages.4")),
    ("orphan_call", move(5, 4)),
    ("orphan_call", move(5, 3)),
    ("orphan_result", put("messages.3.tool_call_id", "c9")),
    ("orphan_result", repeat(3)),
    ("orphan_result", drop("messages.2")),
    ("duplicate_id", put("messages.2.tool_calls.1.id", "c1")),
    ("duplicate_id", put("messages.2.tool_calls.1.id", "")),
    ("calls_empty", put("messages.2.tool_calls", [])),
    ("arguments_type", put("messages.2.tool_calls.0.function.arguments", {"file": "a"})),
    ("arguments_json", put("messages.2.tool_calls.0.function.arguments", '{"file": "a')),
    ("arguments_json", put("messages.2.tool_calls.0.function.arguments", "")),
    ("extraneous", put("messages.2.tool_calls.0.index", 0)),
    ("content", put("messages.3.content", None)),
    ("content", put("messages.1.content", None)),
    ("content", put("messages.2.content", [])),
    ("empty_message", put("messages.1.content", "")),
    ("empty_text", put("messages.1.content", [{"type": "text", "text": ""}])),
    ("block_type", put("messages.1.content", [{"type": "input_text", "text": "a"}])),
    ("prefill", add({"role": "assistant", "content": "So:"})),
    ("no_user", lambda body: body.update(messages=body["messages"][:1])),
    ("not_streaming", put("stream", False)),
]

OPENAI_ONLY: list[tuple[str, Damage]] = [
    ("max_tokens", put("max_tokens", 100)),
    ("max_tokens", put("max_completion_tokens", 0)),
    ("unsupported", put("temperature", 0.2)),
    ("extraneous", put("provider", {"sort": "price"})),
    ("cache_options", lambda body: body.update(model="gpt-5.4", prompt_cache_options={"mode": "implicit"})),
]

RESPONSES: list[tuple[str, Damage]] = [
    ("extraneous", put("max_tokens", 100)),
    ("extraneous", put("input.1.index", 0)),
    ("extraneous", put("input.0.content.0.cache_control", {})),
    ("missing_field", drop("input")),
    ("missing_field", drop("input.1.arguments")),
    ("missing_field", put("tools.0", {"type": "function", "parameters": {"type": "object"}})),
    ("max_tokens", put("max_output_tokens", -1)),
    ("unsupported", put("temperature", 0.2)),
    ("tool_name", put("tools.0.name", "@read")),
    ("tool_schema", put("tools.0.parameters", {})),
    ("tool_duplicate", repeat(0, tools)),
    ("tools_missing", drop("tools")),
    ("item_type", put("input.1.type", "tool_use")),
    ("role", put("input.0.role", "tool")),
    ("empty_message", put("input.0.content", "")),
    ("empty_text", put("input.0.content.0.text", "")),
    ("block_type", put("input.0.content.0.type", "text")),
    ("block_type", put("input.0.content.0.type", "output_text")),
    ("duplicate_id", put("input.2.call_id", "c1")),
    ("arguments_type", put("input.1.arguments", {})),
    ("arguments_json", put("input.1.arguments", "[1]")),
    ("orphan_call", drop("input.4")),
    ("orphan_result", drop("input.2")),
    ("orphan_result", move(4, 1)),
    ("duplicate_result", repeat(3)),
    ("prefill", add({"role": "assistant", "content": "So:"})),
    (
        "encrypted_content",
        lambda body: items(body).insert(1, {"type": "reasoning", "id": "rs_1", "summary": []}),
    ),
    (
        "reasoning_alone",
        lambda body: items(body).insert(
            3, {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
        ),
    ),
    ("cache_options", lambda body: body.update(model="gpt-5.4", prompt_cache_options={"mode": "implicit"})),
    ("not_streaming", drop("stream")),
]

OLLAMA: list[tuple[str, Damage]] = [
    ("extraneous", put("messages.0.name", "x")),
    ("no_messages", put("messages", [])),
    ("missing_field", drop("model")),
    ("role", put("messages.0.role", "developer")),
    ("content", put("messages.1.content", [{"type": "text", "text": "a"}])),
    ("content", put("messages.2.content", None)),
    ("empty_message", put("messages.1.content", "")),
    ("empty_message", put("messages.2", {"role": "assistant", "content": ""})),
    ("tool_name", drop("messages.2.tool_calls.0.function.name")),
    ("arguments_type", put("messages.2.tool_calls.0.function.arguments", '{"file": "a"}')),
    ("tool_name", put("tools.0", {"name": "read", "parameters": {}})),
    ("tool_schema", drop("tools.0.function.parameters")),
    ("tool_duplicate", repeat(0, tools)),
    ("tool_name", drop("messages.3.tool_name")),
    ("orphan_result", drop("messages.2")),
    ("orphan_call", drop("messages.4")),
    ("orphan_call", move(5, 4)),
    ("result_order", put("messages.3.tool_name", "search")),
    ("prefill", add({"role": "assistant", "content": "So:"})),
    ("num_ctx", put("options.num_ctx", 32)),
    ("not_streaming", put("stream", False)),
]

TABLE = [
    *(("anthropic", *row) for row in ANTHROPIC),
    *((wire, *row) for row in CHAT for wire in ("chat", "openrouter")),
    *(("chat", *row) for row in OPENAI_ONLY),
    *(("responses", *row) for row in RESPONSES),
    *(("ollama", *row) for row in OLLAMA),
]


@pytest.fixture(scope="module")
def server():
    with serve(lambda seen: reply("Fine."), same_prefix=False) as running:
        yield running


@pytest.mark.parametrize("wire", WIRES)
def test_a_valid_request_is_answered(server, wire):
    before = len(server.violations)

    response = send(server, wire, body_of(wire))

    assert response.status_code == 200
    assert server.violations[before:] == []


@pytest.mark.parametrize(
    ("wire", "rule", "damage"), TABLE, ids=[f"{w}-{r}-{i}" for i, (w, r, _) in enumerate(TABLE)]
)
def test_a_broken_request_is_refused_and_recorded(server, wire, rule, damage):
    body = body_of(wire)
    damage(body)
    before = len(server.violations)

    response = send(server, wire, body)

    assert response.status_code in (400, 404)
    assert error_text(wire, response)
    assert [v.rule for v in server.violations[before:]] == [rule]


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "ollama"])
def test_a_wrong_key_is_the_users_mistake(server, wire):
    before = len(server.violations)

    response = send(server, wire, body_of(wire), {"authorization": "Bearer no", "x-api-key": "no"})

    assert response.status_code == 401
    assert response.json()["error"]["type"] == "authentication_error"
    assert server.violations[before:] == []


@pytest.mark.parametrize("wire", WIRES)
def test_an_unknown_model_is_the_users_mistake(server, wire):
    before = len(server.violations)

    response = send(server, wire, body_of(wire) | {"model": "gpt-0"})

    assert response.status_code == 404
    assert "gpt-0" in error_text(wire, response)
    assert server.violations[before:] == []


def test_anthropic_names_the_error_not_found(server):
    response = send(server, "anthropic", body_of("anthropic") | {"model": "gpt-0"})

    assert response.json()["error"]["type"] == "not_found_error"


def test_the_version_header_of_anthropic_is_required(server):
    with httpx.Client(trust_env=False) as client:
        key = {"x-api-key": HEADERS["anthropic"]["x-api-key"]}
        response = client.post(server.url + PATHS["anthropic"], json=body_of("anthropic"), headers=key)

    assert response.status_code == 400
    assert server.violations[-1].rule == "version_header"


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"a": "\\ud800"}', b'{"a": "\xff"}'])
@pytest.mark.parametrize("wire", WIRES)
def test_what_is_no_json_object_in_utf8_is_refused(server, wire, content):
    response = send(server, wire, content)

    assert response.status_code == 400
    assert server.violations[-1].rule == "json"


def test_ollama_answers_although_it_ignores_a_field_but_the_field_is_recorded(server):
    body = body_of("ollama") | {"max_tokens": 5}
    body["options"]["max_tokens"] = 5

    response = send(server, "ollama", body)

    assert response.status_code == 200
    assert [v.detail for v in server.violations[-2:]] == [
        "ignored field: max_tokens",
        "ignored option: max_tokens",
    ]


def test_openrouter_takes_the_fields_of_its_dialect(server):
    body = body_of("openrouter") | {
        "max_tokens": 100,
        "provider": {"sort": "price"},
        "usage": {"include": True},
    }
    body["messages"][0]["content"] = [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]

    assert send(server, "openrouter", body).status_code == 200


def test_a_prompt_longer_than_the_window_overflows():
    with serve([reply("Fine.")], window_tokens=20) as server:
        answers = {wire: send(server, wire, body_of(wire)) for wire in ("anthropic", "responses", "chat")}

    assert {wire: answer.status_code for wire, answer in answers.items()} == dict.fromkeys(answers, 400)
    assert "prompt is too long" in answers["anthropic"].json()["error"]["message"]
    assert answers["responses"].json()["error"]["code"] == "context_length_exceeded"
    assert answers["chat"].json()["error"]["code"] == "context_length_exceeded"
    assert server.violations == []


def test_a_script_that_is_over_or_fails_is_recorded():
    with serve(lambda seen: reply(str(seen.results[99]))) as server:
        send(server, "chat", body_of("chat"))
        server.play([])
        send(server, "chat", body_of("chat"))

    assert [v.rule for v in server.violations] == ["script_failed", "script_over"]
