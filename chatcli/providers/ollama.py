"""Ollama's native chat API: JSON lines over our own httpx."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import TYPE_CHECKING

import msgspec

from chatcli.errors import BadRequest, ProviderError
from chatcli.events import Reply, ReplyEvent
from chatcli.messages import StopReason, Usage
from chatcli.providers import ollama_body, warm
from chatcli.providers.assembly import Assembly
from chatcli.providers.base import CacheClass, Request
from chatcli.providers.complaints import cut, no_connection, silent, window_full
from chatcli.providers.encoding import encode
from chatcli.providers.error_bodies import failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.replies import Chunk, read_reply
from chatcli.providers.service import Service
from chatcli.providers.usage import estimated_usage, ollama_usage

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 5.0
SEND_SECONDS = 60.0
LOADING_SECONDS = 600.0
"""Silence allowed in front of the first token: a model is loaded and a long prompt read on slow machines."""
_MIN_BYTES_PER_TOKEN = 2

_STOP_REASONS: dict[str, StopReason] = {"stop": "end", "length": "max_tokens"}


class Ollama:
    """Models on this machine, or on another that runs Ollama."""

    cache: CacheClass = "automatic"

    def __init__(self, service: Service, *, num_ctx: int, idle_seconds: float) -> None:
        self.name = service.name
        self.model = service.model
        self.window_tokens = num_ctx
        self._service = service
        self._idle_seconds = idle_seconds
        self._client: httpx.AsyncClient | None = None

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        body = encode(ollama_body.render(request, provider=self.name, num_ctx=self.window_tokens))
        position = max(message.seq for message in request.messages)
        reader = OllamaReader(self._service, request_bytes=len(body), position=position)
        return read_reply(self._lines(body), reader)

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    def _connect(self) -> httpx.AsyncClient:
        import httpx

        headers = {"Authorization": f"Bearer {self._service.key}"} if self._service.key else {}
        return httpx.AsyncClient(
            base_url=self._service.base_url, headers=headers, trust_env=not self._service.on_this_machine
        )

    async def _lines(self, body: bytes) -> AsyncGenerator[Chunk, None]:
        """The decoded lines of one reply. Raises `ProviderError`s alone."""
        httpx = await warm.module("httpx")
        client = self._client = self._client or self._connect()
        limits = httpx.Timeout(
            connect=CONNECT_SECONDS, read=LOADING_SECONDS, write=SEND_SECONDS, pool=CONNECT_SECONDS
        )
        try:
            async with client.stream("POST", "/api/chat", content=body, timeout=limits) as response:
                if response.status_code >= 400:
                    await response.aread()
                    raise self._refusal(response, len(body))
                async for line in self._split(response):
                    yield msgspec.json.decode(line, type=dict)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise no_connection(self._service, error) from error
        except httpx.TimeoutException as error:
            raise silent(self._service.name, LOADING_SECONDS) from error
        except (httpx.TransportError, msgspec.DecodeError) as error:
            raise cut(self._service) from error

    async def _split(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        """Lines end at LF alone: httpx would also cut inside strings, at other kinds of line ends."""
        pieces = response.aiter_bytes()
        allowed_seconds = LOADING_SECONDS
        rest = b""
        while True:
            try:
                async with asyncio.timeout(allowed_seconds):
                    piece = await anext(pieces, None)
            except TimeoutError:
                raise silent(self._service.name, allowed_seconds) from None
            if piece is None:
                break
            allowed_seconds = self._idle_seconds
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                if line.strip():
                    yield line
        if rest.strip():
            yield rest

    def _refusal(self, response: httpx.Response, request_bytes: int) -> ProviderError:
        failure = failure_of(response.status_code, response.content, response.headers)
        error = error_of(failure, self._service)
        # Ollama has no code for a prompt that is too long: only its size tells it from a bad request.
        if type(error) is BadRequest and request_bytes > self.window_tokens * _MIN_BYTES_PER_TOKEN:
            return window_full(self._service)
        return error


class OllamaReader:
    """Reads the objects of `/api/chat`. Ids of calls are invented: they follow from the position.

    `position` is the number of the last message that was sent, so that ids repeat in no session.
    """

    def __init__(self, service: Service, *, request_bytes: int, position: int) -> None:
        self.complete = False
        self._service = service
        self._request_bytes = request_bytes
        self._position = position
        self._assembly = Assembly()
        self._calls = 0
        self._last: Chunk = {}

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
            self._last = chunk

    def usage(self) -> Usage:
        if "prompt_eval_count" in self._last or "eval_count" in self._last:
            return ollama_usage(self._last)
        return estimated_usage(self._request_bytes, self._assembly.chars)

    def finish(self) -> Reply:
        if not self.complete:
            raise cut(self._service)
        stop_reason = _STOP_REASONS.get(self._last.get("done_reason", ""), "end")
        if self._calls and stop_reason == "end":
            stop_reason = "tool_calls"
        return Reply(
            parts=self._assembly.parts(stop_reason),
            stop_reason=stop_reason,
            usage=self.usage(),
            model=self._last.get("model") or self._service.model,
        )
