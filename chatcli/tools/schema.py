"""The JSON schema of a tool, from the signature of its function.

Supported types: `str int float bool`, `Literal` of strings, `list[...]`, `dict[str, Any]`, frozen
msgspec Structs, each also as `X | None`. A string in `Annotated[...]` is the description that the
model reads. Keys come in a fixed order, so that the bytes are the same in every process.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, UNSET, Struct

_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}


class Parameter(Struct, frozen=True, kw_only=True):
    """One parameter of a tool, or one field of a Struct."""

    name: str
    type: Any
    """Without `Annotated`; `X | None` is kept."""
    description: str = ""
    required: bool = True
    default: Any = UNSET
    """UNSET: left out of the validated arguments when it was not given."""


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """All parameters but the first, which is the context. Raises TypeError for an unsupported type."""
    hints = get_type_hints(function, include_extras=True)
    found = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{function.__name__}: *{parameter.name} has no schema")
        if parameter.name not in hints:
            raise TypeError(f"{function.__name__}: {parameter.name} has no type")
        default = parameter.default
        found.append(_parameter(parameter.name, hints[parameter.name], default, parameter.empty))
    return tuple(found)


def fields_of(struct: type[Struct]) -> tuple[Parameter, ...]:
    """The fields of a Struct as parameters."""
    hints = get_type_hints(struct, include_extras=True)
    return tuple(
        _parameter(field.encode_name, hints[field.name], field.default, NODEFAULT)
        for field in msgspec.structs.fields(struct)
    )


def object_schema(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """The schema of a JSON object with these members."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {p.name: _schema(p.type, p.description) for p in parameters},
    }
    if required := [p.name for p in parameters if p.required]:
        schema["required"] = required
    return schema


def without_none(type_: Any) -> Any:
    """`X` of `X | None`; any other type as it is."""
    if get_origin(type_) in (Union, types.UnionType):
        members = [member for member in get_args(type_) if member is not type(None)]
        if len(members) != 1:
            raise TypeError(f"a union has no simple schema: {type_}")
        return members[0]
    return type_


def _parameter(name: str, hint: Any, default: Any, no_default: Any) -> Parameter:
    type_, description = _split(hint)
    required = default is no_default
    _schema(type_, "")  # an unsupported type is found when the tool is declared
    return Parameter(
        name=name,
        type=type_,
        description=description,
        required=required,
        default=UNSET if required else default,
    )


def _split(hint: Any) -> tuple[Any, str]:
    if get_origin(hint) is not Annotated:
        return hint, ""
    type_, *extras = get_args(hint)
    return type_, next((extra for extra in extras if isinstance(extra, str)), "")


def _schema(type_: Any, description: str) -> dict[str, Any]:
    type_ = without_none(_split(type_)[0])
    origin = get_origin(type_) or type_
    about = {"description": description} if description else {}
    if type_ is Any:
        return about
    if origin is Literal:
        return {"type": "string", "enum": list(get_args(type_)), **about}
    if origin is list:
        (item,) = get_args(type_) or (Any,)
        return {"type": "array", "items": _schema(*_split(item)), **about}
    if origin in _SIMPLE:
        return {"type": _SIMPLE[origin], **about}
    if isinstance(origin, type) and issubclass(origin, Struct):
        return {**object_schema(fields_of(origin)), **about}
    raise TypeError(f"no schema for the type {type_}")
