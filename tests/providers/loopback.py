"""A server on loopback that plays exactly the bytes it is given, and keeps what it was sent.

It knows no wire format: tests of adapters say byte for byte what the service does, faults included.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from enum import Enum, auto
from typing import Any

from msgspec import Struct


class Act(Enum):
    """What happens in place of the next bytes."""

    STALL = auto()
    """Nothing more comes until the client goes away."""
    CUT = auto()
    """The connection is dropped in the middle of the answer."""


class Answer(Struct, frozen=True, kw_only=True):
    pieces: tuple[bytes | Act, ...]
    """Each piece is sent, and flushed, as a chunk of its own."""
    status: int = 200
    headers: Mapping[str, str] = {}


class Received(Struct, frozen=True, kw_only=True):
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Loopback:
    def __init__(self, answers: Sequence[Answer]) -> None:
        self.received: list[Received] = []
        self.stalled = asyncio.Event()
        self.client_left = asyncio.Event()
        self.url = ""
        self._answers = list(answers)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read_request(reader)) is not None:
                self.received.append(request)
                if not await self._send(self._answers.pop(0), reader, writer):
                    return
        except ConnectionError:
            self.client_left.set()
        except asyncio.CancelledError:
            pass  # the test is over and the client kept its connection
        finally:
            writer.close()

    async def _send(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        headers = {"transfer-encoding": "chunked", **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} X", *(f"{name}: {value}" for name, value in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        for piece in answer.pieces:
            match piece:
                case Act.CUT:
                    return False
                case Act.STALL:
                    self.stalled.set()
                    await reader.read(1)  # returns only when the client closes
                    self.client_left.set()
                    return False
                case bytes():
                    writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


@asynccontextmanager
async def loopback(*answers: Answer) -> AsyncIterator[Loopback]:
    """Answers one request after the other, over any number of connections."""
    played = Loopback(answers)
    server = await asyncio.start_server(played.serve, "127.0.0.1", 0)
    played.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield played


async def _read_request(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(path=head[0].split(" ")[1], headers=headers, body=body)


def sse(*events: dict[str, Any] | str | Act, named: bool = True) -> Answer:
    """An event stream: dicts become events, `named` after their type as Anthropic does; strings go raw."""
    pieces: list[bytes | Act] = []
    for event in events:
        match event:
            case dict():
                name = f"event: {event['type']}\n" if named and "type" in event else ""
                pieces.append(f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode())
            case str():
                pieces.append(event.encode())
            case _:
                pieces.append(event)
    return Answer(pieces=tuple(pieces), headers={"content-type": "text/event-stream; charset=utf-8"})


def lines(*objects: dict[str, Any] | Act) -> Answer:
    """JSON lines."""
    pieces = [
        item if isinstance(item, Act) else (json.dumps(item, ensure_ascii=False) + "\n").encode()
        for item in objects
    ]
    return Answer(pieces=tuple(pieces), headers={"content-type": "application/x-ndjson"})


def refusal(status: int, body: Any, **headers: str) -> Answer:
    """An HTTP error with a JSON body; `retry_after="3"` becomes the header `retry-after`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(
        pieces=(json.dumps(body).encode(),),
        status=status,
        headers={"content-type": "application/json", **named},
    )


def in_pieces(answer: Answer, size_bytes: int) -> Answer:
    """The same bytes cut anywhere: through events and through characters."""
    data = b"".join(piece for piece in answer.pieces if isinstance(piece, bytes))
    pieces = tuple(data[i : i + size_bytes] for i in range(0, len(data), size_bytes))
    return Answer(pieces=pieces, status=answer.status, headers=answer.headers)
