"""What Anthropic Messages refuses, with its own words where they are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.pictures import ANTHROPIC_BASE64_BYTES, check_picture
from tests.wire.refuse import Rejected, fields, require, require_fields
from tests.wire.seen import Result, Segment, canonical

TOP = fields(
    "model max_tokens messages system tools tool_choice stream stop_sequences metadata thinking output_config"
    " cache_control service_tier container context_management diagnostics inference_geo speed"
)
TOOL = fields(
    "name description input_schema cache_control type strict defer_loading allowed_callers"
    " input_examples eager_input_streaming"
)
BLOCKS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "text": (fields("type text cache_control citations"), fields("type text")),
    "image": (fields("type source cache_control"), fields("type source")),
    "document": (fields("type source cache_control citations context title"), fields("type source")),
    "tool_use": (fields("type id name input cache_control caller"), fields("type id name input")),
    "tool_result": (fields("type tool_use_id content is_error cache_control"), fields("type tool_use_id")),
    "thinking": (fields("type thinking signature"), fields("type thinking signature")),
    "redacted_thinking": (fields("type data"), fields("type data")),
}
ALLOWED = {
    "user": fields("text image document tool_result"),
    "assistant": fields("text tool_use thinking redacted_thinking"),
    "system": fields("text"),
    "result": fields("text image document"),
}
MOST_BREAKPOINTS = 4
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_ID = re.compile(r"[a-zA-Z0-9_-]+")

Block = Mapping[str, Any]


def check_body(body: Any, *, max_output_tokens: int) -> None:
    """Everything but pairing and signatures: fields, tools, blocks, breakpoints."""
    require_fields(body, "", TOP, fields("model max_tokens messages"))
    limit = body["max_tokens"]
    require(type(limit) is int and limit > 0, "max_tokens", "max_tokens: must be greater than or equal to 1")
    require(
        limit <= max_output_tokens,
        "max_tokens",
        f"max_tokens: {limit} > {max_output_tokens}, which is the maximum allowed number of output tokens",
    )
    _check_thinking(body.get("thinking"), limit)
    _check_tools(body.get("tools", []))
    system = body.get("system", [])
    if not isinstance(system, str):
        _check_blocks(system, "system", "system")
    _check_messages(body["messages"])
    used = any(b["type"] in ("tool_use", "tool_result") for m in body["messages"] for b in blocks_of(m))
    require(
        body.get("tools") or not used,
        "tools_missing",
        "Requests which include `tool_use` or `tool_result` blocks must define tools",
    )
    _check_breakpoints(body)


def blocks_of(message: Mapping[str, Any]) -> Sequence[Block]:
    """The content of a message as blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _check_thinking(thinking: Any, limit: int) -> None:
    if thinking is None:
        return
    require_fields(thinking, "thinking", fields("type budget_tokens display"), fields("type"))
    require(
        thinking["type"] == "adaptive",
        "thinking_type",
        f'"thinking.type.{thinking["type"]}" is not supported for this model. Use "thinking.type.adaptive"',
    )
    require(limit > 1024, "thinking_budget", "max_tokens: must leave room for thinking")


def _check_tools(tools: Any) -> None:
    require(isinstance(tools, list), "type", "tools: Input should be a valid list")
    names = []
    for i, tool in enumerate(tools):
        require_fields(tool, f"tools.{i}", TOOL, fields("name input_schema"))
        require(
            isinstance(tool["name"], str) and _NAME.fullmatch(tool["name"]),
            "tool_name",
            f"tools.{i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'",
        )
        schema = tool["input_schema"]
        require(
            isinstance(schema, dict) and schema.get("type") == "object",
            "tool_schema",
            f"tools.{i}.custom.input_schema.type: Input should be 'object'",
        )
        names.append(tool["name"])
    require(len(set(names)) == len(names), "tool_duplicate", "tools: Tool names must be unique.")


def _check_messages(messages: Any) -> None:
    require(isinstance(messages, list), "type", "messages: Input should be a valid list")
    require(messages, "no_messages", "messages: at least one message is required")
    for i, message in enumerate(messages):
        where = f"messages.{i}"
        require_fields(message, where, fields("role content"), fields("role content"))
        role, content = message["role"], message["content"]
        require(role in ("user", "assistant"), "role", f"{where}.role: Input should be 'user' or 'assistant'")
        require(content, "empty_message", f"{where}: all messages must have non-empty content")
        _check_blocks(blocks_of(message), f"{where}.content", role)
    require(
        messages[0]["role"] == "user", "first_not_user", 'messages: first message must use the "user" role'
    )
    require(
        messages[-1]["role"] == "user",
        "prefill",
        "This model does not support assistant message prefill. The conversation must end with a user"
        " message.",
    )


def _check_blocks(blocks: Any, where: str, owner: str) -> None:
    require(isinstance(blocks, list), "type", f"{where}: Input should be a valid list")
    for i, block in enumerate(blocks):
        at = f"{where}.{i}"
        kind = str(block.get("type")) if isinstance(block, dict) else ""
        require(
            kind in BLOCKS, "block_type", f"{at}: Input tag '{kind}' does not match any of the expected tags"
        )
        if kind == "tool_use" and owner == "user":
            raise Rejected(
                "tool_use_in_user", f"{where}: `tool_use` blocks can only be in `assistant` messages"
            )
        require(kind in ALLOWED[owner], "block_place", f"{at}: `{kind}` blocks are not permitted here")
        require_fields(block, f"{at}.{kind}", *BLOCKS[kind])
        _check_block(block, at)


def _check_block(block: Block, at: str) -> None:
    match block["type"]:
        case "text":
            text = block["text"]
            require(isinstance(text, str), "type", f"{at}.text: Input should be a valid string")
            if not text and "cache_control" in block:
                raise Rejected(
                    "cache_control_empty", f"{at}.cache_control: cannot be set for empty text blocks"
                )
            require(text, "empty_text", "messages: text content blocks must be non-empty")
            require(
                text.strip(), "blank_text", "messages: text content blocks must contain non-whitespace text"
            )
        case "image":
            source = require_fields(
                block["source"],
                f"{at}.source",
                fields("type media_type data"),
                fields("type media_type data"),
            )
            require(source["type"] == "base64", "image_type", f"{at}.source.type: Input should be 'base64'")
            check_picture(
                source["media_type"],
                source["data"],
                f"{at}.image.source",
                most_base64_bytes=ANTHROPIC_BASE64_BYTES,
            )
        case "tool_use":
            require(
                isinstance(block["input"], dict),
                "tool_input",
                f"{at}.input: Input should be a valid dictionary",
            )
            _check_id(block["id"], f"{at}.tool_use.id")
            require(
                _NAME.fullmatch(block["name"]),
                "tool_name",
                f"{at}.tool_use.name: String should match pattern",
            )
        case "tool_result":
            _check_id(block["tool_use_id"], f"{at}.tool_result.tool_use_id")
            content = block.get("content", "")
            if not isinstance(content, str):
                _check_blocks(content, f"{at}.content", "result")
            silent = block.get("is_error") and not content
            require(not silent, "empty_error", f"{at}: content cannot be empty if `is_error` is true")


def _check_id(value: Any, at: str) -> None:
    matches = isinstance(value, str) and _ID.fullmatch(value)
    require(matches, "tool_id", f"{at}: String should match pattern '^[a-zA-Z0-9_-]+$'")


def _check_breakpoints(body: Block) -> None:
    found = [(at, mark) for at, mark in _breakpoints(body) if mark is not None]
    require(
        len(found) <= MOST_BREAKPOINTS,
        "breakpoints",
        f"A maximum of {MOST_BREAKPOINTS} blocks with cache_control may be provided. Found {len(found)}.",
    )
    short_seen = False
    for at, mark in found:
        require_fields(mark, f"{at}.cache_control", fields("type ttl"), fields("type"))
        ttl = mark.get("ttl", "5m")
        valid = mark["type"] == "ephemeral" and ttl in ("5m", "1h")
        require(valid, "cache_control", f"{at}.cache_control.ttl: Input should be '5m' or '1h'")
        require(
            ttl == "5m" or not short_seen,
            "ttl_order",
            f"{at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'"
            " cache_control block. Note that blocks are processed in the following order: `tools`, `system`,"
            " `messages`.",
        )
        short_seen = short_seen or ttl == "5m"


def _breakpoints(body: Block) -> Iterator[tuple[str, Any]]:
    for at, block in _all_blocks(body):
        yield at, block.get("cache_control")
        nested = block.get("content")
        if isinstance(nested, list):
            yield from ((f"{at}.content.{i}", inner.get("cache_control")) for i, inner in enumerate(nested))
    yield "", body.get("cache_control")


def _all_blocks(body: Block) -> Iterator[tuple[str, Block]]:
    """Tools, system and messages, block by block, as the service reads them."""
    yield from ((f"tools.{i}", tool) for i, tool in enumerate(body.get("tools", [])))
    system = body.get("system", [])
    if isinstance(system, str):
        system = [{"type": "text", "text": system}] if system else []
    yield from ((f"system.{i}", block) for i, block in enumerate(system))
    for i, message in enumerate(body["messages"]):
        yield from ((f"messages.{i}.content.{j}", block) for j, block in enumerate(blocks_of(message)))


def check_pairing(messages: Sequence[Block]) -> None:
    """Every call is answered in the very next message, by results that lead it; nothing else is."""
    known: set[str] = set()
    for i, message in enumerate(messages):
        calls = [b["id"] for b in blocks_of(message) if b["type"] == "tool_use"]
        for call_id in calls:
            require(call_id not in known, "duplicate_id", f"messages.{i}: `tool_use` ids must be unique")
            known.add(call_id)
        before = blocks_of(messages[i - 1]) if i else []
        _check_results(message, i, [b["id"] for b in before if b["type"] == "tool_use"])
        if calls:
            following = blocks_of(messages[i + 1]) if i + 1 < len(messages) else []
            answered = leading_results(following)
            missing = [call_id for call_id in calls if call_id not in answered]
            require(
                not missing,
                "orphan_call",
                f"messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after:"
                f" {', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block"
                " in the next message.",
            )


def leading_results(blocks: Sequence[Block]) -> list[str]:
    """The ids answered by the unbroken run of results at the start of a message."""
    ids = []
    for block in blocks:
        if block["type"] != "tool_result":
            break
        ids.append(block["tool_use_id"])
    return ids


def _check_results(message: Block, i: int, called: Sequence[str]) -> None:
    seen: set[str] = set()
    for j, block in enumerate(blocks_of(message)):
        if block["type"] != "tool_result":
            continue
        call_id = block["tool_use_id"]
        require(
            call_id in called,
            "orphan_result",
            f"messages.{i}.content.{j}: unexpected `tool_use_id` found in `tool_result` blocks: {call_id}."
            " Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        )
        require(
            call_id not in seen,
            "duplicate_result",
            f"messages.{i}: each tool_use must have a single result. Found multiple `tool_result` blocks"
            f" with id: {call_id}",
        )
        seen.add(call_id)


def segments_of(body: Block) -> tuple[Segment, ...]:
    """The prompt, block by block; a moved breakpoint does not change any of the bytes."""
    roles = [f"{m['role']}:" for m in body["messages"]]
    segments = [
        Segment(where=at, data=_role(at, roles) + canonical(_bare(block)), ttl=_ttl(block))
        for at, block in _all_blocks(body)
    ]
    if body.get("cache_control"):
        last = segments.pop()
        segments.append(Segment(where=last.where, data=last.data, ttl=body["cache_control"].get("ttl", "5m")))
    return tuple(segments)


def _role(at: str, roles: Sequence[str]) -> bytes:
    return roles[int(at.split(".")[1])].encode() if at.startswith("messages.") else b""


def _bare(block: Block) -> dict[str, Any]:
    bare = {key: value for key, value in block.items() if key != "cache_control"}
    if isinstance(bare.get("content"), list):
        bare["content"] = [_bare(inner) for inner in bare["content"]]
    return bare


def _ttl(block: Block) -> str:
    nested = block.get("content")
    marks = [
        b["cache_control"]
        for b in (block, *(nested if isinstance(nested, list) else ()))
        if b.get("cache_control")
    ]
    return marks[0].get("ttl", "5m") if marks else ""


def results_of(messages: Sequence[Block]) -> tuple[Result, ...]:
    names = {b["id"]: b["name"] for m in messages for b in blocks_of(m) if b["type"] == "tool_use"}
    return tuple(
        Result(
            call_id=block["tool_use_id"],
            name=names[block["tool_use_id"]],
            text=text_of(block.get("content", "")),
            is_error=bool(block.get("is_error")),
        )
        for message in messages
        for block in blocks_of(message)
        if block["type"] == "tool_result"
    )


def text_of(content: str | Sequence[Block]) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type", "").endswith("text"))
