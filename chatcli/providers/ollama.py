"""Ollama's native chat API: JSON lines over our own httpx."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from chatcli.errors import ProviderError
from chatcli.events import ReplyEvent
from chatcli.messages import StopReason, Usage
from chatcli.providers import ollama_body
from chatcli.providers.base import Request
from chatcli.providers.encoding import encode
from chatcli.providers.error_bodies import failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.images import text_bytes
from chatcli.providers.replies import Chunk, read_reply
from chatcli.providers.service import Service
from chatcli.providers.transport import Transport, json_lines
from chatcli.providers.usage import ollama_usage
from chatcli.providers.wire_reader import WireReader

LOADING_SECONDS = 600.0
"""Silence allowed in front of the first token: a model is loaded and a long prompt read on slow machines."""
_STOP_REASONS: dict[str, StopReason] = {"stop": "end", "length": "max_tokens"}


class Ollama:
    """Models on this machine, or on another that runs Ollama."""

    def __init__(self, service: Service) -> None:
        self.name = service.name
        self.model = service.model
        self.cache = service.cache
        self.window_tokens = service.window_tokens
        self._service = service
        self._transport = Transport(service, first_seconds=LOADING_SECONDS)
        self._proof = {"Authorization": f"Bearer {service.key}"} if service.key else {}
        self._takes_tools: bool | None = None

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        request = self._service.visible(request)
        body = encode(ollama_body.render(request, provider=self.name, num_ctx=self.window_tokens))
        position = max(message.seq for message in request.messages)
        reader = OllamaReader(self._service, request_bytes=text_bytes(body), position=position)
        answer = self._transport.post("/api/chat", body, self._proof)
        return read_reply(json_lines(answer, self._service), reader)

    async def takes_tools(self) -> bool:
        """Whether the model can call tools, as the service says; asked once. An old service does not say."""
        if self._takes_tools is None:
            pieces = self._transport.post("/api/show", encode({"model": self.model}), self._proof)
            try:
                answer = b"".join([piece async for piece in pieces])
                said = msgspec.json.decode(answer, type=_Shown).capabilities
            except (ProviderError, msgspec.DecodeError):
                return True  # the request itself will tell what is wrong
            self._takes_tools = said is None or "tools" in said
        return self._takes_tools

    async def aclose(self) -> None:
        await self._transport.aclose()


class _Shown(Struct):
    capabilities: list[str] | None = None


class OllamaReader(WireReader):
    """Reads the objects of `/api/chat`. Ids of calls are invented: they follow from the position."""

    def __init__(self, service: Service, *, request_bytes: int, position: int) -> None:
        super().__init__(service, request_bytes=request_bytes, position=position)
        self._calls = 0

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        if chunk.get("error"):
            raise error_of(failure_of(200, chunk), self._service)
        message = chunk.get("message") or {}
        if thinking := message.get("thinking"):
            yield from self._assembly.reasoning("thinking", thinking)
        if text := message.get("content"):
            yield from self._assembly.text("content", text)
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            self._calls += 1
            key = f"call_{self._position}_{self._calls}"
            arguments = encode(function.get("arguments") or {}).decode()
            yield from self._assembly.call(
                key, call_id=key, name=function.get("name") or "", arguments=arguments
            )
            self._assembly.close(key)
        if chunk.get("done"):
            self.complete = True
            self._stop_reason = _STOP_REASONS.get(chunk.get("done_reason", ""), "end")
            self._model = chunk.get("model") or self._model
            if "prompt_eval_count" in chunk or "eval_count" in chunk:
                self._reported = chunk

    def _usage_of(self, reported: dict[str, Any]) -> Usage:
        return ollama_usage(reported)
