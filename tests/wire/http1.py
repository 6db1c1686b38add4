"""HTTP/1.1 on asyncio streams, as much as a provider's endpoint needs."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from msgspec import Struct

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class HttpRequest(Struct, frozen=True, kw_only=True):
    """Header names are lower case; `path` is without the query."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class HttpAnswer(Struct, frozen=True, kw_only=True):
    """A whole answer: everything but a reply that is streamed."""

    status: int
    body: bytes
    headers: dict[str, str] = {}

    @classmethod
    def of_json(cls, status: int, content: Any, headers: dict[str, str] | None = None) -> HttpAnswer:
        return cls(status=status, body=json.dumps(content).encode(), headers=headers or {})


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request of a connection; None when the client has closed it."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _version = first.split(" ", 2)
        pairs = (line.split(":", 1) for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        body = await _read_body(reader, headers)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return HttpRequest(method=method, path=target.partition("?")[0], headers=headers, body=body)


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    pieces: list[bytes] = []
    while size := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readline()
    return b"".join(pieces)


def encode_answer(answer: HttpAnswer) -> bytes:
    headers = {"content-type": "application/json", "content-length": str(len(answer.body)), **answer.headers}
    return encode_head(answer.status, headers) + answer.body


def encode_head(status: int, headers: dict[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}",
        *(f"{k}: {v}" for k, v in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def encode_chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"
