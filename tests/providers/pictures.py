"""Small pictures as bytes: of each format, of any size in pixels and bytes."""

from __future__ import annotations

import struct
import zlib


def png(width: int = 1200, height: int = 800, *, size_bytes: int = 0) -> bytes:
    """A PNG that says these sizes, filled up to `size_bytes`."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    made = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IEND", b"")
    return made + bytes(max(0, size_bytes - len(made)))


def gif(width: int = 3, height: int = 2) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00\x00\x00\x3b"


def jpeg(width: int = 640, height: int = 480) -> bytes:
    """Behind an Exif segment that holds a smaller picture, as cameras write it."""
    preview = b"Exif\x00\x00\xff\xd8" + _frame(16, 12)
    exif = b"\xff\xe1" + struct.pack(">H", len(preview) + 2) + preview
    return b"\xff\xd8" + exif + _frame(width, height) + b"\xff\xd9"


def webp(kind: bytes, width: int = 300, height: int = 200) -> bytes:
    match kind:
        case b"VP8X":
            body = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        case b"VP8L":
            body = b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14)
        case _:
            body = bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", width, height)
    chunk = kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def _frame(width: int, height: int) -> bytes:
    return b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
