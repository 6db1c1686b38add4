"""A proxy as companies have them: it opens encrypted connections, with certificates of a CA of its own."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import trustme


class CompanyProxy:
    """Sends whatever is asked for to one plain server on this machine."""

    def __init__(self, upstream_port: int, *, login: str = "") -> None:
        self.connects: list[str] = []
        """What was asked for: `host:port`."""
        self.ca = trustme.CA()
        self.port = 0
        self._upstream_port = upstream_port
        self._login = f"Basic {base64.b64encode(login.encode()).decode()}" if login else ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        _method, target, _version = head.split("\r\n", 1)[0].split(" ")
        self.connects.append(target)
        if self._login and f"Proxy-Authorization: {self._login}".lower() not in head.lower():
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await writer.drain()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.ca.issue_cert(target.rpartition(":")[0]).configure_cert(context)
        await writer.start_tls(context)
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._upstream_port)
        await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, ssl.SSLError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def company_proxy(upstream_port: int, *, login: str = "") -> AsyncIterator[CompanyProxy]:
    proxy = CompanyProxy(upstream_port, login=login)
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
