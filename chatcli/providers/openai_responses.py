"""OpenAI's Responses API, streamed through the official SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from chatcli.events import ReplyEvent
from chatcli.messages import Usage
from chatcli.providers import openai_responses_body
from chatcli.providers.base import Request
from chatcli.providers.encoding import encode
from chatcli.providers.error_bodies import failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.images import text_bytes
from chatcli.providers.openai_chat_body import OwnFields
from chatcli.providers.replies import Chunk, read_reply
from chatcli.providers.sdk import Link
from chatcli.providers.service import Service
from chatcli.providers.usage import responses_usage
from chatcli.providers.wire_reader import WireReader

_REASONING_FIELDS = ("type", "id", "summary", "content", "encrypted_content")


class OpenAIResponses:
    """OpenAI, and what else speaks Responses."""

    def __init__(self, service: Service, fields: OwnFields | None = None) -> None:
        """`fields`: what this service takes beside the usual."""
        self._fields = fields or {}
        self.name = service.name
        self.model = service.model
        self.cache = service.cache
        self.window_tokens = service.window_tokens
        self._service = service
        self._link = Link("openai", service)

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        request = self._service.visible(request)
        breakpoints = self._service.part_breakpoints
        rendered = openai_responses_body.render(
            request, provider=self.name, breakpoints=breakpoints, fields=self._fields
        )
        body = encode(rendered)
        reader = ResponsesReader(self._service, request_bytes=text_bytes(body))
        return read_reply(self._link.post("/responses", body, self._service.headers(request)), reader)

    async def aclose(self) -> None:
        await self._link.aclose()


class ResponsesReader(WireReader):
    """Reads the events of a response; its output items are the parts, by their index."""

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        key = chunk.get("output_index", 0)
        delta = chunk.get("delta") or ""
        match chunk.get("type"):
            case "response.output_item.added":
                yield from self._begin(key, chunk.get("item") or {})
            case "response.output_text.delta":
                yield from self._assembly.text(key, delta)
            case "response.refusal.delta":
                self._stop_reason = "refusal"
                yield from self._assembly.text(key, delta)
            case "response.reasoning_summary_part.added" if chunk.get("summary_index"):
                yield from self._assembly.reasoning(key, "\n\n")
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield from self._assembly.reasoning(key, delta)
            case "response.function_call_arguments.delta":
                yield from self._assembly.call(key, arguments=delta)
            case "response.output_item.done":
                yield from self._end(key, chunk.get("item") or {})
            case "response.completed" | "response.incomplete":
                self._close(chunk.get("response") or {})
            case "response.failed":
                raise error_of(failure_of(200, chunk.get("response")), self._service)
            case "error":
                raise error_of(failure_of(200, chunk), self._service)

    def _usage_of(self, reported: dict[str, Any]) -> Usage:
        return responses_usage(reported)

    def _begin(self, key: int, item: dict[str, Any]) -> Iterator[ReplyEvent]:
        if item.get("type") == "function_call":
            yield from self._assembly.call(
                key, call_id=item.get("call_id") or "", name=item.get("name") or ""
            )

    def _end(self, key: int, item: dict[str, Any]) -> Iterator[ReplyEvent]:
        """A finished item is whole in itself: some services send it without its deltas."""
        match item.get("type"):
            case "function_call":
                given = "" if self._assembly.written(key) else item.get("arguments") or ""
                yield from self._assembly.call(
                    key, call_id=item.get("call_id") or "", name=item.get("name") or "", arguments=given
                )
                if item.get("status", "completed") == "completed":
                    self._assembly.close(key)
            case "reasoning":
                fields = {name: item[name] for name in _REASONING_FIELDS if item.get(name) is not None}
                self._assembly.seal(key, **fields)

    def _close(self, response: dict[str, Any]) -> None:
        self.complete = True
        self._model = response.get("model") or self._model
        self._reported = response.get("usage") or {}
        if response.get("status") == "incomplete":
            reason = (response.get("incomplete_details") or {}).get("reason")
            self._stop_reason = "refusal" if reason == "content_filter" else "max_tokens"
