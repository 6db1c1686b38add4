"""What the official SDKs of Anthropic and OpenAI have in common: they are built on one code base.

An SDK gives connections, authentication, errors and the decoding of the event stream. Bodies are
our own bytes and events plain dicts: what is sent is under control to the byte, a shape that the
SDK does not know yet breaks nothing, and long histories are not copied for every request.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from chatcli.errors import ProviderError
from chatcli.providers import warm
from chatcli.providers.clients import connect
from chatcli.providers.complaints import cut, no_connection, proxy_refused, silent
from chatcli.providers.error_bodies import failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.images import text_bytes
from chatcli.providers.replies import Chunk
from chatcli.providers.service import Service

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
_SEND_SECONDS = 60.0
NO_KEY = "no-key-needed"
"""The SDKs want a key; servers of one's own mostly do not."""
_OPENAI_ITSELF = ("OPENAI", "OPENAI_ASSISTANT")
"""Only they are told which organization and project of the environment a request is for."""


class Link:
    """The client of one service: made at the first request, when the SDK is there."""

    def __init__(self, sdk: Literal["anthropic", "openai"], service: Service) -> None:
        self._sdk_name = sdk
        self._service = service
        self._client: Any = None

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> AsyncGenerator[Chunk, None]:
        """Send a body and yield the decoded events of the answer. Raises `ProviderError`s alone."""
        sdk: Any = await warm.module(self._sdk_name)
        self._client = self._client or self._connect(sdk)
        options: dict[str, Any] = {"headers": {"Content-Type": "application/json", **headers}}
        if self._sdk_name == "openai":
            options["security"] = {"bearer_auth": True}  # else OPENAI_ADMIN_KEY would take the key's place
        try:
            stream = await self._client.post(
                path,
                content=body,
                cast_to=object,
                options=options,
                stream=True,
                stream_cls=sdk.AsyncStream[object],
            )
            try:
                await _raise_plain_error(stream.response, self._service)
                async for event in stream:
                    if isinstance(event, dict):
                        yield event
            finally:
                await stream.close()
        except ProviderError:
            raise
        except Exception as error:
            translated = self._translated(error, sdk, text_bytes(body))
            if translated is None:
                raise
            raise translated from error

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _connect(self, sdk: Any) -> Any:
        import httpx2

        # Pings of the service count as life: only real silence ends a stream.
        timeout = httpx2.Timeout(
            connect=CONNECT_SECONDS,
            read=self._service.idle_seconds,
            write=_SEND_SECONDS,
            pool=CONNECT_SECONDS,
        )
        # Always with a URL and a key: from the environment the SDK would take another service's.
        given: dict[str, Any] = {
            "api_key": self._service.key or NO_KEY,
            "base_url": self._service.base_url,
            "max_retries": 0,
            "timeout": timeout,
            "http_client": connect(httpx2, self._service),
        }
        if self._sdk_name == "anthropic":
            return sdk.AsyncAnthropic(**given, default_headers=self._anthropic_proof(sdk))
        if self._service.name in _OPENAI_ITSELF:
            return sdk.AsyncOpenAI(**given)
        elsewhere = {"OpenAI-Organization": sdk.Omit(), "OpenAI-Project": sdk.Omit()}
        return sdk.AsyncOpenAI(**given, default_headers=elsewhere)

    def _anthropic_proof(self, sdk: Any) -> dict[str, Any]:
        """One way to say who asks, so that no token of the environment goes to somebody else."""
        if self._service.bearer:
            return {"X-Api-Key": sdk.Omit(), "Authorization": f"Bearer {self._service.key}"}
        return {"X-Api-Key": self._service.key, "Authorization": sdk.Omit()}

    def _translated(self, error: Exception, sdk: Any, request_bytes: int) -> ProviderError | None:
        """The error in our words, or None when it is none of the network's or the service's."""
        import httpx2

        is_connection_error = isinstance(error, sdk.APIConnectionError)
        cause = error.__cause__ if is_connection_error else error
        match cause:
            case httpx2.ProxyError():
                return proxy_refused(self._service, cause)
            case httpx2.ConnectError() | httpx2.ConnectTimeout():
                return no_connection(self._service, cause)
            case httpx2.TimeoutException():
                return silent(self._service.name, self._service.idle_seconds)
            case httpx2.TransportError() | ValueError():  # ValueError: an event that is no JSON, no UTF-8
                return cut(self._service)
        if is_connection_error:
            return no_connection(self._service, cause)
        return _status_error(error, self._service, request_bytes) if isinstance(error, sdk.APIError) else None


def _status_error(error: Any, service: Service, request_bytes: int) -> ProviderError:
    """From an SDK's `APIError`: of an HTTP status, or of an error inside the stream."""
    response = getattr(error, "response", None)
    headers = None if response is None else response.headers
    failure = failure_of(getattr(error, "status_code", 200), error.body, headers)
    return error_of(failure, service, request_bytes=request_bytes)


async def _raise_plain_error(response: httpx2.Response, service: Service) -> None:
    """Gateways answer errors with HTTP 200 and a JSON body in place of a stream."""
    if "application/json" in response.headers.get("content-type", ""):
        raise error_of(failure_of(200, await response.aread()), service)
