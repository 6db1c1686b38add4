"""A request as Anthropic's Messages API takes it.

Results of one reply stand at the beginning of one user message, in call order, before any text;
messages of one role are merged; there are no empty text blocks. Breakpoints of the prompt cache go
where `Request.marks` says.
"""

from __future__ import annotations

from typing import Any

from chatcli.messages import AssistantMessage, Reasoning, Text, ToolCall, ToolResult, UserMessage
from chatcli.providers.base import Request
from chatcli.providers.encoding import arguments_object
from chatcli.providers.exchanges import Exchange, exchanges, same_source

MAX_MARKS = 4
"""The service refuses more breakpoints than this."""

_Block = dict[str, Any]


def render(
    request: Request, *, provider: str, max_output_tokens: int, replays_unsigned: bool = False
) -> dict[str, Any]:
    """The JSON body. `messages` comes last, so that a longer conversation extends the same bytes.

    `replays_unsigned`: thinking that came without a signature goes back too.
    """
    _check_marks(request)
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": max_output_tokens,
        "stream": True,
    }
    if system := _system(request):
        body["system"] = system
    if tools := _tools(request):
        body["tools"] = tools
    body["messages"] = _messages(request, provider, replays_unsigned)
    return body


def _system(request: Request) -> list[_Block]:
    blocks = []
    for index, block in enumerate(request.system):
        if block.text.strip():
            blocks.append({"type": "text", "text": block.text})
        if index == request.marks.system_block and blocks:
            _mark(blocks[-1])
    return blocks


def _tools(request: Request) -> list[_Block]:
    tools: list[_Block] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
        for tool in request.tools
    ]
    if tools and request.marks.last_tool:
        _mark(tools[-1])
    return tools


def _messages(request: Request, provider: str, replays_unsigned: bool) -> list[dict[str, Any]]:
    marked = frozenset(request.marks.messages)
    merged: list[dict[str, Any]] = []
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            index, message = exchange.assistant
            own = same_source(message, provider, request.model)
            blocks = _assistant(message, exchange, own=own, replays_unsigned=replays_unsigned)
            _append(merged, "assistant", blocks, marked=index in marked)
        for index, result in exchange.results:
            _append(merged, "user", [_result(result, exchange)], marked=index in marked)
        for index, user in exchange.users:
            _append(merged, "user", _user(user), marked=index in marked)
    return merged


def _append(merged: list[dict[str, Any]], role: str, blocks: list[_Block], *, marked: bool) -> None:
    if not blocks:
        return
    if marked:
        # Thinking blocks cannot carry a breakpoint: it goes to the last block that can.
        for block in reversed(blocks):
            if block["type"] not in {"thinking", "redacted_thinking"}:
                _mark(block)
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
    if result.text.strip():
        block["content"] = result.text
    if result.is_error:
        block["is_error"] = True
    return block


def _user(message: UserMessage) -> list[_Block]:
    return [{"type": "text", "text": part.text} for part in message.parts if part.text.strip()]


def _mark(block: _Block) -> None:
    block["cache_control"] = {"type": "ephemeral"}


def _check_marks(request: Request) -> None:
    marks = request.marks
    count = marks.last_tool + (marks.system_block is not None) + len(marks.messages)
    if count > MAX_MARKS:
        raise ValueError(f"{count} cache breakpoints, but at most {MAX_MARKS} are allowed")
