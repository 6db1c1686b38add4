"""What services refuse about images: no base64, another format than was said, too large."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from tests.wire.refuse import require

_MAGIC = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}
ALL = tuple(_MAGIC)
ANTHROPIC_BASE64_BYTES = 5 * 1024 * 1024
_DATA_URL = re.compile(r"data:(image/[a-z]+);base64,(.+)", re.DOTALL)


def check_picture(
    media_type: Any, data: Any, at: str, *, types: tuple[str, ...] = ALL, most_base64_bytes: int = 20_000_000
) -> None:
    require(media_type in types, "image_type", f"{at}.media_type: Input should be one of {types}")
    require(isinstance(data, str), "image_data", f"{at}.data: Input should be a valid string")
    require(
        len(data) <= most_base64_bytes,
        "image_size",
        f"{at}: image exceeds the maximum: {len(data)} bytes > {most_base64_bytes} bytes",
    )
    try:
        found = base64.b64decode(data, validate=True)
    except binascii.Error as error:
        found = str(error).encode()
    require(_MAGIC[media_type].match(found), "image_data", f"{at}: Could not process image")


def check_data_url(url: Any, at: str, *, types: tuple[str, ...] = ALL) -> None:
    match = _DATA_URL.fullmatch(url) if isinstance(url, str) else None
    require(match, "image_data", f"{at}.image_url: expected a base64-encoded data URL")
    check_picture(match[1], match[2], at, types=types)


def check_any_picture(data: Any, at: str) -> None:
    """Ollama is not told what it is."""
    for media_type, magic in _MAGIC.items():
        if isinstance(data, str) and magic.match(base64.b64decode(data[:64])):
            check_picture(media_type, data, at)
            return
    require(False, "image_data", f"{at}: image: unknown format")
