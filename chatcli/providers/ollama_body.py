"""A request as Ollama's native `/api/chat` takes it.

The native form, because only there the window can be asked for: Ollama otherwise cuts the
conversation at its own default without a word. `truncate` and `shift` are off for the same reason.
"""

from __future__ import annotations

from typing import Any

from chatcli.messages import AssistantMessage, Reasoning, Text, ToolCall
from chatcli.providers.base import Request
from chatcli.providers.encoding import arguments_object, functions
from chatcli.providers.exchanges import exchanges, same_source
from chatcli.providers.images import base64_text

KEEP_ALIVE = "30m"
"""Ollama unloads a model after 5 minutes, and its prefix cache with it."""


def render(request: Request, *, provider: str, num_ctx: int) -> dict[str, Any]:
    """The JSON body. `messages` comes last, so that a longer conversation extends the same bytes."""
    options: dict[str, int] = {"num_ctx": num_ctx}
    if request.max_output_tokens:
        options["num_predict"] = request.max_output_tokens
    body: dict[str, Any] = {
        "model": request.model,
        "stream": True,
        "keep_alive": KEEP_ALIVE,
        "truncate": False,
        "shift": False,
        "options": options,
    }
    if request.tools:
        body["tools"] = functions(request.tools)
    body["messages"] = _messages(request, provider)
    return body


def _messages(request: Request, provider: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if system := "\n\n".join(block.text for block in request.system if block.text):
        messages.append({"role": "system", "content": system})
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            message = exchange.assistant[1]
            if rendered := _assistant(message, same_source(message, provider, request.model)):
                messages.append(rendered)
        for _, result in exchange.results:
            messages.append({"role": "tool", "tool_name": result.name, "content": result.text})
        for _, user in exchange.users:
            if text := "\n\n".join(part.text for part in user.parts if part.text):
                images = [base64_text(image) for image in user.images if image.data]
                shown = {"images": images} if images else {}
                messages.append({"role": "user", "content": text, **shown})
    return messages


def _assistant(message: AssistantMessage, replay_reasoning: bool) -> dict[str, Any] | None:
    """Calls have no ids on this wire: results follow in call order and carry the name of their tool."""
    text = "".join(part.text for part in message.parts if isinstance(part, Text))
    calls = [
        {"function": {"name": part.name, "arguments": arguments_object(part)}}
        for part in message.parts
        if isinstance(part, ToolCall)
    ]
    if not text and not calls:
        return None
    rendered: dict[str, Any] = {"role": "assistant", "content": text}
    thinking = "".join(part.text for part in message.parts if isinstance(part, Reasoning))
    if replay_reasoning and thinking:
        rendered["thinking"] = thinking
    if calls:
        rendered["tool_calls"] = calls
    return rendered
