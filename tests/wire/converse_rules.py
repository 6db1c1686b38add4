"""What Bedrock's Converse refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.pictures import ANTHROPIC_BASE64_BYTES, check_picture
from tests.wire.refuse import TOOL_NAME, fields, require, require_fields
from tests.wire.seen import Asked, Result, Seen, Segment, canonical

TOP = fields(
    "messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables"
    " requestMetadata performanceConfig serviceTier outputConfig"
)
KINDS = {
    "user": fields("text image document toolResult cachePoint"),
    "assistant": fields("text toolUse reasoningContent cachePoint"),
    "system": fields("text cachePoint"),
}
MOST_CACHE_POINTS = 4

Block = Mapping[str, Any]
Message = Mapping[str, Any]


def check_body(body: Any) -> None:
    require_fields(body, "", TOP, fields("messages"))
    require_fields(
        body.get("inferenceConfig", {}), "inferenceConfig", fields("maxTokens temperature topP stopSequences")
    )
    require(body.get("inferenceConfig", {}).get("maxTokens", 1) > 0, "max_tokens", "maxTokens: at least 1")
    _check_tools(body.get("toolConfig"))
    _check_blocks(body.get("system", []), "system", "system")
    messages = body["messages"]
    require(isinstance(messages, list) and messages, "no_messages", "messages: at least one is required")
    for i, message in enumerate(messages):
        where = f"messages.{i}"
        require_fields(message, where, fields("role content"), fields("role content"))
        expected = "assistant" if i % 2 else "user"
        require(
            message["role"] == expected,
            "role",
            "A conversation must alternate between user and assistant roles, and start with a user message.",
        )
        require(message["content"], "empty_message", f"{where}.content: must not be empty")
        _check_blocks(message["content"], f"{where}.content", expected)
    require(
        messages[-1]["role"] == "user", "prefill", "The last turn in a conversation must be a user message."
    )
    used = any({"toolUse", "toolResult"} & block.keys() for m in messages for block in m["content"])
    require(
        body.get("toolConfig") or not used,
        "tools_missing",
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    )
    points = sum("cachePoint" in block for _, block in _blocks(body))
    require(points <= MOST_CACHE_POINTS, "breakpoints", f"{points} cache points, at most 4 are allowed")


def _check_tools(config: Any) -> None:
    if config is None:
        return
    require_fields(config, "toolConfig", fields("tools toolChoice"), fields("tools"))
    names = []
    for i, tool in enumerate(config["tools"]):
        at = f"toolConfig.tools.{i}"
        require(
            tool.keys() == {"toolSpec"}, "block_type", f"{at}: this model takes no other member than toolSpec"
        )
        spec = require_fields(
            tool["toolSpec"], at, fields("name description inputSchema strict"), fields("name inputSchema")
        )
        require(TOOL_NAME.fullmatch(spec["name"]), "tool_name", f"{at}.name: [a-zA-Z0-9_-]+")
        schema = spec["inputSchema"].get("json", {})
        require(schema.get("type") == "object", "tool_schema", f"{at}.inputSchema.json.type must be object")
        names.append(spec["name"])
    require(len(set(names)) == len(names), "tool_duplicate", "tool names must be unique")


def _check_blocks(blocks: Sequence[Block], where: str, owner: str) -> None:
    for i, block in enumerate(blocks):
        at = f"{where}.{i}"
        require(len(block) == 1, "block_type", f"{at}: a block has one member, not {sorted(block)}")
        (kind,) = block
        require(kind in KINDS[owner], "block_place", f"{at}: {kind} is not permitted here")
        match kind:
            case "text":
                require(
                    block["text"].strip(), "empty_text", "The text field in the ContentBlock object is blank."
                )
            case "cachePoint":
                require(i, "cache_control", f"{at}: a cache point must stand behind something")
                require_fields(block["cachePoint"], at, fields("type ttl"), fields("type"))
            case "image":
                image = require_fields(block["image"], at, fields("format source"), fields("format source"))
                source = require_fields(image["source"], at, fields("bytes"), fields("bytes"))
                check_picture(
                    f"image/{image['format']}",
                    source["bytes"],
                    at,
                    most_base64_bytes=ANTHROPIC_BASE64_BYTES,
                )
            case "toolUse":
                use = require_fields(
                    block["toolUse"], at, fields("toolUseId name input"), fields("toolUseId name input")
                )
                _check_id(use["toolUseId"], at)
                require(isinstance(use["input"], dict), "tool_input", f"{at}.input: must be a JSON object")
            case "toolResult":
                result = require_fields(
                    block["toolResult"], at, fields("toolUseId content status"), fields("toolUseId content")
                )
                _check_id(result["toolUseId"], at)
                require(result.get("status", "success") in ("success", "error"), "status", f"{at}.status")
                for inner in result["content"]:
                    require(
                        inner.get("text", "x").strip(), "empty_text", f"{at}: the text of a result is blank"
                    )


def _check_id(value: str, at: str) -> None:
    valid = isinstance(value, str) and TOOL_NAME.fullmatch(value)
    require(valid, "tool_id", f"{at}.toolUseId: [a-zA-Z0-9_-]{{1,64}}")


def check_pairing(messages: Sequence[Message]) -> None:
    """Every use is answered in the very next message, by results that lead it; nothing else is."""
    waiting: list[str] = []
    known: set[str] = set()
    for i, message in enumerate(messages):
        answered = [b["toolResult"]["toolUseId"] for b in message["content"] if "toolResult" in b]
        leading = 0
        for block in message["content"]:
            if "toolResult" not in block:
                break
            leading += 1
        missing = [call_id for call_id in waiting if call_id not in answered[:leading]]
        require(
            not missing,
            "orphan_call",
            f"messages.{i}: Expected toolResult blocks for the following Ids: {missing}",
        )
        extra = [call_id for call_id in answered if call_id not in waiting]
        require(not extra, "orphan_result", f"messages.{i}: the toolResult blocks exceed the toolUse blocks")
        require(len(set(answered)) == len(answered), "duplicate_result", f"messages.{i}: duplicate Ids")
        waiting = [b["toolUse"]["toolUseId"] for b in message["content"] if "toolUse" in b]
        require(not known & set(waiting), "duplicate_id", f"messages.{i}: duplicate Ids")
        require(len(set(waiting)) == len(waiting), "duplicate_id", f"messages.{i}: duplicate Ids")
        known |= set(waiting)
    require(not waiting, "orphan_call", "the last uses have no results")


def seen_of(body: dict[str, Any], model: str, headers: dict[str, str]) -> Seen:
    messages = body["messages"]
    uses = {b["toolUse"]["toolUseId"]: b["toolUse"] for m in messages for b in m["content"] if "toolUse" in b}
    results = [
        Result(
            call_id=block["toolResult"]["toolUseId"],
            name=uses[block["toolResult"]["toolUseId"]]["name"],
            text="".join(inner.get("text", "") for inner in block["toolResult"]["content"]),
            is_error=block["toolResult"].get("status") == "error",
        )
        for message in messages
        for block in message["content"]
        if "toolResult" in block
    ]
    new = sum("toolResult" in block for block in messages[-1]["content"])
    return Seen(
        wire="converse",
        model=model,
        body=body,
        headers=headers,
        tools=tuple(tool["toolSpec"]["name"] for tool in body.get("toolConfig", {}).get("tools", [])),
        user_texts=_texts(messages, "user"),
        assistant_texts=_texts(messages, "assistant"),
        calls=tuple(Asked(name=use["name"], arguments=use["input"]) for use in uses.values()),
        results=tuple(results),
        new_results=tuple(results[len(results) - new :]),
        assistant_turns=sum(message["role"] == "assistant" for message in messages),
        segments=_segments(body),
    )


def _texts(messages: Sequence[Message], role: str) -> tuple[str, ...]:
    texts = ["".join(b.get("text", "") for b in m["content"]) for m in messages if m["role"] == role]
    return tuple(filter(None, texts))


def _segments(body: Message) -> tuple[Segment, ...]:
    """The prompt, block by block; a cache point is a mark behind the block in front of it."""
    found: list[Segment] = []
    for at, block in _blocks(body):
        if "cachePoint" in block:
            last = found.pop()
            found.append(Segment(where=last.where, data=last.data, ttl=block["cachePoint"].get("ttl", "5m")))
        else:
            found.append(Segment(where=at, data=canonical(block)))
    return tuple(found)


def _blocks(body: Message) -> Iterator[tuple[str, Block]]:
    for i, tool in enumerate(body.get("toolConfig", {}).get("tools", [])):
        yield f"tools.{i}", tool
    for i, block in enumerate(body.get("system", [])):
        yield f"system.{i}", block
    for i, message in enumerate(body["messages"]):
        for j, block in enumerate(message["content"]):
            yield f"messages.{i}.content.{j}", block
