"""A request as OpenAI's Responses API takes it: nothing is stored there, so everything is sent.

Encrypted reasoning goes back where it came from. Ids of other items stay behind: with them the
service would look for items that it was told not to keep.

From gpt-5.6 on the service keeps a prefix at breakpoints. It sets one itself at the end of each
request; ours stand where a later request may have to turn off: before what may be rewritten.
"""

from __future__ import annotations

import re
from typing import Any

from chatcli.messages import AssistantMessage, Image, Reasoning, Text, ToolCall, UserMessage
from chatcli.providers.base import Request
from chatcli.providers.encoding import arguments_text
from chatcli.providers.exchanges import Exchange, exchanges, same_source
from chatcli.providers.images import data_url
from chatcli.providers.marks import at_most_four
from chatcli.providers.openai_chat_body import OwnFields

_WITHOUT_REASONING = ("gpt-3", "gpt-4", "chatgpt-4")
"""Models that refuse to be asked for encrypted reasoning, because they have none."""

_FIRST_WITH_BREAKPOINTS = (5, 6)
_BREAKPOINT = {"mode": "explicit"}

_Item = dict[str, Any]


def render(
    request: Request, *, provider: str, breakpoints: bool = False, fields: OwnFields | None = None
) -> dict[str, Any]:
    """The JSON body. `input` comes last, so that a longer conversation extends the same bytes.

    `breakpoints`: the service takes them, if the model does. `fields`: the service's own.
    """
    body: dict[str, Any] = {"model": request.model, "stream": True, "store": False}
    if not request.model.startswith(_WITHOUT_REASONING):
        body["include"] = ["reasoning.encrypted_content"]
    for beginning, own in (fields or {}).items():
        if request.model.startswith(beginning):
            body.update(own)
    if request.cache_key:
        body["prompt_cache_key"] = request.cache_key
    if request.max_output_tokens:
        body["max_output_tokens"] = request.max_output_tokens
    if instructions := "\n\n".join(block.text for block in request.system if block.text):
        body["instructions"] = instructions
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": False,  # the default here is strict, which makes every parameter required
            }
            for tool in request.tools
        ]
    body["input"] = _input(request, provider, as_parts=breakpoints and has_breakpoints(request.model))
    return body


def has_breakpoints(model: str) -> bool:
    """Whether the model takes breakpoints; older ones refuse them."""
    found = re.match(r"gpt-(\d+)(?:\.(\d+))?", model)
    return found is not None and (int(found[1]), int(found[2] or 0)) >= _FIRST_WITH_BREAKPOINTS


def _input(request: Request, provider: str, *, as_parts: bool) -> list[_Item]:
    """`as_parts`: outputs are lists of parts, which can carry a breakpoint, in all requests of a session."""
    marked = frozenset(at_most_four(request.marks).messages[:-1]) if as_parts else frozenset()
    items: list[_Item] = []
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            index, message = exchange.assistant
            if index in marked:  # what a model wrote carries none: it goes to what was said before
                _mark(items)
            items.extend(_assistant(message, exchange, same_source(message, provider, request.model)))
        for index, result in exchange.results:
            whole = not as_parts or not result.text
            output = result.text if whole else [{"type": "input_text", "text": result.text}]
            call_id = exchange.ids[result.call_id]
            items.append({"type": "function_call_output", "call_id": call_id, "output": output})
            if index in marked:
                _mark(items)
        for index, user in exchange.users:
            if content := _user(user):
                items.append({"type": "message", "role": "user", "content": content})
            if index in marked:
                _mark(items)
    return items


def _user(message: UserMessage) -> list[_Item]:
    parts: list[_Item] = []
    for part in message.parts:
        if part.text:
            parts.append({"type": "input_text", "text": part.text})
        if isinstance(part, Image) and part.data:
            parts.append({"type": "input_image", "detail": "auto", "image_url": data_url(part)})
    return parts


def _mark(items: list[_Item]) -> None:
    """Put a breakpoint behind the last of `items`, if it can carry one."""
    parts = items[-1].get("output") or items[-1].get("content") if items else None
    if isinstance(parts, list) and parts[-1]["type"] == "input_text":
        parts[-1]["prompt_cache_breakpoint"] = _BREAKPOINT


def _assistant(message: AssistantMessage, exchange: Exchange, replay_reasoning: bool) -> list[_Item]:
    items: list[_Item] = []
    for part in message.parts:
        match part:
            case Text(text=text) if text:
                content = [{"type": "output_text", "text": text}]
                items.append({"type": "message", "role": "assistant", "content": content})
            case Reasoning(opaque={"type": "reasoning", "encrypted_content": str()}) if replay_reasoning:
                items.append(part.opaque)
            case ToolCall():
                items.append(
                    {
                        "type": "function_call",
                        "call_id": exchange.ids[part.id],
                        "name": part.name,
                        "arguments": arguments_text(part),
                    }
                )
    # Reasoning that led to nothing is refused: the reply was cut before its text or call.
    while items and items[-1]["type"] == "reasoning":
        items.pop()
    return items
