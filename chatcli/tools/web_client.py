"""GET over the web, bounded in hops, bytes and time. It connects to the machines it was told, and no others.

httpcore is used as it is: no cookies, no proxy or credentials from the environment, no redirects and no
decompression of its own. A target without machines is asked for at the proxy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urljoin, urlsplit

from msgspec import Struct, structs

from chatcli.certificates import trusted
from chatcli.errors import ToolFailed, UsageError
from chatcli.tools.api import Fetched
from chatcli.tools.web_body import ACCEPTED, Body, UnknownEncoding

if TYPE_CHECKING:
    import ssl

    import httpcore

MAX_HOPS = 5
_CONNECT_SECONDS = 10.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; chatcli)",
    "Accept": "text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.9,*/*;q=0.8",
    "Accept-Language": "*",
}

Stopped = Literal["", "size", "ratio", "time", "connection"]


class Target(Struct, frozen=True, kw_only=True):
    """An address that may be opened, and the machines that its host was found to be; none: by the proxy."""

    url: str
    machines: tuple[str, ...]


Admit = Callable[[str, bool], Awaitable[Target]]
"""Checks an address before it is opened; the flag says that a redirect named it. Raises `Denied`."""


class WebClient:
    """`fetch` may run many times at once; nothing of an answer is kept between two calls."""

    def __init__(self, admit: Admit, *, proxy: str = "", ca_bundle: str = "") -> None:
        """`proxy` is an address with http or https, which may hold a login."""
        self._admit = admit
        self._proxy = proxy
        self._ca_bundle = ca_bundle

    async def fetch(
        self, url: str, *, headers: Mapping[str, str], max_bytes: int, timeout_seconds: float
    ) -> Fetched:
        """Follow redirects to an answer. The time a person thinks about the address does not count.

        Raises `Denied`, and `ToolFailed` when there is no answer within the limits.
        """
        target = await self._admit(url, False)
        deadline = asyncio.get_running_loop().time() + timeout_seconds
        hops: list[str] = []
        while True:
            answer = await self._get(target, headers, max_bytes, deadline)
            location = answer.headers.get("location", "")
            if answer.status not in _REDIRECTS or not location:
                return structs.replace(answer, hops=tuple(hops))
            hops.append(target.url)
            if len(hops) > MAX_HOPS:
                raise ToolFailed(f"{url} redirects more than {MAX_HOPS} times")
            target = await self._admit(_redirect_target(target.url, location), True)
            if _origin(target.url) != _origin(hops[-1]):
                headers = {}

    async def _get(
        self, target: Target, headers: Mapping[str, str], max_bytes: int, deadline: float
    ) -> Fetched:
        """One request; one more, without compression, to a server that used one we did not ask for."""
        try:
            return await self._attempt(target, {**headers, "Accept-Encoding": ACCEPTED}, max_bytes, deadline)
        except UnknownEncoding:
            return await self._attempt(
                target, {**headers, "Accept-Encoding": "identity"}, max_bytes, deadline
            )

    async def _attempt(
        self, target: Target, headers: Mapping[str, str], max_bytes: int, deadline: float
    ) -> Fetched:
        import httpcore

        reading: _Reading | None = None
        stopped: Stopped = ""
        pool = _direct(target.machines, self._context) if target.machines else self._by_proxy()
        try:
            async with (
                asyncio.timeout_at(deadline),
                pool,
                pool.stream("GET", target.url, headers=list({**_HEADERS, **headers}.items())) as response,
            ):
                reading = _Reading(response, max_bytes)
                await reading.to_the_end()
        except TimeoutError as error:
            stopped = "time"
            if reading is None:
                raise ToolFailed(f"{_origin(target.url)} did not answer in time") from error
        except httpcore.ProxyError as error:
            raise ToolFailed(f"the proxy does not open {_origin(target.url)}: {str(error)[:3]}") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            stopped = "connection"
            if reading is None:
                raise ToolFailed(f"{_origin(target.url)} cannot be reached: {_why(error)}") from error
        assert reading is not None
        return reading.result(target.url, stopped)

    @cached_property
    def _context(self) -> ssl.SSLContext:
        try:
            return trusted(self._ca_bundle)
        except UsageError as error:
            raise ToolFailed(str(error)) from error

    def _by_proxy(self) -> httpcore.AsyncConnectionPool:
        """What httpcore would say of an address that it cannot use may hold the password."""
        import httpcore

        parts = urlsplit(self._proxy)
        try:
            usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port
        except ValueError:
            usable = False
        if not usable:
            raise ToolFailed("CHATCLI_WEB_PROXY cannot be used: it looks like http://proxy.example:3128")
        login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        where = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return httpcore.AsyncHTTPProxy(where, proxy_auth=login, ssl_context=self._context)


class _Reading:
    """A response as far as it was read."""

    def __init__(self, response: httpcore.Response, max_bytes: int) -> None:
        self._response = response
        pairs = (
            (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in response.headers
        )
        self._headers = dict(pairs)
        self._body = Body(self._headers.get("content-encoding", "").strip().lower(), max_bytes)

    async def to_the_end(self) -> None:
        async for data in self._response.aiter_stream():
            self._body.feed(data)
            if self._body.stopped:
                return

    def result(self, url: str, stopped: Stopped) -> Fetched:
        return Fetched(
            url=url,
            status=self._response.status,
            headers=self._headers,
            body=self._body.content(),
            stopped=self._body.stopped or stopped,
        )


def _direct(machines: Sequence[str], context: ssl.SSLContext) -> httpcore.AsyncConnectionPool:
    """Connects to the first of these machines that answers, whatever host the address names."""
    import httpcore

    class Pinned(httpcore.AsyncNetworkBackend):
        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
        ) -> httpcore.AsyncNetworkStream:
            failure: Exception = httpcore.ConnectError("no machine is known for it")
            for machine in machines:
                try:
                    return await httpcore.AnyIOBackend().connect_tcp(
                        machine, port, _CONNECT_SECONDS, local_address, socket_options
                    )
                except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                    failure = error
            raise httpcore.ConnectError(_why(failure)) from failure

    return httpcore.AsyncConnectionPool(ssl_context=context, network_backend=Pinned())


def _redirect_target(url: str, location: str) -> str:
    """Raises `ToolFailed` where encryption would be given up."""
    # What a server sends may hold letters of any language, which are bytes of UTF-8 in the header.
    text = location.encode("latin-1").decode("utf-8", "replace")
    target = urljoin(url, text).partition("#")[0].replace(" ", "%20")
    if url.startswith("https:") and not target.startswith("https:"):
        raise ToolFailed(f"{_origin(url)} redirects from https to something that is not encrypted")
    return target


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


def _why(error: Exception) -> str:
    """In words that are not the server's."""
    import httpcore

    if isinstance(error, httpcore.ProtocolError):
        return "its answer is no HTTP"
    return str(error) or type(error).__name__
