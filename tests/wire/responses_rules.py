"""What OpenAI Responses refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.wire.chat_rules import check_arguments, check_generation, check_tool_name
from tests.wire.pictures import check_data_url
from tests.wire.refuse import Rejected, fields, require, require_fields
from tests.wire.seen import Result, Segment, canonical

TOP = fields(
    "model input instructions tools tool_choice parallel_tool_calls max_output_tokens max_tool_calls store"
    " stream stream_options include reasoning text metadata temperature top_p top_logprobs truncation"
    " service_tier user"
    " previous_response_id conversation prompt background context_management safety_identifier"
    " prompt_cache_key prompt_cache_options prompt_cache_retention moderation"
)
ITEMS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "message": (fields("type id role content status phase"), fields("role content")),
    "function_call": (
        fields("type id call_id name arguments status namespace caller"),
        fields("call_id name arguments"),
    ),
    "function_call_output": (fields("type id call_id output status name"), fields("call_id output")),
    "reasoning": (fields("type id summary content encrypted_content status"), fields("id summary")),
}
PARTS = {
    "user": fields("input_text input_image input_file"),
    "system": fields("input_text"),
    "developer": fields("input_text"),
    "assistant": fields("output_text refusal"),
}
PART = fields(
    "type text annotations logprobs refusal image_url detail file_id file_data filename"
    " prompt_cache_breakpoint"
)

Item = Mapping[str, Any]


def check_body(body: Any) -> None:
    for name in body.keys() - TOP:
        raise Rejected("extraneous", f"Unknown parameter: '{name}'.")
    for name in ("model", "input"):
        require(body.get(name), "missing_field", f"Missing required parameter: '{name}'.")
    instructions = body.get("instructions")
    require(instructions is None or isinstance(instructions, str), "type", "Invalid type for 'instructions'")
    check_generation(body, limit_name="max_output_tokens")
    names = []
    for i, tool in enumerate(body.get("tools") or []):
        require_fields(
            tool,
            f"tools[{i}]",
            fields("type name description parameters strict"),
            fields("type name parameters"),
        )
        check_tool_name(tool["name"], f"tools[{i}].name")
        valid = isinstance(tool["parameters"], dict) and tool["parameters"].get("type") == "object"
        require(
            valid, "tool_schema", f"Invalid schema for function '{tool['name']}': must be of type 'object'"
        )
        names.append(tool["name"])
    require(len(set(names)) == len(names), "tool_duplicate", "Tool names must be unique.")


def items_of(body: Item) -> Sequence[Item]:
    given = body["input"]
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def kind_of(item: Item) -> str:
    return str(item.get("type", "message"))


def check_items(items: Any, *, tools: Any) -> None:
    """Known items with known fields; every call has its one output, every output its call before it."""
    require(isinstance(items, list), "type", "Invalid type for 'input': expected an array")
    called: dict[str, bool] = {}
    for i, item in enumerate(items):
        where = f"input[{i}]"
        kind = kind_of(item) if isinstance(item, dict) else ""
        require(kind in ITEMS, "item_type", f"Invalid value: '{kind}' for '{where}.type'.")
        _require_known(item, where, *ITEMS[kind])
        match kind:
            case "message":
                _check_message(item, where)
            case "function_call":
                call_id = item["call_id"]
                require(
                    call_id and call_id not in called, "duplicate_id", f"Duplicate item: '{where}.call_id'"
                )
                check_tool_name(item["name"], f"{where}.name")
                check_arguments(item["arguments"], where)
                called[call_id] = False
            case "function_call_output":
                _check_output(item, where, called)
    for call_id, answered in called.items():
        require(answered, "orphan_call", f"No tool output found for function call {call_id}.")
    require(tools or not called, "tools_missing", "function calls need the parameter 'tools'")
    last = items[-1]
    ends_well = kind_of(last) == "function_call_output" or last.get("role") == "user"
    require(ends_well, "prefill", "The last item of 'input' must come from the user or from a tool")


def _require_known(item: Item, where: str, known: frozenset[str], required: frozenset[str]) -> None:
    for name in item.keys() - known:
        raise Rejected("extraneous", f"Unknown parameter: '{where}.{name}'.")
    for name in required - item.keys():
        raise Rejected("missing_field", f"Missing required parameter: '{where}.{name}'.")


def _check_message(item: Item, where: str) -> None:
    role, content = item["role"], item["content"]
    require(role in PARTS, "role", f"Invalid value: '{role}' for '{where}.role'.")
    require(content, "empty_message", f"Invalid '{where}.content': must not be empty")
    if isinstance(content, str):
        return
    for j, part in enumerate(content):
        kind = part.get("type")
        at = f"{where}.content[{j}]"
        require(kind in PARTS[role], "block_type", f"Invalid value: '{kind}' for '{at}.type'.")
        _require_known(part, at, PART, frozenset())
        _check_breakpoint(part, at)
        if kind == "input_image":
            check_data_url(part.get("image_url"), at)
        require(
            kind == "refusal" or not kind.endswith("text") or part.get("text"),
            "empty_text",
            f"Invalid '{at}.text'",
        )


def _check_output(item: Item, where: str, called: dict[str, bool]) -> None:
    call_id = item["call_id"]
    require(
        call_id in called,
        "orphan_result",
        f"No tool call found for function call output with call_id {call_id}.",
    )
    require(not called[call_id], "duplicate_result", f"Duplicate output for call_id {call_id} at '{where}'.")
    require(
        isinstance(item["output"], str | list),
        "type",
        f"Invalid type for '{where}.output': expected a string.",
    )
    if isinstance(item["output"], list):
        require(item["output"], "empty_message", f"Invalid '{where}.output': must not be empty")
        for j, part in enumerate(item["output"]):
            at = f"{where}.output[{j}]"
            require(part.get("type") in PARTS["user"], "block_type", f"Invalid value for '{at}.type'.")
            _require_known(part, at, PART, frozenset())
            _check_breakpoint(part, at)
    called[call_id] = True


def _check_breakpoint(part: Item, at: str) -> None:
    """Only what goes in can carry one."""
    if "prompt_cache_breakpoint" in part:
        valid = part["prompt_cache_breakpoint"] in ({"mode": "explicit"}, {"mode": "explicit", "ttl": "30m"})
        known = part["type"].startswith("input_")
        require(valid and known, "cache_options", f"Invalid '{at}.prompt_cache_breakpoint'.")


def check_reasoning(
    items: Sequence[Item], issued: Mapping[str, tuple[str, list[Item]]], *, model: str, store: bool
) -> None:
    """Reasoning stands, unchanged, before the calls that it led to; it never stands alone."""
    run: list[Item] = []
    for i, item in enumerate(items):
        kind = kind_of(item)
        if kind == "function_call_output" or item.get("role") in ("user", "system", "developer"):
            run = []
            continue
        if kind == "reasoning":
            _check_reasoning_item(item, i, items, store=store)
            run.append(item)
        made_by, expected = issued.get(item.get("call_id", ""), ("", []))
        if made_by == model and expected:
            found = [_replayed(one) for one in run]
            require(
                found[-len(expected) :] == [_replayed(one) for one in expected],
                "reasoning_missing",
                f"Item '{item.get('id', item['call_id'])}' of type 'function_call' was provided without its"
                f" required 'reasoning' item: '{expected[0]['id']}'.",
            )


def _check_reasoning_item(item: Item, i: int, items: Sequence[Item], *, store: bool) -> None:
    require(
        store or item.get("encrypted_content"),
        "encrypted_content",
        f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false.",
        status=404,
    )
    following = items[i + 1] if i + 1 < len(items) else {}
    follows = kind_of(following) in ("reasoning", "function_call") or following.get("role") == "assistant"
    require(
        follows,
        "reasoning_alone",
        f"Item '{item['id']}' of type 'reasoning' was provided without its required following item.",
    )


def _replayed(item: Item) -> tuple[Any, ...]:
    return item["id"], item.get("encrypted_content"), canonical(item["summary"])


def results_of(items: Sequence[Item]) -> tuple[Result, ...]:
    names = {item["call_id"]: item["name"] for item in items if kind_of(item) == "function_call"}
    return tuple(
        Result(call_id=item["call_id"], name=names[item["call_id"]], text=text_of(item["output"]))
        for item in items
        if kind_of(item) == "function_call_output"
    )


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def segments_of(body: Item) -> tuple[Segment, ...]:
    head = (
        [Segment(where="instructions", data=canonical(body["instructions"]))]
        if body.get("instructions")
        else []
    )
    tools = [Segment(where=f"tools[{i}]", data=canonical(t)) for i, t in enumerate(body.get("tools") or [])]
    items = [
        Segment(where=f"input[{i}]", data=canonical(_bare(item))) for i, item in enumerate(items_of(body))
    ]
    return (*tools, *head, *items)


def _bare(item: Item) -> Item:
    """Without breakpoints: those move, and are no part of the prompt."""
    name = "output" if kind_of(item) == "function_call_output" else "content"
    if not isinstance(item.get(name), list):
        return item
    parts = [{k: v for k, v in part.items() if k != "prompt_cache_breakpoint"} for part in item[name]]
    return {**item, name: parts}
