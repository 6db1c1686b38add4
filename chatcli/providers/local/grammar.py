"""What a model may write, as a grammar in llama.cpp's notation (GBNF): an answer, or calls of our tools.

Arguments follow the JSON schema of the tool: required members first, then optional ones, each at
most once and in the order of the schema. So a call that was written to its end is always valid,
however weak the model is. A schema that says more than this understands is held to what is understood:
arguments are validated again before a tool runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from chatcli.messages import ToolSchema

MOST_CALLS = 8
"""Calls that one reply may make."""

_TEXT = r"[^{\x00] [^\x00]*"
PROSE = f"root ::= {_TEXT}\n"
"""The grammar of a reply that calls nothing, though calls stand in front of it."""
_COMMON = r"""
value ::= string | number | boolean | "null" | object | list
object ::= "{" (string colon value (comma string colon value)*)? "}"
list ::= "[" (value (comma value)*)? "]"
string ::= "\"" ([^"\\\x00-\x1f\x7f] | "\\" (["\\/bfnrt] | "u00" [01] [0-9a-f]))* "\""
integer ::= "-"? ("0" | [1-9] [0-9]{0,14})
number ::= integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?
boolean ::= "true" | "false"
colon ::= ":" " "?
comma ::= "," " "?
"""
_BY_TYPE = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "null": '"null"',
    "object": "object",
    "array": "list",
}


def grammar(tools: Sequence[ToolSchema], *, must_call: bool = False) -> str:
    """One reply: prose that does not begin with `{`, or one call in each line. `must_call`: no prose."""
    rules = _Rules()
    calls = [rules.add(_call(tool, rules)) for tool in tools]
    prose = "" if must_call else "text | "
    root = f'root ::= {prose}call ("\\n" call){{0,{MOST_CALLS - 1}}}'
    return f"{root}\ntext ::= {_TEXT}\ncall ::= {' | '.join(calls)}\n{rules.text()}{_COMMON}"


def call_beginning(tool: str) -> str:
    """What stands in front of the arguments of a call, to the letter; behind them comes `}`."""
    return f'{{"tool": {_json(tool)}, "arguments": '


class _Rules:
    """Numbered rules, because names of tools and members are not all names of rules."""

    def __init__(self) -> None:
        self._bodies: list[str] = []

    def add(self, body: str) -> str:
        self._bodies.append(body)
        return f"r{len(self._bodies)}"

    def text(self) -> str:
        return "\n".join(f"r{number} ::= {body}" for number, body in enumerate(self._bodies, 1))


def _call(tool: ToolSchema, rules: _Rules) -> str:
    return f'{_quoted(call_beginning(tool.name))} {_value(tool.parameters, rules)} "}}"'


def _value(schema: Mapping[str, Any], rules: _Rules) -> str:
    """The body of a rule, or the name of one, for a value of this schema."""
    if (choices := schema.get("enum") or _constant(schema)) is not None:
        return f"({' | '.join(map(_literal, choices))})"
    if branches := _branches(schema):
        return f"({' | '.join(_value(branch, rules) for branch in branches)})"
    match schema:
        case {"properties": {} as properties} if properties:
            return rules.add(_members(properties, set(schema.get("required", ())), rules))
        case {"type": "object", "additionalProperties": {} as values} if values:
            return rules.add(_list_of(f"string colon {_value(values, rules)}", "{", "}"))
        case {"type": "array", "items": {} as items} if items:
            return rules.add(_list_of(_value(items, rules), "[", "]"))
        case {"type": str(type_)}:
            return _BY_TYPE.get(type_, "value")
    return "value"


def _constant(schema: Mapping[str, Any]) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else None


def _branches(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schemas of which a value has to fit one."""
    match schema:
        case {"anyOf": [_, *_] as branches} | {"oneOf": [_, *_] as branches}:
            return list(branches)
        case {"type": [_, *_] as types}:
            return [{**schema, "type": type_} for type_ in types]
    return []


def _list_of(item: str, first: str, last: str) -> str:
    return f'"{first}" ({item} (comma {item})*)? "{last}"'


def _members(properties: Mapping[str, Any], required: set[str], rules: _Rules) -> str:
    members = {name: _member(name, _value(schema, rules)) for name, schema in properties.items()}
    first = [member for name, member in members.items() if name in required]
    rest = [rules.add(member) for name, member in members.items() if name not in required]
    if first:
        inner = " comma ".join(first) + "".join(f" (comma {member})?" for member in rest)
        return f'"{{" {inner} "}}"'
    # The first that is there has no comma in front, whichever it is.
    starts = [
        " ".join([member, *(f"(comma {later})?" for later in rest[i:])]) for i, member in enumerate(rest, 1)
    ]
    return f'"{{" ({" | ".join(starts)})? "}}"'


def _member(name: str, value: str) -> str:
    return f"{_literal(name)} colon {value}"


def _literal(value: Any) -> str:
    """A JSON value, exactly as written, as a string of the grammar."""
    return _quoted(_json(value))


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
