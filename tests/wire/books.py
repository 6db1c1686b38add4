"""The cache books of the two families of services, kept from the exact bytes of the requests.

`ExplicitBooks` (Anthropic): an entry is made only at a breakpoint; a breakpoint finds entries at
itself and at the 19 blocks before it; a prefix below the minimum is not kept; an entry lives for its
ttl, counted from its last use. `AutomaticBooks` (OpenAI): the longest common prefix with any earlier
prompt of the same model and cache key, from 1,024 tokens on, in steps of 128.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from msgspec import Struct

from tests.wire.script import Tally
from tests.wire.seen import Segment, tokens

LOOK_BACK_BLOCKS = 20
TTL_SECONDS = {"5m": 300.0, "1h": 3600.0}
AUTOMATIC_TTL_SECONDS = 1800.0

Clock = Callable[[], float]


class _Entry(Struct):
    expires_at: float
    ttl_seconds: float


class ExplicitBooks:
    """Cache with breakpoints: reads, writes by ttl and the rest, for each request in turn."""

    def __init__(self, clock: Clock, minimum_tokens: int = 1024) -> None:
        self._clock = clock
        self._minimum_tokens = minimum_tokens
        self._entries: dict[bytes, _Entry] = {}

    def book(self, model: str, segments: Sequence[Segment]) -> Tally:
        """Charge one request, and remember what it leaves in the cache."""
        now = self._clock()
        prefixes, ends = _prefixes(model, segments), _ends(segments)
        marks = [i for i, s in enumerate(segments) if s.ttl and ends[i] >= self._minimum_tokens]
        hit = self._longest_hit(prefixes, marks, now)
        self._refresh(prefixes[: hit + 1], now)
        for i in marks:
            if i > hit:
                ttl_seconds = TTL_SECONDS[segments[i].ttl]
                self._entries[prefixes[i]] = _Entry(now + ttl_seconds, ttl_seconds)

        read = ends[hit] if hit >= 0 else 0
        hour_end = max((ends[i] for i in marks if i > hit and segments[i].ttl == "1h"), default=read)
        written_end = max((ends[i] for i in marks if i > hit), default=read)
        total = ends[-1] if ends else 0
        return Tally(
            plain=total - written_end,
            read=read,
            write_1h=hour_end - read,
            write_5m=written_end - hour_end,
        )

    def _longest_hit(self, prefixes: Sequence[bytes], marks: Sequence[int], now: float) -> int:
        """Index of the last block that some breakpoint finds in the cache; -1: none."""
        for mark in reversed(marks):
            for i in range(mark, max(-1, mark - LOOK_BACK_BLOCKS), -1):
                entry = self._entries.get(prefixes[i])
                if entry is not None and entry.expires_at > now:
                    return i
        return -1

    def _refresh(self, prefixes: Sequence[bytes], now: float) -> None:
        for prefix in prefixes:
            entry = self._entries.get(prefix)
            if entry is not None and entry.expires_at > now:
                entry.expires_at = now + entry.ttl_seconds


class AutomaticBooks:
    """Cache of the longest common prefix. `bills_writes`: newer models charge what is new in it."""

    def __init__(
        self,
        clock: Clock,
        *,
        minimum_tokens: int = 1024,
        step_tokens: int = 128,
        ttl_seconds: float = AUTOMATIC_TTL_SECONDS,
        bills_writes: bool = False,
    ) -> None:
        self._clock = clock
        self._minimum_tokens = minimum_tokens
        self._step_tokens = step_tokens
        self._ttl_seconds = ttl_seconds
        self._bills_writes = bills_writes
        self._prompts: dict[tuple[str, str], list[tuple[tuple[bytes, ...], float]]] = {}

    def book(self, model: str, segments: Sequence[Segment], cache_key: str = "") -> Tally:
        now = self._clock()
        prompt = tuple(segment.data for segment in segments)
        known = [kept for kept in self._prompts.get((model, cache_key), []) if kept[1] > now]
        common_bytes = max((_common_bytes(prompt, old) for old, _ in known), default=0)
        others = [kept for kept in known if prompt[: len(kept[0])] != kept[0]]
        self._prompts[(model, cache_key)] = [*others, (prompt, now + self._ttl_seconds)]

        total = tokens(sum(map(len, prompt)))
        read = self._cacheable(tokens(common_bytes))
        written = self._cacheable(total) - read if self._bills_writes else 0
        return Tally(plain=total - read - written, read=read, write_5m=written)

    def _cacheable(self, count_tokens: int) -> int:
        return (
            count_tokens // self._step_tokens * self._step_tokens
            if count_tokens >= self._minimum_tokens
            else 0
        )


def _common_bytes(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """Length of the common prefix of two prompts."""
    size_bytes = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            return size_bytes + _common_length(a, b)
        size_bytes += len(a)
    return size_bytes


def _common_length(a: bytes, b: bytes) -> int:
    same, differs = 0, min(len(a), len(b)) + 1
    while differs - same > 1:
        middle = (same + differs) // 2
        same, differs = (middle, differs) if a[:middle] == b[:middle] else (same, middle)
    return same


def _prefixes(model: str, segments: Sequence[Segment]) -> list[bytes]:
    """For each block a digest of everything up to and with it."""
    running = hashlib.sha256(model.encode())
    digests = []
    for segment in segments:
        running.update(len(segment.data).to_bytes(8, "big") + segment.data)
        digests.append(running.digest())
    return digests


def _ends(segments: Sequence[Segment]) -> list[int]:
    """For each block the tokens up to and with it."""
    ends, size_bytes = [], 0
    for segment in segments:
        size_bytes += len(segment.data)
        ends.append(tokens(size_bytes))
    return ends
