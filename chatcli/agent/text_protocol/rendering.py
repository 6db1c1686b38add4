"""A request for a model that takes no tools: descriptions, calls and results are text.

A pure function: the same request gives the same bytes, and a longer conversation extends them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from chatcli.agent.prompts import prompt
from chatcli.messages import (
    AssistantMessage,
    Message,
    Text,
    ToolCall,
    ToolResult,
    ToolSchema,
    UserMessage,
)
from chatcli.providers.base import Block, Request
from chatcli.providers.encoding import arguments_text, without_tag
from chatcli.providers.exchanges import Exchange, exchanges
from chatcli.providers.tool_forms import described

_SYNTAX = """<tool_call name="@read" args='{"file": "src/app.py"}' />"""


def as_text(request: Request) -> Request:
    """The request without tools, calls and results, all of them said in words."""
    if not request.tools and not any(isinstance(message, ToolResult) for message in request.messages):
        return request
    messages, places = _messages(request)
    marks = request.marks
    system_block = None if marks.system_block is None else marks.system_block + bool(request.tools)
    return structs.replace(
        request,
        system=_with_tools(request.system, request.tools),
        tools=(),
        messages=messages,
        marks=structs.replace(
            marks,
            last_tool=False,
            system_block=system_block,
            messages=tuple(sorted({places[index] for index in marks.messages})),
        ),
    )


def canonical(call: ToolCall) -> str:
    """The call as a model should have written it."""
    arguments = arguments_text(call).replace("'", "\\u0027")
    return f"<tool_call name=\"@{call.name}\" args='{arguments}' />"


def instructions(tools: Sequence[ToolSchema]) -> str:
    """The format of calls, and what there is to call."""
    return "\n\n".join([prompt("tools").format(syntax=_SYNTAX), *map(described, tools)])


def format_error() -> str:
    """What a model is told that meant a call and wrote none."""
    return prompt("format_error").format(syntax=_SYNTAX)


def _with_tools(system: tuple[Block, ...], tools: Sequence[ToolSchema]) -> tuple[Block, ...]:
    """Tools stand behind the first block: what follows it differs from user to user."""
    return (*system[:1], Block("tools", instructions(tools)), *system[1:]) if tools else system


def _messages(request: Request) -> tuple[tuple[Message, ...], dict[int, int]]:
    """The messages, and where each of those of the request is found among them."""
    messages: list[Message] = []
    places: dict[int, int] = {}
    for exchange in exchanges(request.messages):
        if exchange.assistant:
            index, assistant = exchange.assistant
            places[index] = len(messages)
            messages.append(structs.replace(assistant, parts=_said(assistant)))
        if exchange.results:
            places.update((index, len(messages)) for index, _result in exchange.results)
            messages.append(_results(exchange, request.fence))
        for index, user in exchange.users:
            places[index] = len(messages)
            messages.append(user)
    return tuple(messages), places


def _said(message: AssistantMessage) -> tuple[Text, ...]:
    """Words, then calls. Thoughts stay out: services want them back only beside calls of their own kind."""
    calls = "\n".join(canonical(call) for call in message.calls)
    text = "\n\n".join(filter(None, (message.text.rstrip() if calls else message.text, calls)))
    return (Text(text),) if text else ()


def _results(exchange: Exchange, fence: str) -> UserMessage:
    """One message with all results, in the order of the calls."""
    tag = f"tool_result-{fence}"
    shown = []
    for number, (_index, result) in enumerate(exchange.results, 1):
        failed = ' error="true"' if result.is_error else ""
        head = f'<{tag} call="{number}" name="@{result.name}"{failed}>'
        shown.append(f"{head}\n{without_tag(result.text, fence)}\n</{tag}>")
    return UserMessage(seq=exchange.results[0][1].seq, parts=(Text("\n".join(shown), origin="notice"),))
