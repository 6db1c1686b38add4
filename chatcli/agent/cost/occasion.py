"""The occasion of a request: what rewriting old results would cost now.

Prices come from the provider table as multiples of an uncached token; where one is unknown or
nothing is cached both are 1, and old results are rewritten by age alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec
from msgspec import structs

from chatcli.agent.cost.cachelife import life_seconds
from chatcli.context.scheduler import Occasion
from chatcli.messages import ToolSchema, Usage
from chatcli.providers.base import CacheClass, Provider
from chatcli.providers.prices import cost_usd
from chatcli.session.entries import Rewrite, UsageRecord
from chatcli.session.session import Session
from chatcli.settings import CacheTtl, Loaded, Schedule

_OWN_READ_PRICE = 0.1
"""A local model has no price; a cached prefix saves it about nine tenths of its time."""
_SAMPLE_TOKENS = 1_000
_SURELY_CACHED_TOKENS = 5_000
"""Above the smallest prefix that any automatic cache keeps."""
_FAIR_CHANCES = 3


class Service(Protocol):
    """What decides about prices: a provider, or what is known of one."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def cache(self) -> CacheClass: ...


def schedule_in_force(loaded: Loaded) -> Schedule:
    """The setting; literally by age where the user set an age but no schedule himself."""
    ages = {"microcompact_truncate_turns", "microcompact_summarize_turns"}
    if ages & loaded.origins.keys() and "microcompact_schedule" not in loaded.origins:
        return "eager"
    return loaded.settings.microcompact_schedule


def occasion_of(
    session: Session,
    provider: Provider,
    schedule: Schedule,
    tools_key: str,
    now: datetime,
    ttl: CacheTtl = "5m",
) -> Occasion:
    """For the next request of this session. `tools_key` stands for the tools that it will carry.

    Before the first answer nothing is old: no prices are needed, nor the time to load them.
    """
    before = session.last_answer
    switched = before is not None and (before.provider, before.model) != (provider.name, provider.model)
    switched = switched or session.tools_key not in ("", tools_key)
    compacted = before is not None and not session.context_tokens
    cached = bool(session.usage) and not _never_hits(session.usage, provider)
    read_price, write_price = cache_prices(provider, ttl) if cached else (1.0, 1.0)
    return Occasion(
        schedule=schedule,
        read_price=read_price,
        write_price=write_price,
        cold=switched
        or compacted
        or _idle_seconds(session, now) > life_seconds(provider.name, provider.cache, ttl),
        context_tokens=session.context_tokens,
        window_tokens=provider.window_tokens,
    )


def priced(rewrite: Rewrite | None, service: Service) -> Rewrite | None:
    """With its price in money, where that is known."""
    if rewrite is None:
        return None
    usd = cost_usd(service.name, service.model, Usage(input=rewrite.price_tokens))
    return structs.replace(rewrite, price_usd=usd)


def key_of(tools: Sequence[ToolSchema]) -> str:
    """The same for the same tools, in every process: they stand before everything else in the cache."""
    return hashlib.sha256(msgspec.json.encode(tools)).hexdigest()[:16]


def cache_prices(service: Service, ttl: CacheTtl = "5m") -> tuple[float, float]:
    """Prices of reading from and writing to the cache, as multiples of an uncached input token.

    Both are 1 where nothing is cached or a price is unknown.
    """
    if service.name in ("OLLAMA", "LOCAL"):
        return _OWN_READ_PRICE, 1.0
    if service.cache == "none":
        return 1.0, 1.0
    plain = cost_usd(service.name, service.model, Usage(input=_SAMPLE_TOKENS))
    read = cost_usd(service.name, service.model, Usage(cache_read=_SAMPLE_TOKENS))
    sample = Usage(cache_write_1h=_SAMPLE_TOKENS) if ttl == "1h" else Usage(cache_write_5m=_SAMPLE_TOKENS)
    written = cost_usd(service.name, service.model, sample)
    if not plain or not read:
        return 1.0, 1.0
    return read / plain, max(written or plain, plain) / plain


def _never_hits(usage: Sequence[UsageRecord], provider: Provider) -> bool:
    """Whether an automatic cache that should have been read by now never was: then there is none."""
    if provider.cache != "automatic" or provider.name == "OLLAMA":
        return False
    asked = [r.usage for r in usage if (r.provider, r.model) == (provider.name, provider.model)]
    large = [u for u in asked if u.context >= _SURELY_CACHED_TOKENS and not u.estimated]
    return len(large) > _FAIR_CHANCES and not any(u.cache_read or u.cache_write for u in large)


def _idle_seconds(session: Session, now: datetime) -> float:
    if not session.last_request_at:
        return 0.0
    return (now - datetime.fromisoformat(session.last_request_at)).total_seconds()
