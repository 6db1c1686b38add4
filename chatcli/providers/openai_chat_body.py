"""A request as OpenAI's Chat Completions take it, and the many services that imitate them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from chatcli.messages import AssistantMessage, Image, Reasoning, Text, ToolCall, UserMessage
from chatcli.providers.base import Request
from chatcli.providers.encoding import arguments_text, functions
from chatcli.providers.exchanges import Exchange, exchanges, same_source
from chatcli.providers.images import data_url
from chatcli.providers.marks import at_most_four, cache_control
from chatcli.settings import CacheTtl

TEXT_FIELDS = ("reasoning", "reasoning_content", "reasoning_text")
"""Where services put reasoning that can be read."""
EXTRA_CONTENT = "extra_content"
"""Google's signature of a call, on endpoints that imitate OpenAI's."""

OwnFields = Mapping[str, Mapping[str, Any]]
"""Fields that a service alone has, by the beginnings of the ids of the models that take them."""

_Message = dict[str, Any]


class Dialect(Struct, frozen=True, kw_only=True):
    """What a service takes beyond what all of them take, or not at all."""

    cache_key: bool = False
    """`prompt_cache_key`, which routes requests of one session to one cache."""
    limit_name: str = "max_completion_tokens"
    """How the limit of a reply is called; empty: none is sent."""
    limit_bounds: tuple[int, int] | None = None
    """Limits outside are refused, or lead to empty replies: they are moved to the next bound."""
    limit_always: bool = False
    """Its own default is too low: the model's limit is sent when nobody asked for another."""
    replayed: tuple[str, ...] = ()
    """Fields of an assistant message in which reasoning goes back as it came."""
    reasoning_required: bool = False
    """A message with calls must have these fields, be they empty."""
    fields: OwnFields = {}
    marked_models: tuple[str, ...] = ()
    """Beginnings of model ids whose cache has explicit breakpoints (`cache_control` on text parts)."""

    def marks(self, model: str) -> bool:
        """Whether the cache of this model has explicit breakpoints."""
        return model.startswith(self.marked_models) if self.marked_models else False


def render(
    request: Request, *, provider: str, dialect: Dialect, max_output_tokens: int = 0, ttl: CacheTtl = "5m"
) -> dict[str, Any]:
    """The JSON body. `messages` comes last, so that a longer conversation extends the same bytes.

    `max_output_tokens` is the model's own limit, for services that must be told one. `ttl` is of the
    breakpoints, where the model has them.
    """
    body: dict[str, Any] = {
        "model": request.model,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if dialect.cache_key and request.cache_key:
        body["prompt_cache_key"] = request.cache_key
    wanted = request.max_output_tokens or (max_output_tokens if dialect.limit_always else 0)
    if wanted and dialect.limit_name:
        least, most = dialect.limit_bounds or (wanted, wanted)
        body[dialect.limit_name] = min(max(wanted, least), most)
    for beginning, fields in dialect.fields.items():
        if request.model.startswith(beginning):
            body.update(fields)
    if request.tools:
        body["tools"] = functions(request.tools)
    body["messages"] = _messages(request, provider, dialect, ttl)
    return body


def _messages(request: Request, provider: str, dialect: Dialect, ttl: CacheTtl) -> list[_Message]:
    # One form for all messages of a session: a string must not become a list when a mark moves on to it.
    as_parts = dialect.marks(request.model)
    marks = at_most_four(request.marks)
    marked = dict.fromkeys(marks.messages, cache_control(ttl))
    messages: list[_Message] = []
    if system := [block.text for block in request.system if block.text]:
        mark = cache_control(ttl) if marks.system_block is not None else None
        messages.append({"role": "system", "content": _content(system, as_parts=as_parts, mark=mark)})
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            index, message = exchange.assistant
            texts = [part.text for part in message.parts if isinstance(part, Text) and part.text]
            content = _content(texts, as_parts=as_parts, mark=marked.get(index)) if texts else None
            own = same_source(message, provider, request.model)
            if rendered := _assistant(message, exchange, content, dialect, own=own):
                messages.append(rendered)
        for index, result in exchange.results:
            content = _content([result.text], as_parts=as_parts, mark=marked.get(index))
            call_id = exchange.ids[result.call_id]
            messages.append({"role": "tool", "tool_call_id": call_id, "content": content})
        for index, user in exchange.users:
            if content := _user(user, as_parts=as_parts, mark=marked.get(index)):
                messages.append({"role": "user", "content": content})
    return messages


def _assistant(
    message: AssistantMessage, exchange: Exchange, content: Any, dialect: Dialect, *, own: bool
) -> _Message | None:
    calls = [_call(part, exchange, own=own) for part in message.parts if isinstance(part, ToolCall)]
    if content is None and not calls:
        return None
    rendered: _Message = {"role": "assistant", "content": content}
    for name in dialect.replayed:
        value = _reasoning(message, name) if own else None
        if value or (dialect.reasoning_required and calls):
            rendered[name] = value or ""
    if calls:
        rendered["tool_calls"] = calls
    return rendered


def _call(call: ToolCall, exchange: Exchange, *, own: bool) -> _Message:
    rendered: _Message = {
        "id": exchange.ids[call.id],
        "type": "function",
        "function": {"name": call.name, "arguments": arguments_text(call)},
    }
    if own and EXTRA_CONTENT in call.extra:
        rendered[EXTRA_CONTENT] = call.extra[EXTRA_CONTENT]
    return rendered


def _reasoning(message: AssistantMessage, name: str) -> Any:
    """What came in this field: opaque values as they are, texts joined."""
    parts = [part for part in message.parts if isinstance(part, Reasoning)]
    opaque = [part.opaque[name] for part in parts if name in part.opaque]
    return opaque[0] if opaque else "".join(part.text for part in parts) if name in TEXT_FIELDS else None


def _user(message: UserMessage, *, as_parts: bool, mark: dict[str, Any] | None) -> Any:
    """A picture makes a list of parts of it, behind its name."""
    if not any(image.data for image in message.images):
        texts = [part.text for part in message.parts if part.text]
        return _content(texts, as_parts=as_parts, mark=mark)
    parts: list[dict[str, Any]] = []
    for part in message.parts:
        if part.text:
            parts.append({"type": "text", "text": part.text})
        if isinstance(part, Image) and part.data:
            parts.append({"type": "image_url", "image_url": {"url": data_url(part)}})
    if mark:
        parts[-1]["cache_control"] = mark
    return parts


def _content(texts: list[str], *, as_parts: bool, mark: dict[str, Any] | None) -> str | list[dict[str, Any]]:
    """A string, which every service understands, or text parts where breakpoints need them."""
    if not as_parts or not any(texts):
        return "\n\n".join(texts)
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if mark:
        parts[-1]["cache_control"] = mark
    return parts
