"""Watches the provider's cache: what was sent, what was read of it, and why something was lost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import structs

from chatcli.context.prefix import Ledger, PartsReader, Sent, explain
from chatcli.messages import Usage
from chatcli.providers.base import CacheClass, Provider, Request
from chatcli.providers.catalogue import facts
from chatcli.providers.prices import cost_usd
from chatcli.session.entries import CacheMiss

# A cache that was not used for this long is taken to be gone: the documented life of a 5-minute
# entry, the longest that automatic caches promise, and Ollama's default keep-alive.
_LIFE_SECONDS: dict[CacheClass, float] = {"explicit": 300.0, "automatic": 3_600.0, "none": 0.0}
_OLLAMA_LIFE_SECONDS = 300.0


def life_seconds(name: str, cache: CacheClass) -> float:
    """How long the provider keeps an unused prefix."""
    return _OLLAMA_LIFE_SECONDS if name == "OLLAMA" else _LIFE_SECONDS[cache]


class CacheWatch:
    """One per session: compares each request with the one before."""

    def __init__(self) -> None:
        self._reader = PartsReader()
        self._before: Sent | None = None
        self._now: Sent | None = None
        self._rewrites: Mapping[int, str] = {}

    def sending(
        self, request: Request, provider: Provider, rewrites: Mapping[int, str], at: datetime
    ) -> None:
        """`rewrites` are the decisions for this request: `seq` of the result to reason."""
        self._now = self._reader.read(request, provider.name, at)
        self._rewrites = rewrites

    def answered(self, provider: Provider, usage: Usage) -> CacheMiss | None:
        """What the request that was sent last failed to read. Estimated usage tells nothing."""
        before, now = self._before, self._now
        if now is None or usage.estimated:
            return None
        self._before = now
        ledger = Ledger(
            cache=provider.cache,
            life_seconds=life_seconds(provider.name, provider.cache),
            minimum_tokens=facts(provider.model).cache_minimum_tokens,
        )
        miss = explain(before, now, usage, ledger, self._rewrites)
        return miss and structs.replace(miss, lost_usd=_lost_usd(provider, miss.lost_tokens))


def _lost_usd(provider: Provider, tokens: int) -> float | None:
    """What it costs more to send these tokens anew than to read them."""
    anew = Usage(cache_write_5m=tokens) if provider.cache == "explicit" else Usage(input=tokens)
    paid = cost_usd(provider.name, provider.model, anew)
    read = cost_usd(provider.name, provider.model, Usage(cache_read=tokens))
    return None if paid is None or read is None else max(0.0, paid - read)
