"""From what a model wrote in place of arguments to a JSON object."""

from __future__ import annotations

from typing import Any

import msgspec

from chatcli.agent.text_protocol.loose_json import loose_object
from chatcli.agent.text_protocol.spellings import ARGUMENTS_KEYS, NAME_KEYS, Draft
from chatcli.messages import ToolSchema


def envelope(text: str) -> tuple[str, str] | None:
    """The name and, as JSON, the arguments of `{"tool_call": "@read", "args": {...}}`; else None.

    An object that holds anything else is data that looks like a call.
    """
    whole = loose_object(text)
    if whole is None or len(whole) > 2:
        return None
    name = next((whole.pop(key) for key in NAME_KEYS if key in whole), None)
    given: Any = next((whole.pop(key) for key in ARGUMENTS_KEYS if key in whole), {})
    if isinstance(given, str):
        given = loose_object(given)
    if whole or not isinstance(name, str) or not isinstance(given, dict):
        return None
    return name, _encode(given)


def arguments_json(draft: Draft, schema: ToolSchema | None) -> str | None:
    """The arguments as the text of a JSON object, verbatim where it is one; None when they cannot be read.

    Whether they fit the tool is not asked here: every call is checked against its tool before it runs.
    A single word or text stands for the one argument that the tool must have.
    """
    text = (draft.arguments or "").strip()
    if not text:
        return _encode(draft.attributes)
    if text.startswith("{"):
        return text if _is_object(text) else _encode_or_none(loose_object(text))
    if text.startswith('"'):
        try:
            inside = msgspec.json.decode(text, type=str)
        except msgspec.DecodeError:
            return None
        return arguments_json(Draft(arguments=inside), schema) if inside.startswith("{") else None
    wanted = _only_text(schema) if schema else ""
    return _encode({wanted: text}) if wanted and not text.startswith(("-", "[")) else None


def _only_text(schema: ToolSchema) -> str:
    """The name of the one argument without which the tool cannot run, if it is a text."""
    required = schema.parameters.get("required", [])
    properties = schema.parameters.get("properties", {})
    if len(required) == 1 and properties.get(required[0], {}).get("type") == "string":
        return str(required[0])
    return ""


def _is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except msgspec.DecodeError:
        return False


def _encode(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()


def _encode_or_none(value: dict[str, Any] | None) -> str | None:
    return None if value is None else _encode(value)
