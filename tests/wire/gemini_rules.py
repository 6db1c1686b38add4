"""What Gemini refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.pictures import ALL, check_picture
from tests.wire.refuse import TOOL_NAME, Rejected, fields, require, require_fields
from tests.wire.seen import Asked, Result, Segment, canonical

TOP = fields(
    "contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels"
)
GENERATION = fields(
    "maxOutputTokens temperature topP topK stopSequences thinkingConfig responseMimeType responseSchema seed"
    " candidateCount"
)
PART = fields("text thought thoughtSignature functionCall functionResponse inlineData fileData")
KINDS = fields("text functionCall functionResponse inlineData fileData")
SCHEMA = fields(
    "type format title description nullable enum items minItems maxItems properties required minimum maximum"
    " minLength maxLength pattern anyOf propertyOrdering default"
)

Part = Mapping[str, Any]
Content = Mapping[str, Any]


def check_body(body: Any) -> None:
    require_fields(body, "", TOP, fields("contents"))
    require_fields(body.get("generationConfig", {}), "generationConfig", GENERATION)
    limit = body.get("generationConfig", {}).get("maxOutputTokens", 1)
    require(0 < limit <= 65_536, "max_tokens", "generationConfig.maxOutputTokens: out of range")
    if "systemInstruction" in body:
        _check_parts(body["systemInstruction"]["parts"], "systemInstruction")
    names = []
    for i, tool in enumerate(body.get("tools", [])):
        for j, made in enumerate(tool["functionDeclarations"]):
            at = f"tools[{i}].functionDeclarations[{j}]"
            require_fields(made, at, fields("name description parameters"), fields("name description"))
            require(TOOL_NAME.fullmatch(made["name"]), "tool_name", f"{at}.name: [INVALID_ARGUMENT]")
            if "parameters" in made:
                _check_schema(made["parameters"], f"{at}.parameters")
            names.append(made["name"])
    require(len(set(names)) == len(names), "tool_duplicate", f"Duplicate function declaration found: {names}")
    contents = body["contents"]
    require(isinstance(contents, list) and contents, "no_messages", "contents are required")
    for i, content in enumerate(contents):
        require_fields(content, f"contents[{i}]", fields("role parts"), fields("role parts"))
        require(content["role"] in ("user", "model"), "role", "Please use a valid role: user, model.")
        _check_parts(content["parts"], f"contents[{i}]")
    require(contents[0]["role"] == "user", "first_not_user", "the first content should be with role 'user'")
    require(contents[-1]["role"] == "user", "prefill", "the last content should be with role 'user'")


def _check_parts(parts: Any, where: str) -> None:
    require(isinstance(parts, list) and parts, "empty_message", f"{where}.parts must not be empty")
    for i, part in enumerate(parts):
        at = f"{where}.parts[{i}]"
        require_fields(part, at, PART)
        require(len(KINDS & part.keys()) == 1, "block_type", f"{at}.data: required oneof field 'data'")
        if "text" in part:
            require(isinstance(part["text"], str), "type", f"{at}.text: not a string")
            require(
                part["text"].strip() or part.get("thoughtSignature"),
                "empty_text",
                f"{at}.text: must not be empty",
            )
        if "inlineData" in part:
            blob = require_fields(part["inlineData"], at, fields("mimeType data"), fields("mimeType data"))
            types = tuple(name for name in ALL if name != "image/gif")
            check_picture(blob["mimeType"], blob["data"], at, types=types)
        if "functionCall" in part:
            require_fields(part["functionCall"], at, fields("id name args"), fields("name args"))
            require(isinstance(part["functionCall"]["args"], dict), "tool_input", f"{at}.args: not a struct")
        if "functionResponse" in part:
            response = require_fields(
                part["functionResponse"], at, fields("id name response"), fields("name response")
            )
            require(isinstance(response["response"], dict), "type", f"{at}.response: not a struct")


def _check_schema(schema: Any, where: str) -> None:
    for name in schema.keys() - SCHEMA:
        raise Rejected(
            "schema_subset", f"Invalid JSON payload received. Unknown name \"{name}\" at '{where}'"
        )
    kind = schema.get("type")
    require(kind is None or isinstance(kind, str), "schema_subset", f"{where}.type: not a string")
    if kind == "object":
        require(
            schema.get("properties"),
            "tool_schema",
            f"{where}.properties: should be non-empty for OBJECT type",
        )
    if "enum" in schema:
        strings = all(isinstance(value, str) for value in schema["enum"])
        require(strings and kind == "string", "schema_subset", f"{where}.enum: only allowed for STRING type")
    if kind == "array":
        require("items" in schema, "schema_subset", f"{where}.items: missing field.")
    for name, inner in schema.get("properties", {}).items():
        _check_schema(inner, f"{where}.properties[{name}]")
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])):
        _check_schema(inner, f"{where}.items")


def check_pairing(contents: Sequence[Content]) -> None:
    """Behind a turn of calls stand its responses: as many, of the same names, in the same order."""
    waiting: list[Mapping[str, Any]] = []
    for i, content in enumerate(contents):
        calls, responses = _of(content, "functionCall"), _of(content, "functionResponse")
        require(not calls or content["role"] == "model", "call_in_user", f"contents[{i}]: a call of the user")
        require(
            len(responses) == len(waiting),
            "orphan_call" if waiting else "orphan_result",
            "Please ensure that the number of function response parts is equal to the number of function call"
            " parts of the function call turn.",
        )
        for call, response in zip(waiting, responses, strict=True):
            require(call["name"] == response["name"], "result_order", f"contents[{i}]: {response['name']}")
            require(call.get("id") == response.get("id"), "result_id", f"contents[{i}]: {response.get('id')}")
        waiting = calls
    require(not waiting, "orphan_call", "the last calls have no responses")


def _of(content: Content, kind: str) -> list[Mapping[str, Any]]:
    return [part[kind] for part in content["parts"] if kind in part]


def texts_of(contents: Sequence[Content], role: str) -> tuple[str, ...]:
    texts = [
        "".join(part["text"] for part in content["parts"] if "text" in part and not part.get("thought"))
        for content in contents
        if content["role"] == role
    ]
    return tuple(filter(None, texts))


def calls_of(contents: Sequence[Content]) -> tuple[Asked, ...]:
    return tuple(
        Asked(name=call["name"], arguments=call["args"])
        for content in contents
        for call in _of(content, "functionCall")
    )


def results_of(contents: Sequence[Content]) -> tuple[tuple[Result, ...], tuple[Result, ...]]:
    """All results, and those that answer the newest turn of the model."""
    found: list[Result] = []
    new: list[Result] = []
    for content in contents:
        made = list(_results(content))
        found += made
        new = [] if content["role"] == "model" else [*new, *made]
    return tuple(found), tuple(new)


def _results(content: Content) -> Iterator[Result]:
    for response in _of(content, "functionResponse"):
        answer = response["response"]
        yield Result(
            call_id=response.get("id", response["name"]),
            name=response["name"],
            text=str(answer.get("output", answer.get("error", ""))),
            is_error="error" in answer,
        )


def segments_of(body: Mapping[str, Any]) -> tuple[Segment, ...]:
    system = body.get("systemInstruction", {}).get("parts", [])
    blocks = [(f"system[{i}]", part) for i, part in enumerate(system)]
    for tool in body.get("tools", []):
        blocks += [(f"tools.{made['name']}", made) for made in tool["functionDeclarations"]]
    for i, content in enumerate(body["contents"]):
        blocks += [
            (f"contents[{i}].parts[{j}]", {"role": content["role"], **part})
            for j, part in enumerate(content["parts"])
        ]
    return tuple(Segment(where=at, data=canonical(block)) for at, block in blocks)
