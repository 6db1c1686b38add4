"""What is remembered of a request once it was answered: its parts in order, by digest, never by text.

Two requests in a row have most of their parts in common, so the journal keeps what is new alone.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

PartKind = Literal["tool", "block", "message"]


class Part(Struct, frozen=True, array_like=True):
    """A tool, a block of the system prompt, or a message."""

    kind: PartKind
    name: str
    """Name of the tool or block; `seq` of the message."""
    digest: str
    tokens: int
    """Estimated, not calibrated."""
    blocks: int = 1
    """Blocks on the wire."""


class Sent(Struct, frozen=True, kw_only=True):
    """One request as a whole."""

    provider: str
    model: str
    parts: tuple[Part, ...]
    marks: frozenset[int]
    """Indexes into `parts`: behind these a service with explicit marks stored a prefix."""
    at: datetime
    tokens: int = 0
    """Its size as the service counted it; 0 before the answer."""

    @property
    def estimated_tokens(self) -> int:
        return sum(part.tokens for part in self.parts)


class Row(Struct, frozen=True, kw_only=True):
    """The parts of a request, told as what is new since the one before."""

    same: int
    """How many parts from the first on are those of the request before."""
    added: tuple[Part, ...]
    marks: tuple[int, ...]


def row_of(sent: Sent, before: Sent | None) -> Row:
    """`sent` as it is journalled behind `before`."""
    same = common_parts(before, sent) if before else 0
    return Row(same=same, added=sent.parts[same:], marks=tuple(sorted(sent.marks)))


def common_parts(one: Sent, other: Sent) -> int:
    """How many parts two requests have in common from the first on."""
    pairs = enumerate(zip(one.parts, other.parts, strict=False))
    shorter = min(len(one.parts), len(other.parts))
    return next((n for n, (old, new) in pairs if old.digest != new.digest), shorter)
