"""Sends a reply with the faults that its script asks for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

from tests.wire import http1
from tests.wire.exchange import Change, Exchange
from tests.wire.script import Hold, Reply


class Cut(Exception):
    """The script drops the connection here."""


class Delivery:
    """One streamed reply on one connection."""

    def __init__(
        self,
        exchange: Exchange,
        change: Change,
        released: asyncio.Event,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._exchange = exchange
        self._change = change
        self._released = released
        self._reader = reader
        self._writer = writer

    async def send(self, reply: Reply, pieces: Iterator[bytes | Hold], content_type: str) -> bool:
        """False when the connection must end, because it was cut or because the client went away."""
        headers = {"content-type": content_type, "transfer-encoding": "chunked"}
        self._writer.write(http1.encode_head(200, headers))
        try:
            async for data in self._paced(reply, pieces):
                await self._write(data, reply.cut_bytes)
            self._writer.write(http1.LAST_CHUNK)
            await self._writer.drain()
        except Cut:
            self._change("cut")
            return False
        except ConnectionError:
            self._change("client_closed")
            return False
        self._change("sent")
        return True

    async def _paced(self, reply: Reply, pieces: Iterator[bytes | Hold]) -> AsyncIterator[bytes]:
        for piece in _regroup(pieces, reply.chunk_bytes):
            if isinstance(piece, Hold):
                await self._hold()
            else:
                await asyncio.sleep(reply.pace_seconds)
                yield piece

    async def _write(self, data: bytes, cut_bytes: int | None) -> None:
        left = len(data) if cut_bytes is None else cut_bytes - self._exchange.sent_bytes
        if data[:left]:
            self._writer.write(http1.encode_chunk(data[:left]))
            await self._writer.drain()
        self._exchange.sent_bytes += len(data[:left])
        if self._exchange.sent_bytes == cut_bytes:
            raise Cut

    async def _hold(self) -> None:
        """Wait until released. Raises ConnectionResetError when the client goes away meanwhile."""
        self._change("holding")
        gone = asyncio.ensure_future(self._reader.read(1))
        released = asyncio.ensure_future(self._released.wait())
        try:
            await asyncio.wait({gone, released}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                raise ConnectionResetError
            self._released.clear()
        finally:
            for waiting in (gone, released):
                waiting.cancel()
                with suppress(asyncio.CancelledError, ConnectionError):
                    await waiting


def _regroup(pieces: Iterator[bytes | Hold], chunk_bytes: int) -> Iterator[bytes | Hold]:
    """The same bytes in chunks of one size; without a size they stay as they are."""
    if not chunk_bytes:
        yield from pieces
        return
    kept = b""
    for piece in pieces:
        if isinstance(piece, Hold):
            if kept:
                yield kept
            kept = b""
            yield piece
            continue
        kept += piece
        while len(kept) >= chunk_bytes:
            yield kept[:chunk_bytes]
            kept = kept[chunk_bytes:]
    if kept:
        yield kept
