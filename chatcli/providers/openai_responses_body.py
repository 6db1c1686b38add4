"""A request as OpenAI's Responses API takes it: nothing is stored there, so everything is sent.

Encrypted reasoning goes back where it came from. Ids of other items stay behind: with them the
service would look for items that it was told not to keep.
"""

from __future__ import annotations

from typing import Any

from chatcli.messages import AssistantMessage, Reasoning, Text, ToolCall
from chatcli.providers.base import Request
from chatcli.providers.encoding import arguments_text
from chatcli.providers.exchanges import Exchange, exchanges, same_source

_WITHOUT_REASONING = ("gpt-3", "gpt-4", "chatgpt-4")
"""Models that refuse to be asked for encrypted reasoning, because they have none."""

_Item = dict[str, Any]


def render(request: Request, *, provider: str) -> dict[str, Any]:
    """The JSON body. `input` comes last, so that a longer conversation extends the same bytes."""
    body: dict[str, Any] = {"model": request.model, "stream": True, "store": False}
    if not request.model.startswith(_WITHOUT_REASONING):
        body["include"] = ["reasoning.encrypted_content"]
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
    body["input"] = _input(request, provider)
    return body


def _input(request: Request, provider: str) -> list[_Item]:
    items: list[_Item] = []
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            message = exchange.assistant[1]
            items.extend(_assistant(message, exchange, same_source(message, provider, request.model)))
        for _, result in exchange.results:
            items.append(
                {
                    "type": "function_call_output",
                    "call_id": exchange.ids[result.call_id],
                    "output": result.text,
                }
            )
        for _, user in exchange.users:
            content = [{"type": "input_text", "text": part.text} for part in user.parts if part.text]
            if content:
                items.append({"type": "message", "role": "user", "content": content})
    return items


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
