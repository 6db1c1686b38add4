"""Valid requests of each wire, with a finished pair of parallel calls: what the rules are tried on."""

from __future__ import annotations

from typing import Any

from tests.wire.wires import KEY

SCHEMA = {"type": "object", "properties": {"file": {"type": "string"}}}
PATHS = {
    "anthropic": "/v1/messages",
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "openrouter": "/api/v1/chat/completions",
    "ollama": "/api/chat",
}
BEARER = {"authorization": f"Bearer {KEY}"}
HEADERS: dict[str, dict[str, str]] = {
    "anthropic": {"x-api-key": KEY, "anthropic-version": "2023-06-01"},
    "responses": BEARER,
    "chat": BEARER,
    "openrouter": BEARER,
    "ollama": {},
}


def body_of(wire: str) -> dict[str, Any]:
    """A fresh body, for tests that damage it."""
    return {
        "anthropic": _anthropic,
        "responses": _responses,
        "chat": _chat,
        "openrouter": _chat,
        "ollama": _ollama,
    }[wire]()


def _anthropic() -> dict[str, Any]:
    return {
        "model": "claude-sonnet-5-5",
        "max_tokens": 4096,
        "stream": True,
        "system": [{"type": "text", "text": "You are a coder."}],
        "tools": [{"name": "read", "description": "Reads.", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Compare a and b."}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I read both."},
                    {"type": "tool_use", "id": "c1", "name": "read", "input": {"file": "a"}},
                    {"type": "tool_use", "id": "c2", "name": "read", "input": {"file": "b"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "A"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "B", "is_error": True},
                    {"type": "text", "text": "And be quick."},
                ],
            },
        ],
    }


def _function(call_id: str, file: str) -> dict[str, Any]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": "read", "arguments": f'{{"file": "{file}"}}'},
    }


def _chat() -> dict[str, Any]:
    return {
        "model": "gpt-6.1-sol",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}],
        "messages": [
            {"role": "system", "content": "You are a coder."},
            {"role": "user", "content": "Compare a and b."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [_function("c1", "a"), _function("c2", "b")],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "A"},
            {"role": "tool", "tool_call_id": "c2", "content": "B"},
            {"role": "user", "content": "And be quick."},
        ],
    }


def _responses() -> dict[str, Any]:
    return {
        "model": "gpt-6.1-sol",
        "stream": True,
        "store": False,
        "instructions": "You are a coder.",
        "tools": [{"type": "function", "name": "read", "parameters": SCHEMA}],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Compare a and b."}]},
            {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"file": "a"}'},
            {"type": "function_call", "call_id": "c2", "name": "read", "arguments": '{"file": "b"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "A"},
            {"type": "function_call_output", "call_id": "c2", "output": "B"},
            {"role": "user", "content": "And be quick."},
        ],
    }


def _ollama() -> dict[str, Any]:
    calls = [{"function": {"name": "read", "arguments": {"file": file}}} for file in ("a", "b")]
    return {
        "model": "gpt-oss:20b",
        "stream": True,
        "options": {"num_ctx": 8192},
        "tools": [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}],
        "messages": [
            {"role": "system", "content": "You are a coder."},
            {"role": "user", "content": "Compare a and b."},
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_name": "read", "content": "A"},
            {"role": "tool", "tool_name": "read", "content": "B"},
            {"role": "user", "content": "And be quick."},
        ],
    }
