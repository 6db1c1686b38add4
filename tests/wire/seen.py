"""A request as the script sees it, whatever wire it came over, and the exact bytes behind it."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct


class Segment(Struct, frozen=True, kw_only=True):
    """One block of the prompt, in the order in which the service reads it."""

    where: str
    """As in the request: `tools.3`, `messages.7.content.0`."""
    data: bytes
    ttl: str = ""
    """`5m` or `1h` when a cache breakpoint stands behind this block."""


class Result(Struct, frozen=True, kw_only=True):
    """One tool result, as the model would read it."""

    call_id: str
    name: str
    text: str
    is_error: bool = False


class Asked(Struct, frozen=True, kw_only=True):
    """One tool call that the model made earlier, as it is sent back."""

    name: str
    arguments: dict[str, Any]


class Seen(Struct, frozen=True, kw_only=True):
    """One request, after it was found valid."""

    wire: str
    model: str
    body: dict[str, Any]
    headers: dict[str, str]
    tools: tuple[str, ...]
    user_texts: tuple[str, ...]
    assistant_texts: tuple[str, ...]
    """Of the assistant messages that have a text."""
    calls: tuple[Asked, ...]
    results: tuple[Result, ...]
    """All of them, oldest first."""
    new_results: tuple[Result, ...]
    """Those that answer the newest assistant message."""
    assistant_turns: int
    segments: tuple[Segment, ...]
    cache_key: str = ""
    """What else must be equal for a cache hit, beside the model: the key, or the thinking settings."""
    remarks: tuple[tuple[str, str], ...] = ()
    """(rule, detail) of what the service lets pass although it is wrong."""

    @property
    def prompt_tokens(self) -> int:
        return tokens(sum(len(segment.data) for segment in self.segments))

    @property
    def last_result(self) -> str:
        return self.results[-1].text


def tokens(size_bytes: int) -> int:
    """The tokenizer of the scripted services: four bytes each, so that sums can be done by hand."""
    return size_bytes // 4


def canonical(value: Any) -> bytes:
    """The bytes that count: key order and every character as sent, JSON's own white space left out."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
