"""What a request says about where we are: the question, what was tried for it, what may be used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from chatcli.errors import InvalidArguments
from chatcli.messages import (
    AssistantMessage,
    Message,
    ResultStatus,
    Text,
    ToolCall,
    ToolResult,
    ToolSchema,
    UserMessage,
)
from chatcli.providers.base import Request

_MODE = re.compile(r"^\[context\b.*?\bmode: (\w+)", re.MULTILINE)


class Outcome(Struct, frozen=True, kw_only=True):
    """One tool call and what the request shows of its result."""

    tool: str
    arguments: dict[str, Any]
    status: ResultStatus
    text: str
    shortened: bool = False
    """`text` is only a part of what the tool returned."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"


Round = tuple[Outcome, ...]


class Situation(Struct, frozen=True, kw_only=True):
    """`rounds` holds the outcomes since the question was asked, one round a reply."""

    question: str
    rounds: tuple[Round, ...]
    tools: Mapping[str, ToolSchema]
    mode: str
    """As the newest context note names it; empty when none does."""
    last_seq: int
    """Of the newest message: no other request of the session has the same."""

    @property
    def last(self) -> Round:
        return self.rounds[-1] if self.rounds else ()


def read_situation(request: Request) -> Situation:
    messages = request.messages
    asked_at = max((i for i, message in enumerate(messages) if _asks(message)), default=-1)
    question = messages[asked_at] if asked_at >= 0 else None
    return Situation(
        question=question.text.strip() if isinstance(question, UserMessage) else "",
        rounds=tuple(_rounds(messages[asked_at + 1 :])),
        tools={schema.name: schema for schema in request.tools},
        mode=_mode(messages),
        last_seq=messages[-1].seq if messages else 0,
    )


def _asks(message: Message) -> bool:
    return isinstance(message, UserMessage) and bool(message.text.strip())


def _rounds(messages: Sequence[Message]) -> list[Round]:
    rounds = []
    for i, message in enumerate(messages):
        if not isinstance(message, AssistantMessage) or not message.calls:
            continue
        results: dict[str, ToolResult] = {}
        for later in messages[i + 1 :]:
            if isinstance(later, AssistantMessage):
                break
            if isinstance(later, ToolResult):
                results[later.call_id] = later
        rounds.append(tuple(_outcome(call, results.get(call.id)) for call in message.calls))
    return rounds


def _outcome(call: ToolCall, result: ToolResult | None) -> Outcome:
    try:
        arguments = call.arguments()
    except InvalidArguments:
        arguments = {}
    return Outcome(
        tool=call.name,
        arguments=arguments,
        status=result.status if result else "missing",
        text=result.text if result else "",
        shortened=bool(result and result.shown and result.shown.kind != "whole"),
    )


def _mode(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        if not isinstance(message, UserMessage):
            continue
        for part in message.parts:
            if isinstance(part, Text) and part.origin == "context" and (found := _MODE.search(part.text)):
                return found.group(1)
    return ""
