"""A request as OpenAI's Chat Completions take it, and the many services that imitate them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from chatcli.messages import AssistantMessage, Reasoning, Text, ToolCall
from chatcli.providers.base import Request
from chatcli.providers.encoding import arguments_text
from chatcli.providers.exchanges import Exchange, exchanges, same_source

_Message = dict[str, Any]


class Dialect(Struct, frozen=True, kw_only=True):
    """What a service takes beyond what all of them take."""

    cache_key: bool = False
    """`prompt_cache_key`, which routes requests of one session to one cache."""
    reasoning_details: bool = False
    """OpenRouter: reasoning of any vendor, to be sent back as it came."""
    marked_models: tuple[str, ...] = ()
    """Beginnings of model ids whose cache has explicit breakpoints (`cache_control` on text parts)."""


def render(request: Request, *, provider: str, dialect: Dialect) -> dict[str, Any]:
    """The JSON body. `messages` comes last, so that a longer conversation extends the same bytes."""
    body: dict[str, Any] = {
        "model": request.model,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if dialect.cache_key and request.cache_key:
        body["prompt_cache_key"] = request.cache_key
    if request.max_output_tokens:
        body["max_completion_tokens"] = request.max_output_tokens
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
    body["messages"] = _messages(request, provider, dialect)
    return body


def _messages(request: Request, provider: str, dialect: Dialect) -> list[_Message]:
    # One form for all messages of a session: a string must not become a list when a mark moves on to it.
    as_parts = any(request.model.startswith(prefix) for prefix in dialect.marked_models)
    marked = frozenset(request.marks.messages)
    messages: list[_Message] = []
    if system := [block.text for block in request.system if block.text]:
        mark = request.marks.system_block is not None
        messages.append({"role": "system", "content": _content(system, as_parts=as_parts, mark=mark)})
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            index, message = exchange.assistant
            texts = [part.text for part in message.parts if isinstance(part, Text) and part.text]
            content = _content(texts, as_parts=as_parts, mark=index in marked) if texts else None
            replay = dialect.reasoning_details and same_source(message, provider, request.model)
            messages.extend(_assistant(message, exchange, content, replay_reasoning=replay))
        for index, result in exchange.results:
            content = _content([result.text], as_parts=as_parts, mark=index in marked)
            call_id = exchange.ids[result.call_id]
            messages.append({"role": "tool", "tool_call_id": call_id, "content": content})
        for index, user in exchange.users:
            if texts := [part.text for part in user.parts if part.text]:
                content = _content(texts, as_parts=as_parts, mark=index in marked)
                messages.append({"role": "user", "content": content})
    return messages


def _assistant(
    message: AssistantMessage, exchange: Exchange, content: Any, *, replay_reasoning: bool
) -> list[_Message]:
    calls = [
        {
            "id": exchange.ids[part.id],
            "type": "function",
            "function": {"name": part.name, "arguments": arguments_text(part)},
        }
        for part in message.parts
        if isinstance(part, ToolCall)
    ]
    if content is None and not calls:
        return []
    rendered: _Message = {"role": "assistant", "content": content}
    details = [
        detail
        for part in message.parts
        if isinstance(part, Reasoning)
        for detail in part.opaque.get("reasoning_details", ())
    ]
    if replay_reasoning and details:
        rendered["reasoning_details"] = details
    if calls:
        rendered["tool_calls"] = calls
    return [rendered]


def _content(texts: list[str], *, as_parts: bool, mark: bool) -> str | list[dict[str, Any]]:
    """A string, which every service understands, or text parts where breakpoints need them."""
    if not as_parts or not any(texts):
        return "\n\n".join(texts)
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if mark:
        parts[-1]["cache_control"] = {"type": "ephemeral"}
    return parts
