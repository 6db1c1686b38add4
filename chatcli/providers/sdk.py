"""What the official SDKs of Anthropic and OpenAI have in common: they are built on one code base.

An SDK gives connections, authentication, errors and the decoding of the event stream. Bodies are
our own bytes and events plain dicts: what is sent is under control to the byte, a shape that the
SDK does not know yet breaks nothing, and long histories are not copied for every request.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from chatcli.errors import ProviderError
from chatcli.providers.failures import (
    Failure,
    Service,
    body_parts,
    cut,
    error_of,
    no_connection,
    retry_after_seconds,
    silent,
)
from chatcli.providers.replies import Chunk

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
_SEND_SECONDS = 60.0


class Connection(Struct, frozen=True, kw_only=True):
    """An SDK, its client and the service that it talks to."""

    sdk: Any
    """The module: its classes have the same names in both SDKs."""
    client: Any
    service: Service
    idle_seconds: float


def timeouts(idle_seconds: float) -> httpx2.Timeout:
    """Pings of the service count as life: only real silence ends a stream."""
    import httpx2

    return httpx2.Timeout(
        connect=CONNECT_SECONDS, read=idle_seconds, write=_SEND_SECONDS, pool=CONNECT_SECONDS
    )


async def stream_events(connection: Connection, path: str, body: bytes) -> AsyncGenerator[Chunk, None]:
    """POST a body and yield the decoded events. Raises `ProviderError`s alone."""
    try:
        stream = await connection.client.post(
            path,
            content=body,
            cast_to=object,
            options={"headers": {"Content-Type": "application/json"}},
            stream=True,
            stream_cls=connection.sdk.AsyncStream[object],
        )
        try:
            await _raise_plain_error(stream.response, connection.service)
            async for event in stream:
                if isinstance(event, dict):
                    yield event
        finally:
            await stream.close()
    except ProviderError:
        raise
    except Exception as error:
        translated = _translated(error, connection)
        if translated is None:
            raise
        raise translated from error


async def _raise_plain_error(response: httpx2.Response, service: Service) -> None:
    """Gateways answer errors with HTTP 200 and a JSON body in place of a stream."""
    if "application/json" not in response.headers.get("content-type", ""):
        return
    try:
        body = msgspec.json.decode(await response.aread())
    except msgspec.DecodeError:
        body = None
    code, type_, detail = body_parts(body)
    raise error_of(Failure(status=200, code=code, type=type_, detail=detail), service)


def _translated(error: Exception, connection: Connection) -> ProviderError | None:
    """The error in our words, or None when it is none of the network's or the service's."""
    import httpx2

    sdk, service = connection.sdk, connection.service
    cause = error.__cause__ if isinstance(error, sdk.APIConnectionError) else error
    match cause:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return no_connection(service)
        case httpx2.TimeoutException():
            return silent(service, connection.idle_seconds)
        case httpx2.TransportError() | ValueError():  # ValueError: an event that is not JSON, not UTF-8
            return cut(service)
    if isinstance(error, sdk.APIConnectionError):
        return no_connection(service)
    if not isinstance(error, sdk.APIError):
        return None
    code, type_, detail = body_parts(error.body)
    response = getattr(error, "response", None)
    headers = response.headers if response is not None else {}
    return error_of(
        Failure(
            status=getattr(error, "status_code", 200),
            code=code,
            type=type_,
            detail=detail,
            request_id=headers.get("request-id") or headers.get("x-request-id") or "",
            retry_after_seconds=retry_after_seconds(headers),
        ),
        service,
    )
