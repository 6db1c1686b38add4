"""What the server needs from each wire format, and what all formats share."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from msgspec import Struct

from tests.wire.books import AutomaticBooks, ExplicitBooks
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.refuse import Rejected
from tests.wire.script import Call, Failure, Hold, Reply, Tally, Think
from tests.wire.seen import Seen, canonical, tokens

KEY = "sk-test-wire-0123456789"
"""The only key that the services accept, unless told otherwise."""

MODELS = (
    "claude-sonnet-5-5",
    "claude-fable-5-2",
    "claude-haiku-5-5",
    "gpt-6.1-sol",
    "gpt-6-luna",
    "gpt-5.4",
    "openai/gpt-6.1-sol",
    "anthropic/claude-sonnet-5.5",
    "gpt-oss:20b",
    "grok-4.7",
    "glm-5.3",
    "MiniMax-M3",
    "kimi-k3.1-pro",
    "gemini-3.8-flash",
    "global.anthropic.claude-sonnet-5-5",
    "anthropic.claude-sonnet-5",
    "global.amazon.nova-2-lite-v1:0",
    "flat-agent",
    "chunked-agent",
)


class Options(Struct, kw_only=True):
    """How the scripted services are set up."""

    key: str = KEY
    models: tuple[str, ...] = MODELS
    window_tokens: int = 1_000_000
    """A longer prompt is answered with the service's overflow error (Ollama cuts it silently)."""
    max_output_tokens: int = 128_000
    minimum_cache_tokens: int = 1024
    bills_cache_writes: bool = False
    """OpenAI wires: report `cache_write_tokens`, as the models from gpt-5.6 on do."""
    clock: Callable[[], float] = time.monotonic
    device_interval_seconds: float = 0.01
    """How long a program that logs in to GitHub must wait before it asks again."""
    without_tools: tuple[str, ...] = ()
    """Models of Ollama that cannot call tools, which is told of them."""
    same_prefix: bool = True
    """A request must extend the one before byte for byte, unless its reply says `rewrite` or `side`."""


class Ids:
    """Ids that the server invents: in order, and never one that the request already knows."""

    def __init__(self) -> None:
        self._last = 0

    def new(self, prefix: str, seen: Seen) -> str:
        known = canonical(seen.body)
        while True:
            self._last += 1
            made = f"{prefix}{self._last:06d}"
            if made.encode() not in known:
                return made


class Wire(Protocol):
    """One format: reads and judges requests, writes replies and errors."""

    name: str
    content_type: str

    def read(self, request: HttpRequest) -> Seen:
        """The request, if the service would take it. Raises `Rejected`."""
        ...

    def book(self, seen: Seen) -> Tally:
        """Charge the prompt to the cache books."""
        ...

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        """The reply as the pieces that the service would send one after the other."""
        ...

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer: ...

    def reject(self, rejected: Rejected) -> HttpAnswer: ...


def parse_body(request: HttpRequest) -> dict[str, Any]:
    """The JSON object in a request; lone surrogates and broken UTF-8 are refused as on the services."""
    try:
        body = json.loads(request.body.decode())
        canonical(body)
    except ValueError as error:
        raise Rejected("json", f"The request body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise Rejected("json", "The request body is not valid JSON: not an object")
    return body


def require_bearer(request: HttpRequest, key: str) -> None:
    if request.headers.get("authorization") != f"Bearer {key}":
        raise Rejected(
            "", "Incorrect API key provided.", status=401, kind="authentication_error", code="invalid_api_key"
        )


STREAMS_BY_PATH = frozenset({"gemini", "converse", "bedrock"})
"""Wires on which the path asks for a stream, not a field of the body."""


def require_stream(seen: Seen) -> None:
    """A limit of this server, not of the services: chatcli streams every reply."""
    if seen.wire not in STREAMS_BY_PATH and True not in (seen.body.get("stream"), seen.body.get("streaming")):
        raise Rejected("not_streaming", "this scripted service only streams: set `stream` to true")


def count_output(reply: Reply) -> tuple[int, int]:
    """(output, reasoning) in tokens, by the bytes of the parts."""
    reasoning = sum(len(p.text.encode()) for p in reply.parts if isinstance(p, Think))
    texts = sum(len(p.encode()) for p in reply.parts if isinstance(p, str))
    calls = sum(len(p.name) + len(arguments_json(p).encode()) for p in reply.parts if isinstance(p, Call))
    return max(1, tokens(reasoning + texts + calls)), tokens(reasoning)


def arguments_json(call: Call) -> str:
    return json.dumps(call.arguments, ensure_ascii=False) if call.raw is None else call.raw


def halves(text: str) -> tuple[str, str]:
    """A text in two pieces, as arguments are streamed."""
    return text[: len(text) // 2], text[len(text) // 2 :]


def sse(data: Any, event: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def explicit_books(options: Options) -> ExplicitBooks:
    return ExplicitBooks(options.clock, options.minimum_cache_tokens)


def automatic_books(options: Options) -> AutomaticBooks:
    return AutomaticBooks(
        options.clock, minimum_tokens=options.minimum_cache_tokens, bills_writes=options.bills_cache_writes
    )
