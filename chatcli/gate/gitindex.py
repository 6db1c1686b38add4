"""What the index of a git repository names: files, and nested repositories.

`git status` and `git diff` start git inside each of them, under the settings of the nested repository. The
format is git's `index-format` document; only modes and paths are read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

_HEADER_BYTES = 12
_FIXED_BYTES = 62  # of an entry with a SHA-1 name, up to the path
_MODE_AT = 24
_FLAGS_AT = 60
_EXTENDED = 0x4000
_GITLINK_MODE = 0o160000


def gitlinks(index: Path) -> list[str] | None:
    """Paths of nested repositories, below the top of the work tree; None when the file is not understood."""
    try:
        data = index.read_bytes()
    except FileNotFoundError:
        return []
    except OSError:
        return None
    # Most repositories have none: then the entries need not be walked.
    if struct.pack(">I", _GITLINK_MODE) not in data:
        return []
    try:
        return [path.decode() for mode, path in _walk(data) if mode == _GITLINK_MODE]
    except (struct.error, ValueError, UnicodeDecodeError):
        return None


def tracked(index: Path) -> list[str]:
    """Paths of all files that it names; none when it is not understood."""
    try:
        return [os.fsdecode(path) for _mode, path in _walk(index.read_bytes())]
    except (OSError, struct.error, ValueError):
        return []


def _walk(data: bytes) -> Iterator[tuple[int, bytes]]:
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in {2, 3, 4}:
        raise ValueError("unknown index")
    position, path = _HEADER_BYTES, b""
    for _ in range(count):
        (mode,) = struct.unpack_from(">I", data, position + _MODE_AT)
        (flags,) = struct.unpack_from(">H", data, position + _FLAGS_AT)
        start = position + _FIXED_BYTES + (2 if flags & _EXTENDED else 0)
        if version == 4:
            # The path shares its beginning with the one before it.
            dropped, start = _varint(data, start)
            end = data.index(b"\0", start)
            path = path[: len(path) - dropped] + data[start:end]
            position = end + 1
        else:
            end = data.index(b"\0", start)
            path = data[start:end]
            position += (end - position + 8) & ~7
        yield mode, path


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Git's offset encoding: seven bits a byte, one added for every further byte."""
    byte = data[position]
    value = byte & 0x7F
    while byte & 0x80:
        position += 1
        byte = data[position]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, position + 1
