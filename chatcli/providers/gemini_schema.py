"""JSON schemas as Gemini takes them: a subset of OpenAPI's, in which `null` is a flag and not a type."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_KEPT = (
    "type",
    "format",
    "title",
    "description",
    "enum",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "required",
)
_FORMATS = {"string": {"enum", "date-time"}, "number": {"float", "double"}, "integer": {"int32", "int64"}}


def subset(schema: Schema) -> Schema | None:
    """The schema of a tool's parameters; None for a tool that has none: an empty object is refused."""
    made = _convert(schema, schema.get("$defs") or schema.get("definitions") or {})
    return made if made.get("properties") else None


def _convert(schema: Schema, definitions: Schema, inside: tuple[str, ...] = ()) -> Schema:
    """`inside` are the definitions around this place: one that names itself ends as any object."""
    if reference := schema.get("$ref"):
        name = str(reference).rsplit("/", 1)[-1]
        if name in inside or name not in definitions:
            return {"type": "object"}
        return _convert({**definitions[name], **_without(schema, "$ref")}, definitions, (*inside, name))
    schema = _without_null(schema)
    made = {name: schema[name] for name in _KEPT if name in schema}
    if schema.get("nullable"):
        made["nullable"] = True
    if "const" in schema:
        made["enum"] = [schema["const"]]
    if "enum" in made:
        made["enum"] = [value for value in made["enum"] if isinstance(value, str)]
        if not made["enum"] or made.get("type", "string") != "string":
            del made["enum"]
        made.setdefault("type", "string")
    if made.get("format") not in _FORMATS.get(made.get("type", ""), ()):
        made.pop("format", None)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        made["anyOf"] = [_convert(choice, definitions, inside) for choice in choices]
    if properties := schema.get("properties"):
        made["properties"] = {name: _convert(s, definitions, inside) for name, s in properties.items()}
    if made.get("type") == "array":
        made["items"] = _convert(schema.get("items") or {"type": "string"}, definitions, inside)
    return made


def _without_null(schema: Schema) -> Schema:
    """`["string", "null"]` and a choice of null become `nullable`; one choice that is left is no choice."""
    made = schema
    if isinstance(types := schema.get("type"), list):
        kinds = [kind for kind in types if kind != "null"]
        made = {**schema, "type": kinds[0] if kinds else "string", "nullable": "null" in types}
    for name in ("anyOf", "oneOf"):
        choices = made.get(name)
        if not choices:
            continue
        kept = [choice for choice in choices if choice.get("type") != "null"]
        nullable = made.get("nullable") or len(kept) < len(choices)
        rest = {**_without(made, name), "nullable": nullable}
        made = {**kept[0], **rest} if len(kept) == 1 else {**rest, name: kept}
    return made


def _without(schema: Schema, name: str) -> Schema:
    return {key: value for key, value in schema.items() if key != name}
