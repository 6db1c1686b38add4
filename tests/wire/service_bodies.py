"""Valid requests of the services beyond the first five, with a finished pair of parallel calls."""

from __future__ import annotations

import copy
from typing import Any

from tests.wire.bodies import BEARER, SCHEMA, body_of
from tests.wire.services import COPILOT_TOKEN
from tests.wire.stackspot import TOKEN
from tests.wire.wires import KEY

CLIENT = {
    "editor-version": "test/1",
    "editor-plugin-version": "test/1",
    "copilot-integration-id": "vscode-chat",
    "openai-intent": "conversation-edits",
    "x-initiator": "user",
}
COPILOT = {"authorization": f"Bearer {COPILOT_TOKEN}", **CLIENT}
PATHS = {
    "gemini": "/google/v1beta/models/gemini-3.8-flash:streamGenerateContent",
    "converse": "/bedrock/model/global.amazon.nova-2-lite-v1%3A0/converse-stream",
    "bedrock": "/bedrock/model/global.anthropic.claude-sonnet-5-5/invoke-with-response-stream",
    "stackspot": "/stackspot/v1/agent/flat-agent/chat",
    "zai": "/zai/chat/completions",
    "moonshot": "/moonshot/v1/chat/completions",
    "copilot": "/copilot/chat/completions",
    "xai": "/xai/v1/responses",
    "minimax": "/minimax/anthropic/v1/messages",
}
HEADERS = {
    **dict.fromkeys(PATHS, BEARER),
    "gemini": {"x-goog-api-key": KEY},
    "stackspot": {"authorization": f"Bearer {TOKEN}"},
    "copilot": COPILOT,
    "minimax": {**BEARER, "anthropic-version": "2023-06-01"},
}
_UNSIGNED = "skip_thought_signature_validator"


def service_body(service: str) -> dict[str, Any]:
    """A fresh body, for tests that damage it."""
    match service:
        case "gemini":
            return _gemini()
        case "converse":
            return _converse()
        case "stackspot":
            return {"streaming": True, "user_prompt": "You are a coder.\n\n# User\nHi."}
        case "bedrock":
            body = body_of("anthropic")
            del body["model"], body["stream"]
            return {"anthropic_version": "bedrock-2023-05-31", **body}
        case "minimax":
            return body_of("anthropic") | {"model": "MiniMax-M3"}
        case "xai":
            return body_of("responses") | {
                "model": "grok-4.7",
                "include": ["reasoning.encrypted_content"],
                "reasoning": {"effort": "medium"},
            }
        case "moonshot":
            body = body_of("chat") | {"model": "kimi-k3.1-pro", "max_completion_tokens": 40_000}
            body["messages"][2]["reasoning_content"] = ""
            return body
        case _:
            return body_of("chat") | {"model": "glm-5.3" if service == "zai" else "gpt-5.4"}


def _gemini() -> dict[str, Any]:
    calls = [{"functionCall": {"name": "read", "args": {"file": file}}} for file in ("a", "b")]
    calls[0]["thoughtSignature"] = _UNSIGNED  # type: ignore[assignment]
    results = [{"functionResponse": {"name": "read", "response": {"output": text}}} for text in ("A", "B")]
    declaration = {"name": "read", "description": "Reads.", "parameters": copy.deepcopy(SCHEMA)}
    return {
        "systemInstruction": {"parts": [{"text": "You are a coder."}]},
        "tools": [{"functionDeclarations": [declaration]}],
        "contents": [
            {"role": "user", "parts": [{"text": "Compare a and b."}]},
            {"role": "model", "parts": calls},
            {"role": "user", "parts": results},
            {"role": "user", "parts": [{"text": "And be quick."}]},
        ],
    }


def _converse() -> dict[str, Any]:
    uses = [{"toolUse": {"toolUseId": f"t{i}", "name": "read", "input": {"file": "a"}}} for i in (1, 2)]
    results = [
        {"toolResult": {"toolUseId": f"t{i}", "content": [{"text": "A"}], "status": "success"}}
        for i in (1, 2)
    ]
    spec = {"name": "read", "description": "Reads.", "inputSchema": {"json": copy.deepcopy(SCHEMA)}}
    return {
        "system": [{"text": "You are a coder."}],
        "toolConfig": {"tools": [{"toolSpec": spec}]},
        "messages": [
            {"role": "user", "content": [{"text": "Compare a and b."}]},
            {"role": "assistant", "content": [{"text": "I read both."}, *uses]},
            {"role": "user", "content": [*results, {"text": "And be quick."}]},
        ],
    }
