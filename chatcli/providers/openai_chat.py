"""OpenAI's Chat Completions, streamed through the official SDK: the wire that most services speak."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from chatcli.events import Reply, ReplyEvent
from chatcli.messages import StopReason, Usage
from chatcli.providers import openai_chat_body
from chatcli.providers.base import CacheClass, Request
from chatcli.providers.encoding import encode
from chatcli.providers.error_bodies import Failure
from chatcli.providers.failures import error_of
from chatcli.providers.images import text_bytes
from chatcli.providers.openai_chat_body import EXTRA_CONTENT, TEXT_FIELDS, Dialect
from chatcli.providers.replies import Chunk, read_reply
from chatcli.providers.sdk import Link
from chatcli.providers.service import Service
from chatcli.providers.usage import chat_usage
from chatcli.providers.wire_reader import WireReader

_STOP_REASONS: dict[str, StopReason] = {
    "stop": "end",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "max_tokens",
    "content_filter": "refusal",
}


class OpenAIChat:
    """OpenRouter, servers of one's own, and whatever else has `/chat/completions`."""

    def __init__(self, service: Service, dialect: Dialect) -> None:
        self.name = service.name
        self.model = service.model
        self.cache: CacheClass = "explicit" if dialect.marks(service.model) else service.cache
        self.window_tokens = service.window_tokens
        self._service = service
        self._dialect = dialect
        self._link = Link("openai", service)

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        request = self._service.visible(request)
        rendered = openai_chat_body.render(
            request,
            provider=self.name,
            dialect=self._dialect,
            max_output_tokens=self._service.max_output_tokens,
            ttl=self._service.cache_ttl(request),
        )
        body = encode(rendered)
        position = max(message.seq for message in request.messages)
        reader = ChatReader(self._service, request_bytes=text_bytes(body), position=position)
        return read_reply(self._link.post("/chat/completions", body, self._service.headers(request)), reader)

    async def aclose(self) -> None:
        await self._link.aclose()


class ChatReader(WireReader):
    """Reads chunks: text and reasoning as they come, calls by the index of their fragments."""

    def __init__(self, service: Service, *, request_bytes: int, position: int) -> None:
        super().__init__(service, request_bytes=request_bytes, position=position)
        self._calls: dict[int, str] = {}
        """By index: the id of the call that its fragments go to at the moment."""
        self._details: list[dict[str, Any]] = []
        self._refused = False

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        self._model = chunk.get("model") or self._model
        self._reported = chunk.get("usage") or self._reported
        # Copilot splits the text and the calls of one reply over several choices.
        for choice in chunk.get("choices") or ():
            yield from self._delta(choice.get("delta") or {})
            if reason := choice.get("finish_reason"):
                self._finish(reason)

    def _usage_of(self, reported: dict[str, Any]) -> Usage:
        return chat_usage(reported)

    def finish(self) -> Reply:
        if self._refused:
            self._stop_reason = "refusal"
        return super().finish()

    def _delta(self, delta: dict[str, Any]) -> Iterator[ReplyEvent]:
        if thought := next((delta[name] for name in TEXT_FIELDS if delta.get(name)), ""):
            yield from self._assembly.reasoning("reasoning", thought)
        if opaque := delta.get("reasoning_opaque"):
            self._assembly.seal("reasoning", reasoning_opaque=opaque)
        for detail in delta.get("reasoning_details") or ():
            self._keep_detail(detail)
        if text := delta.get("content"):
            yield from self._assembly.text("content", text)
        if refusal := delta.get("refusal"):
            self._refused = True
            yield from self._assembly.text("content", refusal)
        for fragment in delta.get("tool_calls") or ():
            yield from self._fragment(fragment)

    def _fragment(self, fragment: dict[str, Any]) -> Iterator[ReplyEvent]:
        """Id and name come with the first fragment. Some services number all their calls 0."""
        function = fragment.get("function") or {}
        index, given = fragment.get("index") or 0, fragment.get("id") or ""
        known = self._calls.get(index)
        if known is None or (given and given != known and function.get("name")):
            known = given or f"call_{self._position}_{index + 1}"
            self._calls[index] = known
        yield from self._assembly.call(
            ("call", known),
            call_id=known,
            name=function.get("name") or "",
            arguments=function.get("arguments") or "",
            extra={EXTRA_CONTENT: fragment[EXTRA_CONTENT]} if fragment.get(EXTRA_CONTENT) else None,
        )

    def _keep_detail(self, detail: dict[str, Any]) -> None:
        """Pieces of one block are joined, up to its signature."""
        last = self._details[-1] if self._details else {}
        same = all(last.get(name) == detail.get(name) for name in ("type", "index", "id"))
        if not last or not same or last.get("signature"):
            self._details.append(dict(detail))
            self._assembly.seal("reasoning", reasoning_details=self._details)
            return
        for name, value in detail.items():
            if name in {"text", "summary", "data"} and last.get(name) and value:
                last[name] += value
            elif value is not None:
                last[name] = value

    def _finish(self, reason: str) -> None:
        if reason == "error":
            raise error_of(Failure(status=200, code="server_error"), self._service)
        self.complete = True
        self._stop_reason = _STOP_REASONS.get(reason, "end")
        self._assembly.close_all()
