"""Bytes of requests: the same value gives the same bytes in every process, hash seed and locale.

Bodies are plain dicts whose keys stand in a fixed order. Arguments of tool calls are never parsed
and written anew: the model's own text is embedded, so that it is sent back byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from chatcli.errors import InvalidArguments
from chatcli.messages import ToolCall, ToolSchema

UNPARSABLE_KEY = "_unparsable_arguments"
"""Argument under which a model sees what it wrote when that was not a JSON object."""


def encode(body: dict[str, Any]) -> bytes:
    """The JSON bytes of a body. Lone surrogates, which are no text at all, become U+FFFD."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(_cleaned(body))


def arguments_text(call: ToolCall) -> str:
    """A JSON object, for wires on which arguments are a string: verbatim whenever it is one."""
    text = call.arguments_json
    if not text.strip():
        return "{}"
    try:
        call.arguments()
    except (InvalidArguments, UnicodeEncodeError):
        return encode({UNPARSABLE_KEY: text}).decode()
    return text


def arguments_object(call: ToolCall) -> msgspec.Raw:
    """The same for wires on which arguments are an object: its text is embedded as it is."""
    return msgspec.Raw(arguments_text(call).encode())


def functions(tools: Sequence[ToolSchema]) -> list[dict[str, Any]]:
    """Tools as OpenAI's chat wire has them, and Ollama's too."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in tools
    ]


def without_tag(text: str, tag: str) -> str:
    """Foreign text in which nothing repeats the word of its fence, in whatever case."""
    return re.sub(re.escape(tag), "?" * len(tag), text, flags=re.IGNORECASE) if tag else text


def without_surrogates(text: str) -> str:
    """Joins pairs of surrogates to the characters that they are; others become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return without_surrogates(value)
        case list():
            return [_cleaned(item) for item in value]
        case dict():
            return {_cleaned(key): _cleaned(item) for key, item in value.items()}
        case _:
            return value
