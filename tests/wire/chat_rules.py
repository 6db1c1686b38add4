"""What OpenAI Chat Completions and the services that speak it refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.wire.pictures import check_data_url
from tests.wire.refuse import TOOL_NAME, Rejected, fields, require, require_fields
from tests.wire.seen import Asked, Result, Segment, canonical

TOP = fields(
    "model messages tools tool_choice parallel_tool_calls stream stream_options max_tokens"
    " max_completion_tokens reasoning_effort temperature top_p stop seed n response_format metadata store"
    " service_tier user verbosity"
    " frequency_penalty presence_penalty logit_bias logprobs top_logprobs prediction modalities audio"
    " prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier web_search_options"
)
OPENROUTER = fields(
    "models provider route transforms plugins reasoning include_reasoning usage cache_control session_id"
    " top_k min_p top_a repetition_penalty"
)
ROLES = {
    "system": fields("role content name"),
    "developer": fields("role content name"),
    "user": fields("role content name"),
    "assistant": fields("role content name refusal tool_calls audio reasoning reasoning_details"),
    "tool": fields("role content tool_call_id"),
}
IMAGE_PART = fields("type image_url cache_control")
TEXT_PART = fields("type text cache_control prompt_cache_breakpoint")

Message = Mapping[str, Any]


def check_body(body: Any, *, openrouter: bool) -> None:
    """Fields, the model's own restrictions, tools."""
    for name in body.keys() - (TOP | OPENROUTER if openrouter else TOP):
        raise Rejected("extraneous", f"Unrecognized request argument supplied: {name}")
    for name in ("model", "messages"):
        require(body.get(name), "missing_field", f"Missing required parameter: '{name}'.")
    if not openrouter:
        check_generation(body, limit_name="max_completion_tokens")
        require(
            "max_tokens" not in body or not is_reasoning(body["model"]),
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported with this model."
            " Use 'max_completion_tokens' instead.",
        )
    _check_tools(body.get("tools"))


def check_generation(body: Message, *, limit_name: str) -> None:
    """What only some generations of OpenAI's models take."""
    model = body["model"]
    limit = body.get(limit_name)
    require(limit is None or (type(limit) is int and limit > 0), "max_tokens", f"Invalid '{limit_name}'.")
    if is_reasoning(model):
        for name in body.keys() & {"temperature", "top_p", "presence_penalty", "frequency_penalty"}:
            raise Rejected(
                "unsupported", f"Unsupported parameter: '{name}' is not supported with this model."
            )
    uses_breakpoints = b'"prompt_cache_breakpoint":' in canonical(body)
    require(
        has_breakpoints(model) or not ("prompt_cache_options" in body or uses_breakpoints),
        "cache_options",
        f"prompt_cache_options and prompt_cache_breakpoint are not supported with {model}",
    )


def is_reasoning(model: str) -> bool:
    return re.match(r"(gpt-[5-9]|o\d)", model) is not None


def has_breakpoints(model: str) -> bool:
    """gpt-5.6 and later take explicit breakpoints."""
    found = re.match(r"gpt-(\d+)(?:\.(\d+))?", model)
    return found is not None and (int(found[1]), int(found[2] or 0)) >= (5, 6)


def _check_tools(tools: Any) -> None:
    if tools is None:
        return
    require(tools, "tools_empty", "[] is too short - 'tools'")
    names = []
    for i, tool in enumerate(tools):
        require_fields(tool, f"tools[{i}]", fields("type function cache_control"), fields("type function"))
        function = tool["function"]
        require_fields(
            function, f"tools[{i}].function", fields("name description parameters strict"), fields("name")
        )
        check_tool_name(function["name"], f"tools[{i}].function.name")
        schema = function.get("parameters", {"type": "object"})
        require(
            isinstance(schema, dict) and schema.get("type") == "object",
            "tool_schema",
            f"Invalid schema for function '{function['name']}': schema must be of type 'object'",
        )
        names.append(function["name"])
    require(len(set(names)) == len(names), "tool_duplicate", "Tool names must be unique.")


def check_tool_name(name: Any, where: str) -> None:
    valid = isinstance(name, str) and TOOL_NAME.fullmatch(name)
    require(valid, "tool_name", f"Invalid '{where}': string does not match pattern '^[a-zA-Z0-9_-]+$'.")


def check_messages(messages: Any, tools: Any) -> None:
    """Roles, contents, calls; results stand directly behind their calls, all of them."""
    require(isinstance(messages, list), "type", "Invalid type for 'messages': expected an array")
    open_calls: list[str] = []
    known: set[str] = set()
    for i, message in enumerate(messages):
        where = f"messages[{i}]"
        role = str(message.get("role")) if isinstance(message, dict) else ""
        require(role in ROLES, "role", f"Invalid value: '{role}' for '{where}.role'.")
        require_fields(message, where, ROLES[role])
        if role == "tool":
            _close_call(message, where, open_calls)
            continue
        _require_answered(open_calls)
        _check_content(message, where)
        for j, call in enumerate(message.get("tool_calls") or []):
            _check_call(call, f"{where}.tool_calls[{j}]", known)
            open_calls.append(call["id"])
        require(tools or not open_calls, "tools_missing", f"{where}.tool_calls: no 'tools' were defined")
    _require_answered(open_calls)
    require(
        any(m["role"] == "user" for m in messages),
        "no_user",
        "Invalid 'messages': no user message was provided",
    )
    require(
        messages[-1]["role"] in ("user", "tool"), "prefill", "The last message must be of the user or a tool"
    )


def _close_call(message: Message, where: str, open_calls: list[str]) -> None:
    require(
        isinstance(message.get("content"), str | list),
        "content",
        f"Invalid '{where}.content': expected a string",
    )
    require(
        message.get("tool_call_id") in open_calls,
        "orphan_result",
        f"Invalid parameter: {where} with role 'tool' must be a response to a preceding message with"
        " 'tool_calls'.",
    )
    open_calls.remove(message["tool_call_id"])


def _require_answered(open_calls: Sequence[str]) -> None:
    require(
        not open_calls,
        "orphan_call",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
        f" 'tool_call_id'. The following ids did not have response messages: {', '.join(open_calls)}",
    )


def _check_content(message: Message, where: str) -> None:
    content = message.get("content")
    calls = message.get("tool_calls")
    require(calls is None or calls, "calls_empty", f"Invalid '{where}.tool_calls': empty array.")
    if message["role"] == "assistant" and (calls or message.get("refusal")):
        require(content is None or isinstance(content, str | list), "content", f"Invalid '{where}.content'")
        require(content != [], "content", f"Invalid '{where}.content': empty array.")
        return
    require(
        isinstance(content, str | list),
        "content",
        f"Invalid value for '{where}.content': expected a string, got null.",
    )
    require(content, "empty_message", f"Invalid '{where}': the message must not be empty")
    for j, part in enumerate(content if isinstance(content, list) else []):
        kind = part.get("type")
        require(
            kind in ("text", "image_url", "file", "refusal"),
            "block_type",
            f"Invalid '{where}.content[{j}].type'",
        )
        if kind == "text":
            require_fields(part, f"{where}.content[{j}]", TEXT_PART, fields("text"))
            require(part["text"], "empty_text", f"Invalid '{where}.content[{j}].text': empty string.")
        if kind == "image_url":
            at = f"{where}.content[{j}]"
            require(message["role"] == "user", "block_place", f"Invalid '{at}': images are the user's")
            require_fields(part, at, IMAGE_PART, fields("image_url"))
            check_data_url(require_fields(part["image_url"], at, fields("url detail"))["url"], at)


def _check_call(call: Any, where: str, known: set[str]) -> None:
    require_fields(call, where, fields("id type function"), fields("id type function"))
    function = require_fields(call["function"], where, fields("name arguments"), fields("name arguments"))
    require(
        call["id"] and call["id"] not in known,
        "duplicate_id",
        f"Duplicate value for '{where}.id': {call['id']}",
    )
    known.add(call["id"])
    check_tool_name(function["name"], f"{where}.function.name")
    check_arguments(function["arguments"], where)


def check_arguments(arguments: Any, where: str) -> None:
    """A string that holds one JSON object."""
    require(
        isinstance(arguments, str),
        "arguments_type",
        f"Invalid type for '{where}.arguments': expected a string.",
    )
    try:
        parsed = json.loads(arguments)
    except ValueError:
        parsed = None
    require(
        isinstance(parsed, dict),
        "arguments_json",
        f"Invalid '{where}.arguments': not a JSON object: {arguments}",
    )


def check_reasoning(messages: Sequence[Message], issued: Mapping[str, list[dict[str, Any]]]) -> None:
    """OpenRouter: reasoning details come back unchanged while the tool loop runs."""
    last_task = max((i for i, m in enumerate(messages) if m["role"] == "user"), default=0)
    for i, message in enumerate(messages):
        for call in message.get("tool_calls") or []:
            expected = issued.get(call["id"])
            require(
                i < last_task or not expected or message.get("reasoning_details") == expected,
                "reasoning_missing",
                f"messages[{i}].reasoning_details must be returned as they were received",
            )


def calls_of(messages: Sequence[Message]) -> tuple[Asked, ...]:
    functions = [call["function"] for message in messages for call in message.get("tool_calls") or []]
    return tuple(Asked(name=f["name"], arguments=json.loads(f["arguments"])) for f in functions)


def results_of(messages: Sequence[Message]) -> tuple[Result, ...]:
    names = {c["id"]: c["function"]["name"] for m in messages for c in m.get("tool_calls") or []}
    return tuple(
        Result(call_id=m["tool_call_id"], name=names[m["tool_call_id"]], text=text_of(m["content"]))
        for m in messages
        if m["role"] == "tool"
    )


def text_of(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def segments_of(body: Message) -> tuple[Segment, ...]:
    """Tools, then each part of each message. Breakpoints are no part of the bytes: they move."""
    blocks = [(f"tools[{i}]", tool) for i, tool in enumerate(body.get("tools") or [])]
    for i, message in enumerate(body["messages"]):
        rest = {key: value for key, value in message.items() if key != "content"}
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"content": content}]
        blocks += [(f"messages[{i}].content[{j}]", {**rest, **part}) for j, part in enumerate(parts)]
    return tuple(Segment(where=at, data=canonical(_bare(block)), ttl=_ttl(block)) for at, block in blocks)


def _ttl(block: Message) -> str:
    mark = block.get("cache_control")
    return mark.get("ttl", "5m") if mark else ""


def _bare(block: Message) -> dict[str, Any]:
    return {k: v for k, v in block.items() if k not in ("cache_control", "prompt_cache_breakpoint")}
