"""The rules of the further services, broken one at a time on a request that is otherwise valid."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.wire.script import reply
from tests.wire.server import WireServer, serve
from tests.wire.service_bodies import HEADERS, PATHS, service_body
from tests.wire.stackspot import CLIENT_ID
from tests.wire.test_wire_refusals import Damage, drop, put
from tests.wire.wires import KEY

SIX_POINTS = [{"text": "a"}, {"cachePoint": {"type": "default"}}] * 5

GEMINI: list[tuple[str, Damage]] = [
    ("extraneous", put("model", "gemini-3.8-flash")),
    ("extraneous", put("contents.0.parts.0.kind", "text")),
    ("extraneous", put("generationConfig", {"max_tokens": 5})),
    ("max_tokens", put("generationConfig", {"maxOutputTokens": 70_000})),
    ("no_messages", put("contents", [])),
    ("role", put("contents.1.role", "assistant")),
    ("first_not_user", put("contents", [{"role": "model", "parts": [{"text": "Hi"}]}])),
    ("empty_message", put("contents.0.parts", [])),
    ("empty_text", put("contents.0.parts.0.text", "")),
    ("block_type", put("contents.0.parts.0", {})),
    ("tool_input", put("contents.1.parts.0.functionCall.args", "{}")),
    ("tool_name", put("tools.0.functionDeclarations.0.name", "@read")),
    ("tool_schema", put("tools.0.functionDeclarations.0.parameters.properties", {})),
    ("schema_subset", put("tools.0.functionDeclarations.0.parameters.additionalProperties", False)),
    ("schema_subset", put("tools.0.functionDeclarations.0.parameters.properties.file.type", ["string"])),
    ("schema_subset", put("tools.0.functionDeclarations.0.parameters.properties.file.enum", [1])),
    ("tool_duplicate", lambda body: body["tools"].append(body["tools"][0])),
    ("orphan_call", drop("contents.2.parts.0")),
    ("orphan_call", drop("contents.2")),
    ("orphan_result", drop("contents.1")),
    ("result_order", put("contents.2.parts.0.functionResponse.name", "tree")),
    ("result_id", put("contents.2.parts.0.functionResponse.id", "x")),
    ("signature_missing", drop("contents.1.parts.0.thoughtSignature")),
    ("signature", put("contents.1.parts.0.thoughtSignature", "made up")),
    ("call_in_user", put("contents.1.role", "user")),
]
CONVERSE: list[tuple[str, Damage]] = [
    ("extraneous", put("model", "nova")),
    ("extraneous", put("messages.0.name", "x")),
    ("max_tokens", put("inferenceConfig", {"maxTokens": 0})),
    ("no_messages", put("messages", [])),
    ("role", drop("messages.1")),
    ("role", lambda body: body["messages"].append(body["messages"][0])),
    ("empty_message", put("messages.0.content", [])),
    ("empty_text", put("messages.0.content.0.text", " ")),
    ("empty_text", put("messages.2.content.0.toolResult.content.0.text", "")),
    ("block_type", put("messages.0.content.0.type", "text")),
    ("block_type", put("toolConfig.tools.0.cachePoint", {"type": "default"})),
    ("block_place", put("messages.0.content.0", {"toolUse": {}})),
    ("tool_id", put("messages.1.content.1.toolUse.toolUseId", "a:b")),
    ("tool_input", put("messages.1.content.1.toolUse.input", "{}")),
    ("tool_name", put("toolConfig.tools.0.toolSpec.name", "@read")),
    ("tool_schema", put("toolConfig.tools.0.toolSpec.inputSchema.json", {})),
    ("tools_missing", drop("toolConfig")),
    ("prefill", drop("messages.2")),
    ("orphan_call", drop("messages.2.content.0")),
    ("orphan_call", lambda body: body["messages"][2]["content"].reverse()),
    ("orphan_result", drop("messages.1.content.1")),
    ("duplicate_id", put("messages.1.content.2.toolUse.toolUseId", "t1")),
    ("status", put("messages.2.content.0.toolResult.status", "failed")),
    ("breakpoints", put("system", SIX_POINTS)),
    ("cache_control", put("system", [{"cachePoint": {"type": "default"}}])),
    (
        "thinking_signature",
        put("messages.1.content.0", {"reasoningContent": {"reasoningText": {"text": "a", "signature": "b"}}}),
    ),
]
OTHERS: list[tuple[str, str, Damage]] = [
    ("bedrock", "extraneous", put("model", "claude-sonnet-5-5")),
    ("bedrock", "version_field", drop("anthropic_version")),
    ("bedrock", "orphan_call", drop("messages.2.content.0")),
    ("stackspot", "empty_text", put("user_prompt", " ")),
    ("stackspot", "extraneous", put("tools", [])),
    ("stackspot", "not_streaming", put("streaming", False)),
    ("zai", "max_tokens", put("max_tokens", 131_073)),
    ("zai", "extraneous", put("max_completion_tokens", 10)),
    ("zai", "thinking_type", put("thinking", {"type": "adaptive"})),
    ("zai", "orphan_call", drop("messages.3")),
    ("moonshot", "max_tokens", drop("max_completion_tokens")),
    ("moonshot", "temperature", put("temperature", 0.3)),
    ("moonshot", "tool_choice", put("tool_choice", "required")),
    ("moonshot", "reasoning_missing", drop("messages.2.reasoning_content")),
    ("moonshot", "extraneous", put("thinking", {"type": "enabled"})),
    ("copilot", "extraneous", put("max_completion_tokens", 10)),
    ("xai", "encrypted_reasoning", drop("include")),
    ("xai", "effort", drop("reasoning")),
    ("minimax", "prefill", drop("messages.2")),
]
TABLE = [
    *(("gemini", *row) for row in GEMINI),
    *(("converse", *row) for row in CONVERSE),
    *OTHERS,
]


def send(
    server: WireServer, service: str, body: Any, headers: dict[str, str] | None = None
) -> httpx.Response:
    with httpx.Client(trust_env=False) as client:
        return client.post(
            server.url + PATHS[service], content=json.dumps(body), headers=HEADERS[service] | (headers or {})
        )


@pytest.fixture(scope="module")
def server():
    with serve(lambda seen: reply("Fine."), same_prefix=False) as running:
        yield running


@pytest.mark.parametrize("service", PATHS)
def test_a_valid_request_is_answered(server, service):
    before = len(server.violations)

    response = send(server, service, service_body(service))

    assert response.status_code == 200
    assert server.violations[before:] == []


@pytest.mark.parametrize(
    ("service", "rule", "damage"), TABLE, ids=[f"{s}-{r}-{i}" for i, (s, r, _) in enumerate(TABLE)]
)
def test_a_broken_request_is_refused_and_recorded(server, service, rule, damage):
    body = service_body(service)
    damage(body)
    before = len(server.violations)

    response = send(server, service, body)

    assert response.status_code == 400
    assert [v.rule for v in server.violations[before:]] == [rule]


@pytest.mark.parametrize("service", PATHS)
def test_a_wrong_key_is_the_users_mistake(server, service):
    before = len(server.violations)

    response = send(
        server, service, service_body(service), {"authorization": "Bearer no", "x-goog-api-key": "no"}
    )

    assert response.status_code == (400 if service == "gemini" else 401)
    assert server.violations[before:] == []


@pytest.mark.parametrize(
    ("headers", "rule"),
    [({"copilot-integration-id": ""}, "client_header"), ({"x-initiator": "somebody"}, "initiator")],
)
def test_a_client_of_copilot_names_itself_truly(server, headers, rule):
    assert send(server, "copilot", service_body("copilot"), headers).status_code == 400
    assert server.violations[-1].rule == rule


def test_minimax_is_told_in_one_way_who_asks(server):
    assert send(server, "minimax", service_body("minimax"), {"x-api-key": KEY}).status_code == 400
    assert server.violations[-1].rule == "two_keys"


@pytest.mark.parametrize(("secret", "status"), [(KEY, 200), ("no", 401)])
def test_a_token_of_stackspot_is_given_for_its_credentials(server, secret, status):
    form = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": secret}
    with httpx.Client(trust_env=False) as client:
        answer = client.post(f"{server.url}/stackspot/zup/oidc/oauth/token", data=form)
    assert answer.status_code == status
