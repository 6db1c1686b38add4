"""The shape that every wire is rendered from: a reply, the results that answer it, what the user said.

A view may hold several user messages in a row, and results behind a user message. Services want
the results of a reply directly behind it, in call order, ids that they have not seen before, and names
of calls that fit their pattern.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from chatcli.messages import AssistantMessage, Message, ToolResult, UserMessage
from chatcli.providers.call_names import sendable, with_sendable_names
from chatcli.providers.model_names import family

_MAX_ID_CHARS = 64
"""OpenAI's limit for `call_id`; Anthropic's and Bedrock's ids fit it too."""
_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")


class Exchange(Struct, frozen=True, kw_only=True):
    """Messages with their index in the request. `assistant` is None only in front of the first reply."""

    assistant: tuple[int, AssistantMessage] | None
    results: tuple[tuple[int, ToolResult], ...]
    """In call order."""
    users: tuple[tuple[int, UserMessage], ...]
    ids: Mapping[str, str]
    """The id on the wire of each call, by its own id."""


def exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """Cut a view at its replies. Pairing holds: each result belongs to a call of its exchange."""
    cuts = [i for i, message in enumerate(messages) if isinstance(message, AssistantMessage)]
    used: set[str] = set()
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(messages)], strict=True):
        if start < end:
            found.append(_exchange(messages, start, end, used))
    return found


def _exchange(messages: Sequence[Message], start: int, end: int, used: set[str]) -> Exchange:
    assistant: tuple[int, AssistantMessage] | None = None
    results: list[tuple[int, ToolResult]] = []
    users: list[tuple[int, UserMessage]] = []
    for index in range(start, end):
        match messages[index]:
            case AssistantMessage() as message:
                assistant = (index, _sendable_message(message))
            case ToolResult() as message:
                results.append((index, _sendable_result(message)))
            case UserMessage() as message:
                users.append((index, message))
    ids = _wire_ids(assistant[1], used) if assistant else {}
    order = {call_id: position for position, call_id in enumerate(ids)}
    results.sort(key=lambda placed: order[placed[1].call_id])
    return Exchange(assistant=assistant, results=tuple(results), users=tuple(users), ids=ids)


def _sendable_message(message: AssistantMessage) -> AssistantMessage:
    parts = with_sendable_names(message.parts)
    return message if parts is message.parts else structs.replace(message, parts=parts)


def _sendable_result(result: ToolResult) -> ToolResult:
    name = sendable(result.name)
    return result if name == result.name else structs.replace(result, name=name)


def _wire_ids(message: AssistantMessage, used: set[str]) -> dict[str, str]:
    """Ids as they are where they can be; else a name made of the message's number, which never changes.

    Some services repeat ids in every reply, and ids of one service may not fit another.
    """
    ids: dict[str, str] = {}
    for position, call in enumerate(message.calls):
        name = _FOREIGN.sub("_", call.id)
        if name != call.id or name in used or not 0 < len(name) <= _MAX_ID_CHARS:
            name = f"{name[: _MAX_ID_CHARS - 20]}_{message.seq}_{position}"
        used.add(name)
        ids[call.id] = name
    return ids


def same_source(message: AssistantMessage, provider: str, model: str) -> bool:
    """Whether reasoning of this message may be replayed: its signatures hold for one model family."""
    return _service(message.provider) == _service(provider) and family(message.model) == family(model)


def _service(provider: str) -> str:
    """Kept assistants are answered by OpenAI itself."""
    return "OPENAI" if provider == "OPENAI_ASSISTANT" else provider
