"""Pictures that models can be shown, known by their first bytes: what they are called does not count."""

from __future__ import annotations

import struct

from msgspec import Struct

MAGIC_BYTES = 16
"""How much of a file tells whether it is one."""
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without a length."""


class ImageFacts(Struct, frozen=True):
    """`format` is `png`, `jpeg`, `gif` or `webp`; sizes are pixels."""

    format: str
    width: int
    height: int


def image_format(head: bytes) -> str:
    """The format that a file with this beginning has, or the empty string."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if head.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    return "webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else ""


def image_facts(data: bytes) -> ImageFacts | None:
    """What the header says; None for what is no picture, or has a broken header."""
    kind = image_format(data)
    try:
        match kind:
            case "png":
                width, height = struct.unpack_from(">II", data, 16)
            case "gif":
                width, height = struct.unpack_from("<HH", data, 6)
            case "webp":
                width, height = _webp_size(data)
            case _:
                width, height = _jpeg_size(data)
    except (struct.error, IndexError):
        return None
    return ImageFacts(kind, width, height) if width and height else None


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """From the header of the first frame, which stands behind segments of any number and kind."""
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if marker == 0xFF:  # fill
            at += 1
        elif marker in _JPEG_ALONE:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return (
                1 + int.from_bytes(data[24:27], "little"),
                1 + int.from_bytes(data[27:30], "little"),
            )
        case b"VP8L":
            bits = struct.unpack_from("<I", data, 21)[0]
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
    return 0, 0
