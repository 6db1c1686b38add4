"""Anthropic Messages over SSE."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.anthropic_rules import (
    blocks_of,
    check_body,
    check_pairing,
    leading_results,
    results_of,
    segments_of,
)
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.refuse import Rejected, require
from tests.wire.script import Break, Call, Failure, Hold, Reply, Tally, Think
from tests.wire.seen import Asked, Seen, canonical
from tests.wire.wires import Ids, Options, arguments_json, explicit_books, halves, parse_body, sse

_STOPS = {"end": "end_turn", "tool_calls": "tool_use", "max_tokens": "max_tokens", "refusal": "refusal"}
_THINKING = ("thinking", "redacted_thinking")
_FAILURES = {
    "rate_limit": (429, "rate_limit_error", "This request would exceed your rate limit."),
    "overloaded": (529, "overloaded_error", "Overloaded"),
    "server_error": (500, "api_error", "Internal server error"),
    "overflow": (400, "invalid_request_error", "prompt is too long: {prompt} tokens > {window} maximum"),
    "no_credit": (
        402,
        "billing_error",
        "Your credit balance is too low to access the Anthropic API.",
    ),
    "other": (400, "invalid_request_error", "Bad request"),
}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
}
_SECRET = b"the service signs its thinking"


class Anthropic:
    name = "anthropic"
    content_type = "text/event-stream; charset=utf-8"

    def __init__(self, options: Options, ids: Ids) -> None:
        self._options = options
        self._ids = ids
        self._books = explicit_books(options)
        self._thought: dict[str, tuple[str, list[dict[str, Any]]]] = {}
        """By call id: the model and the thinking blocks of the message that made the call."""

    def read(self, request: HttpRequest) -> Seen:
        headers = request.headers
        key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        require(key == self._options.key, "", "invalid x-api-key", status=401)
        require("anthropic-version" in headers, "version_header", "anthropic-version: header is required")
        body = parse_body(request)
        check_body(body, max_output_tokens=self._options.max_output_tokens)
        require(body["model"] in self._options.models, "", f"model: {body['model']}", status=404)
        check_pairing(body["messages"])
        self._check_thinking(body["messages"], body["model"])
        return _seen(body, headers)

    def _check_thinking(self, messages: Sequence[Mapping[str, Any]], model: str) -> None:
        """Signatures hold everywhere; in the running tool loop no thinking block may be missing."""
        last_task = max(
            (i for i, m in enumerate(messages) if m["role"] == "user" and not leading_results(blocks_of(m))),
            default=0,
        )
        for i, message in enumerate(messages):
            thoughts = [b for b in blocks_of(message) if b["type"] in _THINKING]
            for block in thoughts:
                require(
                    _is_signed(block, model),
                    "thinking_signature",
                    f"messages.{i}.content.0: Invalid `signature` in `thinking` block",
                )
            for block in blocks_of(message):
                made_by, expected = self._thought.get(block.get("id", ""), ("", []))
                if i > last_task and made_by == model and expected:
                    require(
                        thoughts == expected,
                        "thinking_missing",
                        f"messages.{i}.content.0.type: Expected `thinking` or `redacted_thinking`, but found"
                        f" `{blocks_of(message)[0]['type']}`. `thinking` blocks in the latest assistant"
                        " message cannot be modified and must remain as they were in the original response.",
                    )

    def book(self, seen: Seen) -> Tally:
        return self._books.book(seen.model + seen.cache_key, seen.segments)

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        yield _event(
            "message_start",
            message={
                "id": self._ids.new("msg_01", seen),
                "type": "message",
                "role": "assistant",
                "model": seen.model,
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {**_usage(tally), "output_tokens": 1},
            },
        )
        yield _event("ping")
        thoughts: list[dict[str, Any]] = []
        index, in_text = -1, False
        for part in reply.parts:
            match part:
                case Hold():
                    yield part
                    continue
                case Break(message):
                    yield sse(
                        {"type": "error", "error": {"type": "overloaded_error", "message": message}}, "error"
                    )
                    return
            if in_text and not isinstance(part, str):
                yield _event("content_block_stop", index=index)
            if not (in_text and isinstance(part, str)):
                index += 1
            match part:
                case str():
                    if not in_text:
                        yield _event(
                            "content_block_start", index=index, content_block={"type": "text", "text": ""}
                        )
                    yield _event(
                        "content_block_delta", index=index, delta={"type": "text_delta", "text": part}
                    )
                case Think():
                    thoughts.append(_sign(part.text, seen))
                    yield from _thinking_events(thoughts[-1], index)
                case Call():
                    call_id = part.id or self._ids.new("toolu_01", seen)
                    self._thought[call_id] = (seen.model, thoughts)
                    yield from _call_events(part, call_id, index)
            in_text = isinstance(part, str)
        if in_text:
            yield _event("content_block_stop", index=index)
        yield _event(
            "message_delta",
            delta={"stop_reason": _STOPS[reply.stop], "stop_sequence": None},
            usage=_usage(tally),
        )
        yield _event("message_stop")

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer:
        status, kind, message = _FAILURES[failure.kind]
        message = message.format(prompt=seen.prompt_tokens, window=self._options.window_tokens)
        headers = {"request-id": self._ids.new("req_01", seen)}
        if failure.retry_after_seconds is not None:
            headers["retry-after"] = f"{failure.retry_after_seconds:g}"
        return _error(failure.status or status, kind, failure.message or message, headers)

    def reject(self, rejected: Rejected) -> HttpAnswer:
        kind = _KINDS.get(rejected.status, "invalid_request_error")
        return _error(rejected.status, kind, rejected.message, {"request-id": "req_01rejected"})


def _seen(body: dict[str, Any], headers: dict[str, str]) -> Seen:
    messages = body["messages"]
    results = results_of(messages)
    new = leading_results(blocks_of(messages[-1]))
    return Seen(
        wire="anthropic",
        model=body["model"],
        body=body,
        headers=headers,
        tools=tuple(tool["name"] for tool in body.get("tools", [])),
        user_texts=_texts(messages, "user"),
        assistant_texts=_texts(messages, "assistant"),
        calls=tuple(
            Asked(name=b["name"], arguments=b["input"])
            for m in messages
            for b in blocks_of(m)
            if b["type"] == "tool_use"
        ),
        results=results,
        new_results=results[len(results) - len(new) :],
        assistant_turns=sum(m["role"] == "assistant" for m in messages),
        segments=segments_of(body),
        cache_key=canonical({k: body[k] for k in ("thinking", "tool_choice") if k in body}).decode(),
    )


def _texts(messages: Sequence[Mapping[str, Any]], role: str) -> tuple[str, ...]:
    """The texts of all messages of a role that have one."""
    texts = [
        "".join(block["text"] for block in blocks_of(message) if block["type"] == "text")
        for message in messages
        if message["role"] == role
    ]
    return tuple(filter(None, texts))


def _event(kind: str, **content: Any) -> bytes:
    return sse({"type": kind, **content}, kind)


def _thinking_events(block: Mapping[str, Any], index: int) -> Iterator[bytes]:
    if block["type"] == "redacted_thinking":
        yield _event("content_block_start", index=index, content_block=block)
    else:
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        yield _event("content_block_start", index=index, content_block=empty)
        for piece in filter(None, halves(block["thinking"])):
            yield _event(
                "content_block_delta", index=index, delta={"type": "thinking_delta", "thinking": piece}
            )
        signed = {"type": "signature_delta", "signature": block["signature"]}
        yield _event("content_block_delta", index=index, delta=signed)
    yield _event("content_block_stop", index=index)


def _call_events(call: Call, call_id: str, index: int) -> Iterator[bytes]:
    block = {"type": "tool_use", "id": call_id, "name": call.name, "input": {}}
    yield _event("content_block_start", index=index, content_block=block)
    text = arguments_json(call)
    for piece in ("", *halves("" if text == "{}" else text)):
        yield _event(
            "content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": piece}
        )
    yield _event("content_block_stop", index=index)


def _usage(tally: Tally) -> dict[str, Any]:
    return {
        "input_tokens": tally.plain,
        "cache_read_input_tokens": tally.read,
        "cache_creation_input_tokens": tally.write,
        "cache_creation": {
            "ephemeral_5m_input_tokens": tally.write_5m,
            "ephemeral_1h_input_tokens": tally.write_1h,
        },
        "output_tokens": tally.output,
        "output_tokens_details": {"thinking_tokens": tally.reasoning},
    }


def _sign(text: str, seen: Seen) -> dict[str, Any]:
    """A thinking block as the service makes it; without text it is a redacted one."""
    signature = base64.b64encode(_mac(text, seen.model) + text.encode()).decode()
    if not text:
        return {"type": "redacted_thinking", "data": signature}
    hidden = (seen.body.get("thinking") or {}).get("display") == "omitted"
    return {"type": "thinking", "thinking": "" if hidden else text, "signature": signature}


def _is_signed(block: Mapping[str, Any], model: str) -> bool:
    try:
        signature = base64.b64decode(block.get("signature") or block["data"], validate=True)
        text = signature[32:].decode()
    except (KeyError, ValueError):
        return False
    return signature[:32] == _mac(text, model) and block.get("thinking", "") in (text, "")


def _mac(text: str, model: str) -> bytes:
    return hmac.new(_SECRET, f"{model}\n{text}".encode(), hashlib.sha256).digest()


def _error(status: int, kind: str, message: str, headers: dict[str, str]) -> HttpAnswer:
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": headers["request-id"]}
    return HttpAnswer.of_json(status, body, headers)
