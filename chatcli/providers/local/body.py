"""A request as the chat API of llama.cpp takes it, with a grammar that decides what may be written.

Tools are one line each and calls are lines of JSON, because a small model reads slowly and loses its
way in long schemas: the grammar holds it to them anyway. A call is rendered as the grammar lets it be
written, so that the next request extends the same tokens.
"""

from __future__ import annotations

from typing import Any

import msgspec

from chatcli.messages import AssistantMessage, Text, ToolCall, ToolSchema, UserMessage
from chatcli.providers.base import Request
from chatcli.providers.encoding import arguments_text
from chatcli.providers.exchanges import exchanges
from chatcli.providers.local.examples import EXAMPLES
from chatcli.providers.local.grammar import PROSE, call_beginning, grammar

SAMPLING = {"temperature": 0.0, "seed": 1, "repeat_penalty": 1.1}
"""The likeliest word, the same each time; small models left alone then repeat themselves for ever."""
_TOOLS = """# Tools
To use a tool, write nothing but one line of JSON: {"tool": NAME, "arguments": {...}}
"""
_THEN = "\nWhen you have what you need, answer in plain text."


def render(request: Request, *, output_tokens: int, looks_first: bool) -> dict[str, Any]:
    """The body. With `looks_first` the answer to a user's words begins with a call, where calls run."""
    body: dict[str, Any] = {
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
        "max_tokens": output_tokens,
        "messages": _messages(request),
        **SAMPLING,
    }
    if not request.tools:
        return body
    body["chat_template_kwargs"] = {"enable_thinking": False}  # the grammar has no room for thoughts
    if request.calls_run:
        newest = request.messages[-1]
        must_call = looks_first and isinstance(newest, UserMessage) and bool(newest.text)
        body["grammar"] = grammar(request.tools, must_call=must_call)
        body["repeat_penalty"] = 1.0  # names and brackets repeat
    else:
        body["grammar"] = PROSE
    return body


def _messages(request: Request) -> list[dict[str, str]]:
    """Roles alternate: many templates refuse what does not."""
    system = [block.text for block in request.system if block.text]
    if request.tools:
        system.append(_TOOLS + "\n".join(map(_line, request.tools)) + _THEN)
    messages = [{"role": "system", "content": "\n\n".join(system)}, *_examples(request.tools)]
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            _add(messages, "assistant", _reply(exchange.assistant[1]))
        for _, result in exchange.results:
            _add(messages, "user", _result(result.name, result.text))
        for _, user in exchange.users:
            _add(messages, "user", _words(user))
    return messages


def _add(messages: list[dict[str, str]], role: str, text: str) -> None:
    if not text:
        return
    if messages[-1]["role"] == role:
        messages[-1]["content"] += f"\n\n{text}"
    else:
        messages.append({"role": role, "content": text})


def _line(tool: ToolSchema) -> str:
    """`read(file, start?, end?): what it does`"""
    required = tool.parameters.get("required", ())
    names = [name if name in required else f"{name}?" for name in tool.parameters.get("properties", ())]
    return f"{tool.name}({', '.join(names)}): {tool.description.partition(chr(10))[0]}"


def _examples(tools: tuple[ToolSchema, ...]) -> list[dict[str, str]]:
    offered = {tool.name for tool in tools}
    messages = []
    for example in EXAMPLES:
        if example.tool in offered:
            arguments = msgspec.json.format(msgspec.json.encode(example.arguments), indent=0).decode()
            messages += [
                {"role": "user", "content": example.question},
                {"role": "assistant", "content": call_beginning(example.tool) + arguments + "}"},
                {"role": "user", "content": _result(example.tool, example.result)},
                {"role": "assistant", "content": example.answer},
            ]
    return messages


def _reply(message: AssistantMessage) -> str:
    lines = [text] if (text := message.text.strip()) else []
    for part in message.parts:
        if isinstance(part, ToolCall):
            lines.append(call_beginning(part.name) + arguments_text(part) + "}")
    return "\n".join(lines)


def _result(tool: str, text: str) -> str:
    return f"Result of {tool}:\n{text}"


def _words(message: UserMessage) -> str:
    """The user's own words come last, where they are minded most."""
    parts = [part for part in message.parts if part.text]
    parts.sort(key=lambda part: isinstance(part, Text) and part.origin == "user")
    return "\n\n".join(part.text for part in parts)
