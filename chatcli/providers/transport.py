"""Our own requests, over httpx: for services whose wire no SDK of ours knows.

Everything that can go wrong on the way becomes a `ProviderError`; silence is measured between pieces.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from chatcli.providers import warm
from chatcli.providers.clients import connect
from chatcli.providers.complaints import cut, no_connection, proxy_refused, silent
from chatcli.providers.error_bodies import failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.images import text_bytes
from chatcli.providers.service import Service

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0
SEND_SECONDS = 60.0
FETCH_SECONDS = 30.0
"""For small answers: tokens, lists of models."""


class Transport:
    """The connections to one service: made at the first request, when httpx is there."""

    def __init__(self, service: Service, *, first_seconds: float = 0.0) -> None:
        """`first_seconds` is the silence allowed in front of the first piece; 0: as later on."""
        self._service = service
        self._first_seconds = first_seconds or service.idle_seconds
        self._client: httpx.AsyncClient | None = None

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Send JSON and yield the answer in the pieces in which it comes."""
        httpx = await warm.module("httpx")
        limits = httpx.Timeout(
            connect=CONNECT_SECONDS, read=self._first_seconds, write=SEND_SECONDS, pool=CONNECT_SECONDS
        )
        with _failing_as(self._service, httpx, self._first_seconds):
            async with self._connected(httpx).stream(
                "POST",
                self._service.base_url + path,
                content=body,
                headers={"Content-Type": "application/json", **(headers or {})},
                timeout=limits,
            ) as response:
                if response.status_code >= 400:
                    failure = failure_of(response.status_code, await response.aread(), response.headers)
                    raise error_of(failure, self._service, request_bytes=text_bytes(body))
                async with aclosing(self._paced(response)) as pieces:
                    async for piece in pieces:
                        yield piece

    async def fetch(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> Any:
        """The decoded JSON of a small answer: of a GET, or of a POST with a form."""
        httpx = await warm.module("httpx")
        with _failing_as(self._service, httpx, FETCH_SECONDS):
            response = await self._connected(httpx).request(
                "GET" if form is None else "POST", url, headers=headers, data=form, timeout=FETCH_SECONDS
            )
        if response.status_code >= 400:
            failure = failure_of(response.status_code, response.content, response.headers)
            raise error_of(failure, self._service)
        try:
            return msgspec.json.decode(response.content)
        except msgspec.DecodeError as error:
            raise cut(self._service) from error

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    def _connected(self, httpx: Any) -> httpx.AsyncClient:
        if self._client is None:
            self._client = connect(httpx, self._service)
        return self._client

    async def _paced(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        pieces = response.aiter_bytes()
        allowed_seconds = self._first_seconds
        while True:
            try:
                async with asyncio.timeout(allowed_seconds):
                    piece = await anext(pieces, None)
            except TimeoutError:
                raise silent(self._service.name, allowed_seconds) from None
            if piece is None:
                return
            yield piece
            allowed_seconds = self._service.idle_seconds


@contextmanager
def _failing_as(service: Service, httpx: Any, allowed_seconds: float) -> Iterator[None]:
    """What goes wrong on the way, in our words."""
    try:
        yield
    except httpx.ProxyError as error:
        raise proxy_refused(service, error) from error
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise no_connection(service, error) from error
    except httpx.TimeoutException as error:
        raise silent(service.name, allowed_seconds) from error
    except httpx.TransportError as error:
        raise cut(service) from error


async def lines(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Lines without their end. They end at LF alone: httpx would also cut inside strings."""
    rest = b""
    async with aclosing(pieces):
        async for piece in pieces:
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                yield line
    if rest:
        yield rest


async def json_lines(
    pieces: AsyncGenerator[bytes, None], service: Service
) -> AsyncGenerator[dict[str, Any], None]:
    """One JSON object a line."""
    async with aclosing(lines(pieces)) as found:
        async for line in found:
            if line.strip():
                yield _decoded(line, service)


async def sse_objects(
    pieces: AsyncGenerator[bytes, None], service: Service
) -> AsyncGenerator[dict[str, Any], None]:
    """The JSON objects of server-sent events.

    The name of an event becomes its `type`, unless it has one; `[DONE]` is an object of type `done`.
    """
    name, data = "", b""
    async with aclosing(lines(pieces)) as found:
        async for line in found:
            field, colon, value = line.rstrip(b"\r").partition(b":")
            if field == b"data":
                data += value.removeprefix(b" ")
            elif field == b"event":
                name = value.strip().decode(errors="replace")
            elif not (field or colon):
                if data:
                    yield _event(name, data, service)
                name, data = "", b""
    if data:
        yield _event(name, data, service)


def _event(name: str, data: bytes, service: Service) -> dict[str, Any]:
    if data == b"[DONE]":
        return {"type": "done"}
    decoded = _decoded(data, service)
    return decoded if "type" in decoded or not name else {"type": name, **decoded}


def _decoded(text: bytes, service: Service) -> dict[str, Any]:
    """Raises NetworkError for what is no JSON object: the connection broke in the middle of one."""
    try:
        decoded: dict[str, Any] = msgspec.json.decode(text, type=dict)
    except msgspec.DecodeError as error:
        raise cut(service) from error
    return decoded
