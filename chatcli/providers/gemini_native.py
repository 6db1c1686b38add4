"""Google's Gemini over its native wire: server-sent events over our own httpx."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import quote

from chatcli.events import ReplyEvent
from chatcli.messages import StopReason, Usage
from chatcli.providers import gemini_body
from chatcli.providers.base import Request
from chatcli.providers.complaints import unreadable_call
from chatcli.providers.encoding import encode
from chatcli.providers.error_bodies import Failure, failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.gemini_body import SIGNATURE, SIGNS_TEXT
from chatcli.providers.images import text_bytes
from chatcli.providers.replies import Chunk, read_reply
from chatcli.providers.service import Service
from chatcli.providers.transport import Transport, sse_objects
from chatcli.providers.usage import gemini_usage
from chatcli.providers.wire_reader import WireReader

_STOP_REASONS: dict[str, StopReason] = {
    "STOP": "end",
    "MAX_TOKENS": "max_tokens",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "LANGUAGE": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
}
_UNREADABLE = frozenset(
    {"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"}
)
_OUR_MISTAKE = "MISSING_THOUGHT_SIGNATURE"


class GeminiNative:
    """Gemini, with the signatures of its thoughts."""

    def __init__(self, service: Service) -> None:
        self.name = service.name
        self.model = service.model
        self.cache = service.cache
        self.window_tokens = service.window_tokens
        self._service = service
        self._transport = Transport(service)

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        body = encode(gemini_body.render(self._service.visible(request), provider=self.name))
        position = max(message.seq for message in request.messages)
        reader = GeminiReader(self._service, request_bytes=text_bytes(body), position=position)
        model = quote(request.model.removeprefix("models/"), safe="")
        answer = self._transport.post(
            f"/models/{model}:streamGenerateContent?alt=sse", body, {"x-goog-api-key": self._service.key}
        )
        return read_reply(sse_objects(answer, self._service), reader)

    async def aclose(self) -> None:
        await self._transport.aclose()


class GeminiReader(WireReader):
    """Reads partial responses: each holds the next parts, and the usage so far."""

    def __init__(self, service: Service, *, request_bytes: int, position: int) -> None:
        super().__init__(service, request_bytes=request_bytes, position=position)
        self._calls = 0
        self._run = 0
        self._kind = ""
        """What the part before was: neighbours of one kind are one part, unless a signature parts them."""

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        if "error" in chunk:
            raise error_of(failure_of(200, chunk), self._service)
        self._model = chunk.get("modelVersion") or self._model
        self._reported = chunk.get("usageMetadata") or self._reported
        if (chunk.get("promptFeedback") or {}).get("blockReason"):
            self.complete, self._stop_reason = True, "refusal"
        for candidate in chunk.get("candidates") or ():
            for part in (candidate.get("content") or {}).get("parts") or ():
                yield from self._part(part)
            if reason := candidate.get("finishReason"):
                self._finish(reason)

    def _usage_of(self, reported: dict[str, Any]) -> Usage:
        return gemini_usage(reported)

    def _part(self, part: dict[str, Any]) -> Iterator[ReplyEvent]:
        signature = part.get(SIGNATURE)
        if call := part.get("functionCall"):
            yield from self._call(call, signature)
        elif part.get("thought"):
            key = self._key("thought", apart=False)
            yield from self._assembly.reasoning(key, part.get("text") or "")
            if signature:
                self._assembly.seal(key, **{SIGNATURE: signature})
                self._kind = ""
        elif text := part.get("text"):
            yield from self._assembly.text(self._key("text", apart=bool(signature)), text)
            if signature:
                self._assembly.seal(self._key("mark", apart=True), **{SIGNATURE: signature, SIGNS_TEXT: True})
        elif signature:
            self._assembly.seal(self._key("mark", apart=True), **{SIGNATURE: signature})

    def _call(self, call: dict[str, Any], signature: str | None) -> Iterator[ReplyEvent]:
        self._calls += 1
        key = self._key("call", apart=True)
        given = call.get("id")
        extra = {name: value for name, value in ((SIGNATURE, signature), ("id", given)) if value}
        yield from self._assembly.call(
            key,
            call_id=given or f"call_{self._position}_{self._calls}",
            name=call.get("name") or "",
            arguments=encode(call.get("args") or {}).decode(),
            extra=extra,
        )
        self._assembly.close(key)

    def _key(self, kind: str, *, apart: bool) -> int:
        """The key of the part that goes on, or of a new one."""
        if apart or kind != self._kind:
            self._run += 1
        self._kind = kind
        return self._run

    def _finish(self, reason: str) -> None:
        if reason in _UNREADABLE:
            raise unreadable_call(self._service)
        if reason == _OUR_MISTAKE:
            raise error_of(Failure(status=400, code=reason, detail=reason), self._service)
        self.complete = True
        self._stop_reason = _STOP_REASONS.get(reason, "end")
