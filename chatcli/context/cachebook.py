"""What a prompt cache bills: the published rules, applied to one request after the other.

With explicit marks a prefix is stored where a mark stands, and a mark finds a stored prefix that ends
less than 20 blocks before it. An automatic cache finds the longest beginning that any earlier request
had, from 1,024 tokens on, in steps of 128. Both forget what was not used for a while. Tokens are
estimated; everything else is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from chatcli.context.prefix import LOOK_BACK_BLOCKS, STEP_TOKENS, Ledger, PartsReader
from chatcli.context.tokens import message_texts
from chatcli.messages import Message, Usage
from chatcli.providers.base import Request
from chatcli.session.sent import Part


class CacheBook(Protocol):
    """The cache of one service, for one session."""

    def charge(self, request: Request, at_seconds: float) -> Usage:
        """How the prompt of `request` is billed when it is sent at this time; output is not counted.

        Times, in seconds from any moment on, never go back.
        """
        ...


def open_book(ledger: Ledger) -> CacheBook:
    """An empty book for the cache that `ledger` describes."""
    match ledger.cache:
        case "explicit":
            return ExplicitBook(ledger)
        case "automatic":
            return AutomaticBook(ledger)
        case "none":
            return NoBook()


class NoBook:
    """Nothing is cached."""

    def __init__(self) -> None:
        self._reader = PartsReader()

    def charge(self, request: Request, at_seconds: float) -> Usage:
        return Usage(input=_tokens(self._reader.row(request)[0]))


class ExplicitBook:
    """Prefixes are stored at marks. What stands behind the last mark is plain input."""

    def __init__(self, ledger: Ledger) -> None:
        self._life_seconds = ledger.life_seconds
        self._minimum_tokens = ledger.minimum_tokens
        self._reader = PartsReader()
        self._until: dict[int, float] = {}
        """How long each stored prefix is kept, by the hash of its parts."""

    def charge(self, request: Request, at_seconds: float) -> Usage:
        parts, marked = self._reader.row(request)
        ends = _ends(parts)
        prefixes = _prefixes(request.model, parts)
        marks = sorted(mark for mark in marked if ends[mark].tokens >= self._minimum_tokens)
        hit = max((self._found_from(mark, prefixes, ends, at_seconds) for mark in marks), default=-1)
        used = [prefix for prefix in prefixes[: hit + 1] if self._is_stored(prefix, at_seconds)]
        for prefix in (*used, *(prefixes[mark] for mark in marks)):
            self._until[prefix] = at_seconds + self._life_seconds
        read = ends[hit].tokens if hit >= 0 else 0
        written = max(0, ends[marks[-1]].tokens - read) if marks else 0
        return Usage(input=ends[-1].tokens - read - written, cache_read=read, cache_write_5m=written)

    def _found_from(self, mark: int, prefixes: Sequence[int], ends: Sequence[_End], at_seconds: float) -> int:
        """The last stored prefix within reach of `mark`; -1: none."""
        for position in range(mark, -1, -1):
            if ends[mark].blocks - ends[position].blocks >= LOOK_BACK_BLOCKS:
                break
            if self._is_stored(prefixes[position], at_seconds):
                return position
        return -1

    def _is_stored(self, prefix: int, at_seconds: float) -> bool:
        return self._until.get(prefix, at_seconds) > at_seconds


class AutomaticBook:
    """The longest beginning that an earlier request had is read, the rest is plain input."""

    def __init__(self, ledger: Ledger) -> None:
        self._life_seconds = ledger.life_seconds
        self._minimum_tokens = ledger.minimum_tokens
        self._reader = PartsReader()
        self._root = _Known()

    def charge(self, request: Request, at_seconds: float) -> Usage:
        parts, _marks = self._reader.row(request)
        messages = [None] * (len(parts) - len(request.messages)) + list(request.messages)
        known, common_tokens, is_common = self._root, 0, True
        for part, message in zip(parts, messages, strict=True):
            follower = known.followers.get(part.digest)
            if is_common and (follower is None or follower.until_seconds <= at_seconds):
                is_common = False
                common_tokens += known.common_tokens(message, part.tokens, at_seconds)
            common_tokens += part.tokens * is_common
            known = follower or known.followers.setdefault(part.digest, _Known(message=message))
            known.until_seconds = at_seconds + self._life_seconds
        read = common_tokens // STEP_TOKENS * STEP_TOKENS if common_tokens >= self._minimum_tokens else 0
        return Usage(input=_tokens(parts) - read, cache_read=read)


class _Known(Struct, kw_only=True):
    """A part behind certain others, as some request had it, and what followed there."""

    message: Message | None = None
    until_seconds: float = 0.0
    followers: dict[str, _Known] = {}

    def common_tokens(self, message: Message | None, tokens: int, at_seconds: float) -> int:
        """How much of a part that is new here begins like one that is known here."""
        alive = [other.message for other in self.followers.values() if other.until_seconds > at_seconds]
        text = _text(message)
        common_chars = max((_common_chars(text, _text(other)) for other in alive), default=0)
        return tokens * common_chars // max(1, len(text))


class _End(Struct, frozen=True):
    """What stands from the beginning up to the end of a part."""

    tokens: int
    blocks: int


def _ends(parts: Sequence[Part]) -> list[_End]:
    ends: list[_End] = []
    tokens, blocks = 0, 0
    for part in parts:
        tokens, blocks = tokens + part.tokens, blocks + part.blocks
        ends.append(_End(tokens, blocks))
    return ends


def _prefixes(model: str, parts: Sequence[Part]) -> list[int]:
    prefix, prefixes = hash(model), []
    for part in parts:
        prefix = hash((prefix, part.digest))
        prefixes.append(prefix)
    return prefixes


def _tokens(parts: Sequence[Part]) -> int:
    return sum(part.tokens for part in parts)


def _common_chars(one: str, other: str) -> int:
    """Length of the longest beginning of both, by halving."""
    same, differs = 0, min(len(one), len(other)) + 1
    while differs - same > 1:
        middle = (same + differs) // 2
        same, differs = (middle, differs) if one[:middle] == other[:middle] else (same, middle)
    return same


def _text(message: Message | None) -> str:
    return "" if message is None else "\n".join(message_texts(message))
