"""A request as Bedrock's Converse takes it: roles alternate strictly, results lead, no text is blank."""

from __future__ import annotations

from typing import Any

from chatcli.messages import AssistantMessage, Image, Reasoning, Text, ToolCall, ToolResult, UserMessage
from chatcli.providers.base import Marks, Request
from chatcli.providers.encoding import arguments_object
from chatcli.providers.exchanges import Exchange, exchanges, same_source
from chatcli.providers.images import base64_text
from chatcli.providers.marks import at_most_four
from chatcli.settings import CacheTtl

_NO_OUTPUT = "(no output)"

_Block = dict[str, Any]


def render(request: Request, *, provider: str, ttl: CacheTtl | None) -> dict[str, Any]:
    """The JSON body; the model stands in the path.

    `ttl`: how long it is asked to keep what it caches; None: the model takes no breakpoints.
    """
    marks = at_most_four(request.marks) if ttl else Marks()
    point: _Block = {"type": "default"} if ttl != "1h" else {"type": "default", "ttl": ttl}
    body: dict[str, Any] = {}
    if system := _system(request, marks, {"cachePoint": point}):
        body["system"] = system
    if request.max_output_tokens:
        body["inferenceConfig"] = {"maxTokens": request.max_output_tokens}
    if request.tools:
        body["toolConfig"] = {
            "tools": [
                {
                    "toolSpec": {
                        "name": tool.name,
                        "description": tool.description,
                        "inputSchema": {"json": tool.parameters},
                    }
                }
                for tool in request.tools
            ]
        }
    body["messages"] = _messages(request, provider, marks, {"cachePoint": point})
    return body


def _system(request: Request, marks: Marks, point: _Block) -> list[_Block]:
    blocks: list[_Block] = []
    for index, block in enumerate(request.system):
        if block.text.strip():
            blocks.append({"text": block.text})
        if index == marks.system_block and blocks:
            blocks.append(point)
    return blocks


def _messages(request: Request, provider: str, marks: Marks, point: _Block) -> list[dict[str, Any]]:
    marked = dict.fromkeys(marks.messages, point)
    merged: list[dict[str, Any]] = []
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            index, message = exchange.assistant
            blocks = _assistant(message, exchange, same_source(message, provider, request.model))
            _append(merged, "assistant", blocks, marked.get(index))
        for index, result in exchange.results:
            _append(merged, "user", [_result(result, exchange)], marked.get(index))
        for index, user in exchange.users:
            _append(merged, "user", _user(user), marked.get(index))
    return merged


def _append(merged: list[dict[str, Any]], role: str, blocks: list[_Block], point: _Block | None) -> None:
    if not blocks:
        return
    if point:
        blocks = [*blocks, point]
    if merged and merged[-1]["role"] == role:
        merged[-1]["content"].extend(blocks)
    else:
        merged.append({"role": role, "content": blocks})


def _assistant(message: AssistantMessage, exchange: Exchange, replay_reasoning: bool) -> list[_Block]:
    blocks: list[_Block] = []
    for part in message.parts:
        match part:
            case Text(text=text) if text.strip():
                blocks.append({"text": text})
            case Reasoning(opaque={"signature": str(signature)}) if replay_reasoning:
                signed = {"text": part.text, "signature": signature}
                blocks.append({"reasoningContent": {"reasoningText": signed}})
            case Reasoning(opaque={"redactedContent": str(data)}) if replay_reasoning:
                blocks.append({"reasoningContent": {"redactedContent": data}})
            case ToolCall():
                use = {
                    "toolUseId": exchange.ids[part.id],
                    "name": part.name,
                    "input": arguments_object(part),
                }
                blocks.append({"toolUse": use})
    return blocks


def _user(message: UserMessage) -> list[_Block]:
    blocks: list[_Block] = []
    for part in message.parts:
        if part.text.strip():
            blocks.append({"text": part.text})
        if isinstance(part, Image) and part.data:
            blocks.append({"image": {"format": part.format, "source": {"bytes": base64_text(part)}}})
    return blocks


def _result(result: ToolResult, exchange: Exchange) -> _Block:
    return {
        "toolResult": {
            "toolUseId": exchange.ids[result.call_id],
            "content": [{"text": result.text if result.text.strip() else _NO_OUTPUT}],
            "status": "error" if result.is_error else "success",
        }
    }
