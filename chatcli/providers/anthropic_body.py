"""A request as Anthropic's Messages API takes it.

Results of one reply stand at the beginning of one user message, in call order, before any text;
messages of one role are merged; there are no empty text blocks. Breakpoints of the prompt cache go
where `Request.marks` says, at most four in all.
"""

from __future__ import annotations

from typing import Any

from chatcli.messages import AssistantMessage, Image, Reasoning, Text, ToolCall, ToolResult, UserMessage
from chatcli.providers.base import Marks, Request
from chatcli.providers.encoding import arguments_object
from chatcli.providers.exchanges import Exchange, exchanges, same_source
from chatcli.providers.images import base64_text
from chatcli.providers.marks import at_most_four, cache_control
from chatcli.settings import CacheTtl

_Block = dict[str, Any]
_SILENT_ERROR = "[the call failed without a word]"


def render(
    request: Request,
    *,
    provider: str,
    max_output_tokens: int,
    replays_unsigned: bool = False,
    ttl: CacheTtl = "5m",
) -> dict[str, Any]:
    """The JSON body. `messages` comes last, so that a longer conversation extends the same bytes.

    `replays_unsigned`: thinking that came without a signature goes back too. `ttl`: how long the
    service is asked to keep what it caches.
    """
    marks = at_most_four(request.marks)
    mark = cache_control(ttl)
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": max_output_tokens,
        "stream": True,
    }
    if system := _system(request, marks, mark):
        body["system"] = system
    if tools := _tools(request, marks, mark):
        body["tools"] = tools
    body["messages"] = _messages(request, provider, replays_unsigned, marks, mark)
    return body


def _system(request: Request, marks: Marks, mark: _Block) -> list[_Block]:
    blocks: list[_Block] = []
    for index, block in enumerate(request.system):
        if block.text.strip():
            blocks.append({"type": "text", "text": block.text})
        if index == marks.system_block and blocks:
            blocks[-1]["cache_control"] = mark
    return blocks


def _tools(request: Request, marks: Marks, mark: _Block) -> list[_Block]:
    tools: list[_Block] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
        for tool in request.tools
    ]
    if tools and marks.last_tool:
        tools[-1]["cache_control"] = mark
    return tools


def _messages(
    request: Request, provider: str, replays_unsigned: bool, marks: Marks, mark: _Block
) -> list[dict[str, Any]]:
    marked = dict.fromkeys(marks.messages, mark)
    merged: list[dict[str, Any]] = []
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            index, message = exchange.assistant
            own = same_source(message, provider, request.model)
            blocks = _assistant(message, exchange, own=own, replays_unsigned=replays_unsigned)
            _append(merged, "assistant", blocks, marked.get(index))
        for index, result in exchange.results:
            _append(merged, "user", [_result(result, exchange)], marked.get(index))
        for index, user in exchange.users:
            _append(merged, "user", _user(user), marked.get(index))
    return merged


def _append(merged: list[dict[str, Any]], role: str, blocks: list[_Block], mark: _Block | None) -> None:
    if not blocks:
        return
    if mark:
        # Thinking blocks cannot carry a breakpoint: it goes to the last block that can.
        for block in reversed(blocks):
            if block["type"] not in {"thinking", "redacted_thinking"}:
                block["cache_control"] = mark
                break
    if merged and merged[-1]["role"] == role:
        merged[-1]["content"].extend(blocks)
    else:
        merged.append({"role": role, "content": blocks})


def _assistant(
    message: AssistantMessage, exchange: Exchange, *, own: bool, replays_unsigned: bool
) -> list[_Block]:
    blocks: list[_Block] = []
    for part in message.parts:
        match part:
            case Text(text=text) if text.strip():
                blocks.append({"type": "text", "text": text})
            case Reasoning() if own:
                blocks.extend(_thinking(part, replays_unsigned))
            case ToolCall():
                blocks.append(
                    {
                        "type": "tool_use",
                        "id": exchange.ids[part.id],
                        "name": part.name,
                        "input": arguments_object(part),
                    }
                )
    return blocks


def _thinking(part: Reasoning, replays_unsigned: bool) -> list[_Block]:
    """The block as it was received: its signature covers the text."""
    match part.opaque:
        case {"type": "thinking", "signature": str(signature)} if signature or replays_unsigned:
            return [{"type": "thinking", "thinking": part.text, "signature": signature}]
        case {"type": "redacted_thinking", "data": str(data)} if data:
            return [{"type": "redacted_thinking", "data": data}]
        case _:
            return []


def _result(result: ToolResult, exchange: Exchange) -> _Block:
    block: _Block = {"type": "tool_result", "tool_use_id": exchange.ids[result.call_id]}
    text = result.text if result.text.strip() else ""
    if result.is_error:
        block["is_error"] = True
        text = text or _SILENT_ERROR  # an error without content is refused, again in every later request
    if text:
        block["content"] = text
    return block


def _user(message: UserMessage) -> list[_Block]:
    blocks: list[_Block] = []
    for part in message.parts:
        if part.text.strip():
            blocks.append({"type": "text", "text": part.text})
        if isinstance(part, Image) and part.data:
            source = {"type": "base64", "media_type": part.media_type, "data": base64_text(part)}
            blocks.append({"type": "image", "source": source})
    return blocks
