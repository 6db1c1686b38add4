"""Bedrock's ConverseStream over binary messages."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.anthropic_services import model_of
from tests.wire.converse_rules import check_body, check_pairing, seen_of
from tests.wire.frames import amazon_failure, amazon_rejection, exception, frame
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.refuse import Rejected, require
from tests.wire.script import Break, Call, Failure, Hold, Reply, Tally, Think
from tests.wire.seen import Seen
from tests.wire.wires import Ids, Options, arguments_json, explicit_books, halves, parse_body

_STOPS = {
    "end": "end_turn",
    "tool_calls": "tool_use",
    "max_tokens": "max_tokens",
    "refusal": "content_filtered",
}


class Converse:
    name = "converse"
    content_type = "application/vnd.amazon.eventstream"

    def __init__(self, options: Options, ids: Ids) -> None:
        self._options = options
        self._ids = ids
        self._books = explicit_books(options)
        self._thought: dict[str, tuple[str, list[dict[str, Any]]]] = {}
        """By call id: the model and the reasoning of the message that made the call."""

    def read(self, request: HttpRequest) -> Seen:
        if request.headers.get("authorization") != f"Bearer {self._options.key}":
            raise Rejected("", "The security token included in the request is invalid.", status=401)
        model = model_of(request)
        require(
            model in self._options.models,
            "",
            f"Could not resolve the foundation model from the model identifier: {model}",
            status=404,
        )
        body = parse_body(request)
        check_body(body)
        check_pairing(body["messages"])
        self._check_reasoning(body["messages"], model)
        return seen_of(body, model, request.headers)

    def _check_reasoning(self, messages: list[Mapping[str, Any]], model: str) -> None:
        """In a turn that called, the reasoning comes back as it was; made by another model, not at all."""
        for i, message in enumerate(messages):
            given = [block["reasoningContent"] for block in message["content"] if "reasoningContent" in block]
            for thought in given:
                signed = thought["reasoningText"]
                require(
                    signed.get("signature") == _sign(signed["text"], model),
                    "thinking_signature",
                    f"messages.{i}: Invalid signature in reasoning",
                )
            for block in message["content"]:
                made_by, expected = self._thought.get(block.get("toolUse", {}).get("toolUseId", ""), ("", []))
                require(
                    made_by != model or given == expected,
                    "thinking_missing",
                    f"messages.{i}: reasoning cannot be modified",
                )

    def book(self, seen: Seen) -> Tally:
        return self._books.book(seen.model, seen.segments)

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        yield frame("messageStart", {"role": "assistant"})
        thoughts: list[dict[str, Any]] = []
        index, in_text = -1, False
        for part in reply.parts:
            match part:
                case Hold():
                    yield part
                    continue
                case Break(message):
                    yield exception("serviceUnavailableException", message)
                    return
            if in_text and not isinstance(part, str):
                yield frame("contentBlockStop", {"contentBlockIndex": index})
            if not (in_text and isinstance(part, str)):
                index += 1
            match part:
                case str():
                    yield _delta(index, {"text": part})
                case Think(text):
                    signature = _sign(text, seen.model)
                    thoughts.append({"reasoningText": {"text": text, "signature": signature}})
                    yield _delta(index, {"reasoningContent": {"text": text}})
                    yield _delta(index, {"reasoningContent": {"signature": signature}})
                    yield frame("contentBlockStop", {"contentBlockIndex": index})
                case Call():
                    call_id = part.id or self._ids.new("tooluse_", seen)
                    self._thought[call_id] = (seen.model, thoughts)
                    yield from _call(part, call_id, index)
            in_text = isinstance(part, str)
        if in_text:
            yield frame("contentBlockStop", {"contentBlockIndex": index})
        yield frame("messageStop", {"stopReason": _STOPS[reply.stop]})
        yield frame("metadata", {"usage": _usage(tally), "metrics": {"latencyMs": 1}})

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer:
        return amazon_failure(failure)

    def reject(self, rejected: Rejected) -> HttpAnswer:
        return amazon_rejection(rejected)


def _delta(index: int, delta: Mapping[str, Any]) -> bytes:
    return frame("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})


def _call(call: Call, call_id: str, index: int) -> Iterator[bytes]:
    start = {"toolUse": {"toolUseId": call_id, "name": call.name}}
    yield frame("contentBlockStart", {"contentBlockIndex": index, "start": start})
    for piece in filter(None, halves(arguments_json(call))):
        yield _delta(index, {"toolUse": {"input": piece}})
    yield frame("contentBlockStop", {"contentBlockIndex": index})


def _usage(tally: Tally) -> dict[str, Any]:
    return {
        "inputTokens": tally.plain,
        "outputTokens": tally.output,
        "totalTokens": tally.prompt + tally.output,
        "cacheReadInputTokens": tally.read,
        "cacheWriteInputTokens": tally.write,
        "cacheDetails": [{"ttl": "1h", "inputTokens": tally.write_1h}],
    }


def _sign(text: str, model: str) -> str:
    return base64.b64encode(hashlib.sha256(f"{model}\n{text}".encode()).digest()).decode()
