"""Short ways to write requests and to receive replies."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from chatcli.errors import ProviderError
from chatcli.events import Reply, ReplyEvent, UsageSeen
from chatcli.messages import (
    Archived,
    AssistantMessage,
    AssistantPart,
    Message,
    ResultStatus,
    Text,
    ToolCall,
    ToolResult,
    ToolSchema,
    Usage,
    UserMessage,
)
from chatcli.providers.base import Block, Marks, Provider, Request
from chatcli.providers.service import Service

NOTHING = Archived(key="", sha256="", size_bytes=0, size_chars=0, lines=0)
READ = ToolSchema(
    name="read",
    description="Read a file.",
    parameters={"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]},
)


def user(seq: int, *texts: str) -> UserMessage:
    return UserMessage(seq=seq, parts=tuple(Text(text) for text in texts))


def call(call_id: str, arguments_json: str = '{"file": "a.py"}', name: str = "read") -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments_json=arguments_json)


def assistant(
    seq: int, *parts: AssistantPart, provider: str = "CLAUDEAI", model: str = "claude-sonnet-5-5"
) -> AssistantMessage:
    return AssistantMessage(seq=seq, parts=parts, provider=provider, model=model)


def result(
    seq: int, call_id: str, text: str, *, status: ResultStatus = "ok", name: str = "read"
) -> ToolResult:
    return ToolResult(seq=seq, call_id=call_id, name=name, text=text, status=status, original=NOTHING)


def request(*messages: Message, model: str = "claude-sonnet-5-5", **fields: Any) -> Request:
    """One user message `Hi.`, a system block and one tool, unless told otherwise."""
    given = {
        "model": model,
        "system": (Block("core", "Be brief."),),
        "tools": (READ,),
        "messages": messages or (user(1, "Hi."),),
        "marks": Marks(),
        **fields,
    }
    return Request(**given)


def service(name: str, model: str, base_url: str = "http://service", **fields: Any) -> Service:
    given = {"key": "sk-secret", "key_variable": "THE_KEY", **fields}
    return Service(name=name, model=model, base_url=base_url, **given)


async def receive(provider: Provider, asked: Request | None = None) -> tuple[list[ReplyEvent], Reply]:
    """All events but the usage, and the reply. The provider is closed."""
    events = []
    try:
        async for event in provider.stream(asked or request(model=provider.model)):
            events.append(event)
    finally:
        await provider.aclose()
    reply = events.pop()
    assert isinstance(reply, Reply)
    return [event for event in events if not isinstance(event, UsageSeen)], reply


async def usages(provider: Provider, asked: Request | None = None) -> list[Usage]:
    """What was told about usage until the reply ended or failed."""
    seen: list[Usage] = []
    try:
        with suppress(ProviderError):
            async for event in provider.stream(asked or request(model=provider.model)):
                if isinstance(event, UsageSeen):
                    seen.append(event.usage)
    finally:
        await provider.aclose()
    return seen
