"""A text file that is about to be changed: its exact bytes, its text, and how the text is encoded."""

from __future__ import annotations

import hashlib
from pathlib import Path

from msgspec import Struct

from chatcli.errors import ToolFailed
from chatcli.tools.api import ToolContext
from chatcli.tools.text import Encoding, binary_kind, sniff

MAX_BYTES = 64 << 20
"""Larger files are not edited: the text is held in memory several times over."""


class Document(Struct, frozen=True, kw_only=True):
    """A file as it was found. `text` keeps every character, line ends and undecodable bytes included."""

    path: Path
    shown: str
    raw: bytes
    text: str
    encoding: Encoding
    was_read: bool
    """The model has seen this very content."""

    def encode(self, text: str) -> bytes:
        """Another text in this file's encoding. Raises `ToolFailed` for a character that it does not have."""
        errors = "surrogateescape" if self.encoding.codec == "utf-8" else "strict"
        try:
            return self.encoding.bom + text.encode(self.encoding.codec, errors)
        except UnicodeEncodeError as error:
            missing = error.object[error.start]
            raise ToolFailed(f"{self.shown} is {self.encoding.label}, which has no {missing!r}") from error


def read_document(ctx: ToolContext, path: Path) -> Document | None:
    """The file; None when there is none.

    Raises `ToolFailed` when it is no text, too large, or not what the model last read.
    """
    shown = ctx.files.shown(path)
    try:
        with ctx.files.open(path) as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolFailed(f"{shown} cannot be opened: {error.strerror or error}") from error
    if len(raw) > MAX_BYTES:
        raise ToolFailed(f"{shown} is larger than {MAX_BYTES >> 20} MB; change it with a command")
    last_read = ctx.files.last_read(path)
    if last_read not in (None, digest_of(raw)):
        raise ToolFailed(f"{shown} has changed since you last read it. Read it again, then repeat the edit.")
    encoding = sniff(raw)
    if encoding is None:
        raise ToolFailed(f"{shown} is binary ({binary_kind(raw)})")
    errors = "surrogateescape" if encoding.codec == "utf-8" else "strict"
    try:
        text = raw[len(encoding.bom) :].decode(encoding.codec, errors)
    except UnicodeDecodeError as error:
        raise ToolFailed(f"{shown} is damaged {encoding.label}: {error.reason}") from error
    return Document(
        path=path, shown=shown, raw=raw, text=text, encoding=encoding, was_read=last_read is not None
    )


def digest_of(data: bytes) -> str:
    """The form in which `Files.note_read` wants it."""
    return hashlib.sha256(data).hexdigest()
