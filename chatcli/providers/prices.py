"""What a request cost, in USD: what the service itself charged, else the user's own prices, else the
price table of genai-prices.

The table is compiled into that package: no network is used. It takes part of a second to import, so
`load` does that in a thread as soon as a first answer is on its way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Annotated, Literal

from msgspec import Meta, Struct

from chatcli.errors import UsageError
from chatcli.messages import Usage
from chatcli.providers import warm
from chatcli.providers.specs import find_spec

PriceSource = Literal["reported", "estimated", "free", "unknown"]
"""The service said it, it follows from a list of prices, it runs here, nobody knows."""

_TABLE = "genai_prices"
_MILLION = 1_000_000

_Usd = Annotated[float, Meta(ge=0)]


class OwnPrice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table `[prices."MODEL"]` or `[prices."PROVIDER/MODEL"]`: USD for a million tokens.

    A cache class without a price of its own costs what `input` costs, writes for an hour what other
    writes cost.
    """

    input: _Usd
    output: _Usd
    cache_read: _Usd | None = None
    cache_write: _Usd | None = None
    cache_write_1h: _Usd | None = None

    def cost_usd(self, usage: Usage) -> float:
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        write_1h = write if self.cache_write_1h is None else self.cache_write_1h
        return (
            usage.input * self.input
            + usage.cache_read * read
            + usage.cache_write_5m * write
            + usage.cache_write_1h * write_1h
            + usage.output * self.output
        ) / _MILLION


_own: dict[str, OwnPrice] = {}


def use_own_prices(prices: Mapping[str, OwnPrice]) -> None:
    """The prices of the user's settings, from now on and in this process."""
    _own.clear()
    _own.update(prices)


def preload(provider: str) -> None:
    """Start to load the table in a thread, if prices of this provider are in it. Again does nothing."""
    if _price_id(provider):
        warm.begin(_TABLE)


async def load(provider: str) -> None:
    """Have the table at hand, while the event loop goes on, if prices of this provider are in it."""
    if _price_id(provider):
        await warm.module(_TABLE)
        await asyncio.to_thread(_look_up_once)


def cost_usd(provider: str, model: str, usage: Usage, at: datetime | None = None) -> float | None:
    """The cost, or None when the price is not known: never 0 for unknown.

    `provider` is a name of the table of providers; one that is no longer there has no price. Prices
    that changed are those of the time `at`; None: now.
    """
    if usage.cost_usd is not None:
        return usage.cost_usd
    if own := _own.get(f"{provider}/{model}") or _own.get(model):
        return own.cost_usd(usage)
    if _is_free(provider):
        return 0.0
    price_id = _price_id(provider)
    return _listed_usd(price_id, model, usage, at) if price_id else None


def source_of(provider: str, cost_usd: float | None, usage: Usage) -> PriceSource:
    """Where the figure `cost_usd` of a request came from."""
    if usage.cost_usd is not None:
        return "reported"
    if cost_usd is None:
        return "unknown"
    return "estimated" if cost_usd or not _is_free(provider) else "free"


def _is_free(provider: str) -> bool:
    try:
        return find_spec(provider).free
    except UsageError:
        return False


def _price_id(provider: str) -> str:
    """The provider's name in the table; empty when it is in none."""
    try:
        return find_spec(provider).price_id
    except UsageError:
        return ""


@cache
def _look_up_once() -> None:
    """The first look-up builds the index of the table."""
    cost_usd("CLAUDEAI", "", Usage())


def _listed_usd(price_id: str, model: str, usage: Usage, at: datetime | None) -> float | None:
    import genai_prices

    # The table counts the cache classes inside `input_tokens`, and 1 h writes inside all writes.
    counted = genai_prices.Usage(
        input_tokens=usage.context,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
        cache_write_1h_tokens=usage.cache_write_1h,
        output_tokens=usage.output,
    )
    try:
        found = genai_prices.calc_price(counted, model, provider_id=price_id, genai_request_timestamp=at)
    except LookupError:
        return None
    return float(found.total_price)
