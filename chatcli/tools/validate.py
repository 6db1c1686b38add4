"""Checks the arguments of a call: tolerant where models err, strict otherwise.

Taken as meant: `"3"` for 3, `"true"` for true, one object where a list of them is wanted, JSON text
where a list or an object is wanted, null or "" for an optional value, other spellings of a name.
Everything else raises `InvalidArguments` with one line that names the parameter and the form.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import UNSET, Struct

from chatcli.errors import InvalidArguments
from chatcli.tools.schema import Parameter, fields_of, without_none

# What models write from habit, used only while the canonical name is absent.
_ALIASES: dict[str, tuple[str, ...]] = {
    "file": ("path", "file_path", "filepath", "filename", "file_name"),
    "path": ("dir", "directory", "folder", "file", "file_path"),
    "pattern": ("query", "regex", "term", "search"),
    "glob": ("include", "file_pattern"),
    "start": ("from_line", "start_line", "line", "from"),
    "end": ("to_line", "end_line", "to"),
    "chars": ("length",),
    "command": ("cmd", "script"),
    "cwd": ("dir", "directory", "workdir", "path"),
    "content": ("text", "contents"),
    "old": ("old_string", "old_str", "old_text", "search"),
    "new": ("new_string", "new_str", "new_text", "replace"),
    "all": ("replace_all",),
    "action": ("command", "subcommand", "cmd"),
    "ref": ("revision", "commit", "rev"),
    "items": ("todos", "tasks"),
    "question": ("prompt", "text"),
    "text": ("query", "question", "fact", "id", "content"),
    "timeout": ("timeout_seconds",),
    "max_results": ("limit", "head_limit"),
    "script": ("code", "source", "python"),
    "keys": ("key", "marker", "markers", "ccr", "id"),
}
_KINDS = {str: "a string", int: "an integer", float: "a number", bool: "true or false", dict: "an object"}


def validate(name: str, parameters: Sequence[Parameter], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by canonical name, converted, with the defaults of what was not given."""
    return _members(name, parameters, arguments, "")


def _members(
    owner: str, parameters: Sequence[Parameter], arguments: Mapping[str, Any], prefix: str
) -> dict[str, Any]:
    given = _canonical(parameters, arguments)
    given = _folded_into_list(parameters, given)
    known = {parameter.name for parameter in parameters}
    if unknown := sorted(given.keys() - known):
        takes = ", ".join(p.name if p.required else f"{p.name}?" for p in parameters)
        raise InvalidArguments(f"{owner}: unknown parameter {prefix + unknown[0]!r}; it takes {takes}.")
    values = {}
    for parameter in parameters:
        value = given.get(parameter.name)
        where = prefix + parameter.name
        if _is_absent(value, parameter):
            if parameter.required:
                raise InvalidArguments(f"{owner}: {where!r} is missing; it must be {_form(parameter.type)}.")
            if parameter.default is not UNSET:
                values[parameter.name] = parameter.default
            continue
        values[parameter.name] = _convert(owner, value, parameter.type, where)
    return values


def _canonical(parameters: Sequence[Parameter], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under the names of the parameters, as far as their spelling tells."""
    known = {parameter.name for parameter in parameters}
    given: dict[str, Any] = {}
    for key, value in arguments.items():
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).replace("-", "_").lower()
        given[key if key in known or snake in arguments else snake] = value
    for name in known - given.keys():
        for alias in _ALIASES.get(name, ()):
            if alias in given and alias not in known:
                given[name] = given.pop(alias)
                break
    return given


def _folded_into_list(parameters: Sequence[Parameter], given: dict[str, Any]) -> dict[str, Any]:
    """`{file, old, new}` for `{file, edits: [{old, new}]}`: fields of the one list written flat."""
    wanted = [p for p in parameters if p.required and p.name not in given and _struct_item(p.type)]
    if len(wanted) != 1:
        return given
    known = {parameter.name for parameter in parameters}
    fields = fields_of(_struct_item(wanted[0].type))
    flat = _canonical(fields, {key: value for key, value in given.items() if key not in known})
    if not flat or flat.keys() - {field.name for field in fields}:
        return given
    return {key: value for key, value in given.items() if key in known} | {wanted[0].name: [flat]}


def _struct_item(type_: Any) -> Any:
    """The Struct of `list[Struct]`, else None."""
    type_ = without_none(type_)
    items = get_args(type_) if get_origin(type_) is list else ()
    return items[0] if items and isinstance(items[0], type) and issubclass(items[0], Struct) else None


def _is_absent(value: Any, parameter: Parameter) -> bool:
    if value is None:
        return True
    blank = isinstance(value, str) and value.strip() in ("", "null", "None")
    return blank and not parameter.required and without_none(parameter.type) is not str


def _convert(owner: str, value: Any, type_: Any, where: str) -> Any:
    type_ = without_none(type_)
    origin = get_origin(type_) or type_
    if type_ is Any:
        return value
    if origin is list:
        (item,) = get_args(type_) or (Any,)
        values = _as_list(value, item)
        return [_convert(owner, each, item, f"{where}[{i}]") for i, each in enumerate(values)]
    if isinstance(origin, type) and issubclass(origin, Struct):
        members = _as_object(value, origin)
        if members is None:
            raise _mismatch(owner, where, type_, value)
        return origin(**_members(owner, fields_of(origin), members, f"{where}."))
    converted = _scalar(value, type_, origin)
    if converted is UNSET:
        raise _mismatch(owner, where, type_, value)
    return converted


def _scalar(value: Any, type_: Any, origin: Any) -> Any:
    """The value as a scalar or a plain object; UNSET when it is none."""
    if origin is Literal:
        word = value.strip().lower() if isinstance(value, str) else value
        return next((choice for choice in get_args(type_) if word in (choice, choice.lower())), UNSET)
    if origin is dict:
        members = _decoded(value)
        return members if isinstance(members, dict) else UNSET
    if origin is bool:
        words = {"true": True, "false": False}
        return words.get(value.strip().lower(), UNSET) if isinstance(value, str) else _only(value, bool)
    if isinstance(value, bool):
        return UNSET
    if origin is str:
        return str(value) if isinstance(value, int) else _only(value, str)
    return _number(value, origin)


_LARGEST = {int: (1 << 63) - 1, float: sys.float_info.max}
"""No file has so many lines; infinite numbers are larger, and NaN is not within either."""


def _number(value: Any, kind: type) -> Any:
    if isinstance(value, str):
        try:
            value = float(value) if re.search(r"[.eE]", value) else int(value)
        except ValueError:
            return UNSET
    if not isinstance(value, int | float) or not -_LARGEST[kind] <= value <= _LARGEST[kind]:
        return UNSET
    if kind is float:
        return float(value)
    return int(value) if value == int(value) else UNSET


def _only(value: Any, kind: type) -> Any:
    return value if isinstance(value, kind) else UNSET


def _as_list(value: Any, item: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    decoded = _decoded(value)
    if isinstance(decoded, list):
        return decoded
    return [decoded if _struct_item(list[item]) and isinstance(decoded, dict) else value]


def _as_object(value: Any, struct: type[Struct]) -> dict[str, Any] | None:
    decoded = _decoded(value)
    if isinstance(decoded, dict):
        return decoded
    required = [field for field in fields_of(struct) if field.required]
    if isinstance(value, str) and len(required) == 1 and required[0].type is str:
        return {required[0].name: value}
    return None


def _decoded(value: Any) -> Any:
    """What JSON text spells; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return value


def _mismatch(owner: str, where: str, type_: Any, value: Any) -> InvalidArguments:
    got = msgspec.json.encode(value).decode()
    shown = got if len(got) <= 60 else f"{got[:60]}..."
    return InvalidArguments(f"{owner}: {where!r} must be {_form(type_)}, not {shown}")


def _form(type_: Any) -> str:
    type_ = without_none(type_)
    origin = get_origin(type_) or type_
    if origin is Literal:
        return "one of " + ", ".join(get_args(type_))
    if origin is list:
        (item,) = get_args(type_) or (Any,)
        return f"a list, each {_form(item)}"
    if isinstance(origin, type) and issubclass(origin, Struct):
        fields = ", ".join(f.name if f.required else f"{f.name}?" for f in fields_of(origin))
        return f"an object {{{fields}}}"
    return _KINDS.get(origin, "a value")
