"""Amazon's framing of streams: binary messages with headers and two checksums.

    total length | length of the headers | checksum of both | headers | payload | checksum of all

Lengths and checksums are 4 bytes, big-endian; a header is a name, a type and a value.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec import Struct

from chatcli.providers.complaints import cut
from chatcli.providers.service import Service

_PRELUDE = struct.Struct(">III")
_CHECKSUM_BYTES = 4
_STRING, _BYTES = 7, 6
_FIXED_BYTES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Sizes of the header values that are neither strings nor bytes."""


class Message(Struct, frozen=True):
    """One message; of its headers only those with a text."""

    headers: dict[str, str]
    payload: bytes


async def messages(pieces: AsyncGenerator[bytes, None], service: Service) -> AsyncGenerator[Message, None]:
    """The messages of a stream. Raises NetworkError when a checksum is wrong or the last one is not whole."""
    rest = b""
    async with aclosing(pieces):
        async for piece in pieces:
            rest += piece
            while len(rest) >= _PRELUDE.size:
                total_bytes, header_bytes, checksum = _PRELUDE.unpack_from(rest)
                if zlib.crc32(rest[: _PRELUDE.size - _CHECKSUM_BYTES]) != checksum:
                    raise cut(service)
                if len(rest) < total_bytes:
                    break
                frame, rest = rest[:total_bytes], rest[total_bytes:]
                if zlib.crc32(frame[:-_CHECKSUM_BYTES]) != int.from_bytes(frame[-_CHECKSUM_BYTES:], "big"):
                    raise cut(service)
                end = _PRELUDE.size + header_bytes
                yield Message(_headers(frame[_PRELUDE.size : end]), frame[end:-_CHECKSUM_BYTES])
    if rest:
        raise cut(service)


def _headers(data: bytes) -> dict[str, str]:
    found, at = {}, 0
    while at < len(data):
        name_end = at + 1 + data[at]
        name, kind, at = data[at + 1 : name_end].decode(), data[name_end], name_end + 1
        if kind not in (_STRING, _BYTES):
            at += _FIXED_BYTES[kind]
            continue
        size = int.from_bytes(data[at : at + 2], "big")
        value, at = data[at + 2 : at + 2 + size], at + 2 + size
        if kind == _STRING:
            found[name] = value.decode()
    return found
