"""How a model is told of a tool: what that costs depends on the form."""

from __future__ import annotations

from typing import Any

import msgspec

from chatcli.messages import ToolSchema
from chatcli.providers.base import ToolForm


def written(tool: ToolSchema, form: ToolForm) -> str:
    """The tool as it is sent, or nearly so."""
    match form:
        case "described":
            return described(tool)
        case "line":
            return line(tool)
        case _:
            return msgspec.json.encode(tool).decode()


def described(tool: ToolSchema) -> str:
    """In some lines of text: what it does, then each argument."""
    lines = [f"## @{tool.name}", tool.description]
    required = tool.parameters.get("required", ())
    for name, schema in tool.parameters.get("properties", {}).items():
        lines.append(f"- {name}{'' if name in required else '?'}: {_form(schema)}")
    return "\n".join(lines)


def line(tool: ToolSchema) -> str:
    """`read(file, start?, end?): what it does`"""
    required = tool.parameters.get("required", ())
    names = [name if name in required else f"{name}?" for name in tool.parameters.get("properties", ())]
    return f"{tool.name}({', '.join(names)}): {tool.description.partition(chr(10))[0]}"


def _form(schema: dict[str, Any]) -> str:
    """`string`, `"a" | "b"`, `[{old: string, new: string}]`, with what is said about it."""
    if "enum" in schema:
        form = " | ".join(f'"{value}"' for value in schema["enum"])
    elif schema.get("type") == "array":
        form = f"[{_form(schema.get('items', {}))}]"
    elif properties := schema.get("properties"):
        required = schema.get("required", ())
        members = (f"{n}{'' if n in required else '?'}: {_form(s)}" for n, s in properties.items())
        form = "{" + ", ".join(members) + "}"
    else:
        form = str(schema.get("type", "any"))
    about = schema.get("description", "")
    return f"{form} ({about})" if about else form
