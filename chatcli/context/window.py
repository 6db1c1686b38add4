"""What fills the window: the parts of a request by what they are, and each result in it.

Sizes are estimates, scaled so that together they are what the whole request is expected to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from msgspec import Struct, structs

from chatcli.context.limits import Ageing
from chatcli.context.microcompact import may_change
from chatcli.context.tokens import estimate_message_tokens, estimate_tokens, estimate_tool_tokens
from chatcli.messages import (
    AssistantMessage,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from chatcli.providers.base import Request

PartKind = Literal[
    "tools",
    "block",  # of the system prompt
    "summary",  # in the place of what a compaction left out
    "words",  # the user's
    "files",  # and images that the user attached
    "notes",  # what chatcli added to a message
    "replies",
    "reasoning",
    "calls",
    "whole",  # results
    "shortened",  # results
]
_ORDER = get_args(PartKind)
Stability = Literal[
    "session",  # the same bytes in every request of the session
    "once",  # written once, never changed again
    "open",  # may be shown shorter one day
]


class Part(Struct, frozen=True, kw_only=True):
    """All of a request that is of one kind and one stability."""

    kind: PartKind
    stability: Stability
    tokens: int
    count: int = 1
    name: str = ""
    """Of a block."""


class ResultPart(Struct, frozen=True, kw_only=True):
    """One result as the model reads it."""

    result: ToolResult
    tokens: int
    age_turns: int
    stability: Stability


class Contents(Struct, frozen=True, kw_only=True):
    """Parts in the order of `PartKind`, results in that of the request."""

    parts: tuple[Part, ...] = ()
    results: tuple[ResultPart, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

    def scaled(self, tokens: int) -> Contents:
        """The same, so that it comes to about this many."""
        ratio = tokens / max(1, self.tokens)
        return Contents(
            parts=tuple(structs.replace(part, tokens=round(ratio * part.tokens)) for part in self.parts),
            results=tuple(structs.replace(part, tokens=round(ratio * part.tokens)) for part in self.results),
        )


def contents_of(request: Request, ageing: Ageing | None, summary_seq: int = 0) -> Contents:
    """What `request` is made of. Without `ageing` no result is shortened for its age.

    `summary_seq` is that of the message which stands for what a compaction left out.
    """
    results = tuple(_results(request.messages, ageing))
    parts = [*_fixed(request)]
    for message in request.messages:
        if not isinstance(message, ToolResult):
            parts += _pieces(message, is_summary=message.seq == summary_seq > 0)
    parts += [
        Part(kind=_shown_as(part.result), stability=part.stability, tokens=part.tokens) for part in results
    ]
    return Contents(parts=tuple(_added_up(parts)), results=results)


def _shown_as(result: ToolResult) -> PartKind:
    return "whole" if result.shown is None or result.shown.kind == "whole" else "shortened"


def _fixed(request: Request) -> Iterator[Part]:
    if request.tools:
        tokens = sum(estimate_tool_tokens(tool, request.tool_form) for tool in request.tools)
        yield Part(kind="tools", stability="session", tokens=tokens, count=len(request.tools))
    for block in request.system:
        yield Part(kind="block", stability="session", tokens=estimate_tokens(block.text), name=block.name)


def _pieces(message: UserMessage | AssistantMessage, *, is_summary: bool) -> Iterator[Part]:
    for part in message.parts:
        alone = structs.replace(message, parts=(part,))
        kind: PartKind
        match part:
            case Text() if isinstance(message, AssistantMessage):
                kind = "replies"
            case Text():
                kind = "words" if part.origin == "user" else "summary" if is_summary else "notes"
            case ToolCall():
                kind = "calls"
            case Reasoning():
                kind = "reasoning"
            case _:
                kind = "files"
        yield Part(kind=kind, stability="once", tokens=estimate_message_tokens(alone))


def _results(messages: Sequence[Message], ageing: Ageing | None) -> Iterator[ResultPart]:
    replies = sum(isinstance(message, AssistantMessage) for message in messages)
    for message in messages:
        if isinstance(message, AssistantMessage):
            replies -= 1
        elif isinstance(message, ToolResult):
            is_open = ageing is not None and may_change(message, ageing)
            yield ResultPart(
                result=message,
                tokens=estimate_message_tokens(message),
                age_turns=replies,
                stability="open" if is_open else "once",
            )


def _added_up(parts: Sequence[Part]) -> Iterator[Part]:
    alike: dict[tuple[PartKind, Stability, str], list[Part]] = {}
    for part in parts:
        alike.setdefault((part.kind, part.stability, part.name), []).append(part)
    for group in sorted(alike.values(), key=lambda group: _ORDER.index(group[0].kind)):
        tokens, count = sum(part.tokens for part in group), sum(part.count for part in group)
        yield structs.replace(group[0], tokens=tokens, count=count)
