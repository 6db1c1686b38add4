"""The occasion of a request: what rewriting old results would cost now.

Prices come from the provider table as multiples of an uncached token; where one is unknown or
nothing is cached both are 1, and old results are rewritten by age alone.
"""

from __future__ import annotations

from datetime import UTC, datetime

from chatcli.agent.cachewatch import life_seconds
from chatcli.context.scheduler import Occasion
from chatcli.messages import Usage
from chatcli.providers.base import Provider
from chatcli.providers.prices import cost_usd
from chatcli.session.session import Session
from chatcli.settings import Loaded, Schedule

_OLLAMA_READ_PRICE = 0.1
"""A local model has no price; a cached prefix saves it about nine tenths of its time."""
_SAMPLE_TOKENS = 1_000


def schedule_in_force(loaded: Loaded) -> Schedule:
    """The setting; literally by age where the user set an age but no schedule himself."""
    ages = {"microcompact_truncate_turns", "microcompact_summarize_turns"}
    if ages & loaded.origins.keys() and "microcompact_schedule" not in loaded.origins:
        return "eager"
    return loaded.settings.microcompact_schedule


def occasion_of(session: Session, provider: Provider, schedule: Schedule, now: datetime) -> Occasion:
    """For the next request of this session."""
    read_price, write_price = cache_prices(provider)
    last = session.usage[-1] if session.usage else None
    switched = last is not None and (last.provider, last.model) != (provider.name, provider.model)
    return Occasion(
        schedule=schedule,
        read_price=read_price,
        write_price=write_price,
        cold=switched or _idle_seconds(session, now) > life_seconds(provider),
        context_tokens=last.usage.context if last else 0,
        window_tokens=provider.window_tokens,
    )


def cache_prices(provider: Provider) -> tuple[float, float]:
    """Prices of reading from and writing to the cache, as multiples of an uncached input token."""
    if provider.name == "OLLAMA":
        return _OLLAMA_READ_PRICE, 1.0
    if provider.cache == "none":
        return 1.0, 1.0
    plain = cost_usd(provider.name, provider.model, Usage(input=_SAMPLE_TOKENS))
    read = cost_usd(provider.name, provider.model, Usage(cache_read=_SAMPLE_TOKENS))
    written = cost_usd(provider.name, provider.model, Usage(cache_write_5m=_SAMPLE_TOKENS))
    if not plain or not read:
        return 1.0, 1.0
    return read / plain, max(written or plain, plain) / plain if provider.cache == "explicit" else 1.0


def _idle_seconds(session: Session, now: datetime) -> float:
    if not session.last_request_at:
        return 0.0
    return (now - datetime.fromisoformat(session.last_request_at)).total_seconds()


def utc_now() -> datetime:
    return datetime.now(UTC)
