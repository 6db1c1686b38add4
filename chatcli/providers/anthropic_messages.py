"""Anthropic's Messages API, streamed through the official SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from msgspec import structs

from chatcli.events import ReplyEvent
from chatcli.messages import StopReason, Usage
from chatcli.providers import anthropic_body
from chatcli.providers.base import Request
from chatcli.providers.complaints import window_full
from chatcli.providers.encoding import encode
from chatcli.providers.error_bodies import failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.images import text_bytes
from chatcli.providers.replies import Chunk, read_reply
from chatcli.providers.sdk import Link
from chatcli.providers.service import Service
from chatcli.providers.usage import anthropic_usage, estimated_usage
from chatcli.providers.wire_reader import WireReader

_STOP_REASONS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
    "pause_turn": "pause",
}
_WINDOW_FULL = "model_context_window_exceeded"


class AnthropicMessages:
    """Claude, at Anthropic or wherever else this wire is spoken."""

    def __init__(self, service: Service, *, replays_unsigned: bool = False) -> None:
        self._replays_unsigned = replays_unsigned
        self.name = service.name
        self.model = service.model
        self.cache = service.cache
        self.window_tokens = service.window_tokens
        self._service = service
        self._link = Link("anthropic", service)

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        request = self._service.visible(request)
        rendered = anthropic_body.render(
            request,
            provider=self.name,
            max_output_tokens=self._service.output_limit(request),
            replays_unsigned=self._replays_unsigned,
            ttl=self._service.cache_ttl(request),
        )
        body = encode(rendered)
        reader = AnthropicReader(self._service, request_bytes=text_bytes(body))
        return read_reply(self._link.post("/v1/messages", body, self._service.headers(request)), reader)

    async def aclose(self) -> None:
        await self._link.aclose()


class AnthropicReader(WireReader):
    """Reads the events `message_start`, `content_block_*`, `message_delta`."""

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        key = chunk.get("index", 0)
        match chunk.get("type"):
            case "message_start":
                message = chunk.get("message") or {}
                self._model = message.get("model") or self._model
                self._report(message.get("usage"))
            case "content_block_start":
                yield from self._start(key, chunk.get("content_block") or {})
            case "content_block_delta":
                yield from self._delta(key, chunk.get("delta") or {})
            case "content_block_stop":
                self._assembly.close(key)
            case "message_delta":
                self._report(chunk.get("usage"))
                if reason := (chunk.get("delta") or {}).get("stop_reason"):
                    self._finish(reason)
            case "error":
                raise error_of(failure_of(200, chunk), self._service)

    def _usage_of(self, reported: dict[str, Any]) -> Usage:
        usage = anthropic_usage(reported)
        if self.complete:
            return usage
        # The count in `message_start` is of the first token: the rest is only told at the end.
        written = estimated_usage(0, self._assembly.chars).output
        return structs.replace(usage, output=max(usage.output, written), estimated=written > usage.output)

    def _finish(self, reason: str) -> None:
        if reason == _WINDOW_FULL:
            raise window_full(self._service)
        self.complete = True
        self._stop_reason = _STOP_REASONS.get(reason, "end")

    def _report(self, usage: dict[str, Any] | None) -> None:
        """Older services repeat only `output_tokens` at the end: keep what was said before."""
        self._reported.update({name: value for name, value in (usage or {}).items() if value is not None})

    def _start(self, key: int, block: dict[str, Any]) -> Iterator[ReplyEvent]:
        match block.get("type"):
            case "text":
                yield from self._assembly.text(key, block.get("text") or "")
            case "thinking":
                self._assembly.seal(key, type="thinking", signature=block.get("signature") or "")
                yield from self._assembly.reasoning(key, block.get("thinking") or "")
            case "redacted_thinking":
                self._assembly.seal(key, type="redacted_thinking", data=block.get("data") or "")
            case "tool_use":
                # Some services send the whole input here instead of in deltas.
                given = block.get("input")
                yield from self._assembly.call(
                    key,
                    call_id=block.get("id") or "",
                    name=block.get("name") or "",
                    arguments=encode(given).decode() if given else "",
                )

    def _delta(self, key: int, delta: dict[str, Any]) -> Iterator[ReplyEvent]:
        match delta.get("type"):
            case "text_delta":
                yield from self._assembly.text(key, delta.get("text") or "")
            case "thinking_delta":
                yield from self._assembly.reasoning(key, delta.get("thinking") or "")
            case "signature_delta":
                self._assembly.seal(key, signature=delta.get("signature") or "")
            case "input_json_delta":
                yield from self._assembly.call(key, arguments=delta.get("partial_json") or "")
