"""OpenAI Chat Completions over SSE, and OpenRouter's dialect of it.

Both answer on `/chat/completions`; the request is OpenRouter's when the path begins with `/api/v1`.
There reasoning is shown as `reasoning_details` and must come back; OpenAI keeps it to itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.wire.chat_rules import (
    calls_of,
    check_body,
    check_messages,
    check_reasoning,
    results_of,
    segments_of,
    text_of,
)
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.refuse import Rejected
from tests.wire.script import Break, Call, Failure, Hold, Reply, Tally, Think
from tests.wire.seen import Seen
from tests.wire.wires import (
    Ids,
    Options,
    arguments_json,
    automatic_books,
    explicit_books,
    halves,
    parse_body,
    require_bearer,
    sse,
)

_EXPLICIT = ("anthropic/", "qwen/")
"""OpenRouter: models of these vendors are cached only at breakpoints."""
_STOPS = {"end": "stop", "tool_calls": "tool_calls", "max_tokens": "length", "refusal": "stop"}
_FAILURES = {
    "rate_limit": (429, "rate_limit_exceeded", "Rate limit reached for requests"),
    "overloaded": (503, "server_error", "The engine is currently overloaded, please try again later"),
    "server_error": (500, "server_error", "The server had an error while processing your request"),
    "overflow": (
        400,
        "context_length_exceeded",
        "This model's maximum context length is {window} tokens. However, your messages resulted in"
        " {prompt} tokens.",
    ),
    "no_credit": (
        429,
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing.",
    ),
    "other": (400, "", "Bad request"),
}


class Chat:
    name = "chat"
    content_type = "text/event-stream; charset=utf-8"

    def __init__(self, options: Options, ids: Ids) -> None:
        self._options = options
        self._ids = ids
        self._automatic = automatic_books(options)
        self._explicit = explicit_books(options)
        self._details: dict[str, list[dict[str, Any]]] = {}
        """OpenRouter: by call id, the reasoning details of the message that made the call."""
        self._models: dict[str, str] = {}
        """By call id: the model that made the call. Reasoning is of use to no other."""

    def judge(self, request: HttpRequest, body: dict[str, Any]) -> None:
        """Raises `Rejected`."""
        require_bearer(request, self._options.key)
        check_body(body, openrouter=_is_openrouter(request))
        require_model(body["model"], self._options)
        check_messages(body["messages"], body.get("tools"))
        own = {key: kept for key, kept in self._details.items() if self._models[key] == body["model"]}
        check_reasoning(body["messages"], own)

    def think(self, text: str, seen: Seen, details: list[dict[str, Any]]) -> dict[str, Any]:
        """The delta that shows a thought; `details` collects what must come back. OpenAI shows none."""
        if seen.wire != "openrouter":
            return {}
        details.append({"type": "reasoning.text", "text": text, "signature": f"sig:{text}", "index": 0})
        return {"content": "", "reasoning": text, "reasoning_details": [details[-1]]}

    def read(self, request: HttpRequest) -> Seen:
        body = parse_body(request)
        self.judge(request, body)
        messages, results = body["messages"], results_of(body["messages"])
        new = next((i for i, m in enumerate(reversed(messages)) if m["role"] == "assistant"), len(messages))
        trailing = sum(m["role"] == "tool" for m in messages[len(messages) - new :])
        return Seen(
            wire="openrouter" if _is_openrouter(request) else self.name,
            model=body["model"],
            body=body,
            headers=request.headers,
            tools=tuple(tool["function"]["name"] for tool in body.get("tools", [])),
            user_texts=tuple(text_of(m["content"]) for m in messages if m["role"] == "user"),
            assistant_texts=tuple(
                text for m in messages if m["role"] == "assistant" and (text := text_of(m.get("content")))
            ),
            calls=calls_of(messages),
            results=results,
            new_results=results[len(results) - trailing :],
            assistant_turns=sum(m["role"] == "assistant" for m in messages),
            segments=segments_of(body),
            cache_key=body.get("prompt_cache_key", ""),
        )

    def book(self, seen: Seen) -> Tally:
        if seen.wire == "openrouter" and seen.model.startswith(_EXPLICIT):
            return self._explicit.book(seen.model, seen.segments)
        return self._automatic.book(seen.model, seen.segments, seen.cache_key)

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        head = {
            "id": self._ids.new("chatcmpl-", seen),
            "object": "chat.completion.chunk",
            "created": 1_796_000_000,
            "model": seen.model,
        }

        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            return sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        openrouter = seen.wire == "openrouter"
        if openrouter:
            yield b": OPENROUTER PROCESSING\n\n"
        yield chunk({"role": "assistant", "content": ""})
        details: list[dict[str, Any]] = []
        calls = 0
        for part in reply.parts:
            match part:
                case Hold():
                    yield part
                case Break(message):
                    yield sse({"error": {"message": message, "type": "server_error", "code": 502}})
                    return
                case str():
                    yield chunk({"refusal" if reply.stop == "refusal" else "content": part})
                case Think(text):
                    if delta := self.think(text, seen, details):
                        yield chunk(delta)
                case Call():
                    call_id = part.id or self._ids.new("call_", seen)
                    self._details[call_id], self._models[call_id] = details, seen.model
                    for fragment in _call_fragments(part, call_id, calls):
                        yield chunk({"tool_calls": [fragment]})
                    calls += 1
        yield chunk({}, _STOPS[reply.stop])
        if (seen.body.get("stream_options") or {}).get("include_usage") or openrouter:
            yield sse({**head, "choices": [], "usage": _usage(tally, openrouter=openrouter)})
        yield b"data: [DONE]\n\n"

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer:
        return openai_failure(failure, seen, self._options)

    def reject(self, rejected: Rejected) -> HttpAnswer:
        return openai_rejection(rejected)


def _is_openrouter(request: HttpRequest) -> bool:
    return request.path.startswith("/api/v1/")


def openai_failure(failure: Failure, seen: Seen, options: Options) -> HttpAnswer:
    """Both OpenAI wires fail alike."""
    status, code, message = _FAILURES[failure.kind]
    message = failure.message or message.format(prompt=seen.prompt_tokens, window=options.window_tokens)
    headers = {"x-request-id": "req_scripted"}
    if failure.retry_after_seconds is not None:
        headers["retry-after"] = f"{failure.retry_after_seconds:g}"
    kind = code if code in ("server_error", "insufficient_quota") else "invalid_request_error"
    error = {"message": message, "type": kind, "param": None, "code": code or None}
    return HttpAnswer.of_json(failure.status or status, {"error": error}, headers)


def openai_rejection(rejected: Rejected) -> HttpAnswer:
    kind = rejected.kind or "invalid_request_error"
    error = {"message": rejected.message, "type": kind, "param": None, "code": rejected.code or None}
    return HttpAnswer.of_json(rejected.status, {"error": error}, {"x-request-id": "req_rejected"})


def require_model(model: Any, options: Options) -> None:
    if model not in options.models:
        message = f"The model `{model}` does not exist or you do not have access to it."
        raise Rejected("", message, status=404, code="model_not_found")


def _call_fragments(call: Call, call_id: str, index: int) -> Iterator[dict[str, Any]]:
    """Id and name come once, the arguments in pieces."""
    first = {"name": call.name, "arguments": ""}
    yield {"index": index, "id": call_id, "type": "function", "function": first}
    for piece in filter(None, halves(arguments_json(call))):
        yield {"index": index, "function": {"arguments": piece}}


def _usage(tally: Tally, *, openrouter: bool) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "prompt_tokens": tally.prompt,
        "completion_tokens": tally.output,
        "total_tokens": tally.prompt + tally.output,
        "prompt_tokens_details": {"cached_tokens": tally.read, "cache_write_tokens": tally.write},
        "completion_tokens_details": {"reasoning_tokens": tally.reasoning},
    }
    if openrouter:
        usage |= {"cost": round((tally.prompt + 5 * tally.output) * 2e-6, 8), "is_byok": False}
    return usage
