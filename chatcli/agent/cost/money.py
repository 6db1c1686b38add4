"""What requests have cost, as sums over their records."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from math import isclose

from msgspec import Struct, structs

from chatcli.messages import Usage
from chatcli.providers.prices import PriceSource, cost_usd, source_of
from chatcli.session.entries import UsageRecord

_SAMPLE_TOKENS = 1_000


class Money(Struct, frozen=True, kw_only=True):
    """A sum, some of which may be unknown."""

    known_usd: float = 0.0
    """What is known of it: at least this much."""
    sources: tuple[PriceSource, ...] = ()
    """Where its parts came from, each once, in alphabetical order; empty for a sum of nothing."""

    @property
    def usd(self) -> float | None:
        """None as soon as one part is unknown."""
        return None if "unknown" in self.sources else self.known_usd

    def __add__(self, other: Money) -> Money:
        sources = other.sources
        if self.sources not in ((), sources):
            sources = tuple(sorted({*self.sources, *sources}))
        return Money(known_usd=self.known_usd + other.known_usd, sources=sources)

    def part(self, share: float) -> Money:
        """A part of it, as a share from 0 to 1."""
        return Money(known_usd=self.known_usd * share, sources=self.sources)


class ClassMoney(Struct, frozen=True, kw_only=True):
    """The same sum, by class of tokens."""

    input: Money = Money()
    cache_read: Money = Money()
    cache_write: Money = Money()
    output: Money = Money()

    def __add__(self, other: ClassMoney) -> ClassMoney:
        return ClassMoney(
            input=self.input + other.input,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            output=self.output + other.output,
        )


class Rates(Struct, frozen=True, kw_only=True):
    """USD for one token of each class, in a request that is not large."""

    input: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float
    output: float


class Bill(Struct, frozen=True, kw_only=True):
    """One request, and its cost split as the price list does."""

    record: UsageRecord
    rates: Rates | None
    """Of its day; None where no list knows the model."""
    by_class: ClassMoney


class Spent(Struct, frozen=True, kw_only=True):
    """Tokens and money of some requests."""

    requests: int
    usage: Usage
    money: Money
    seconds: float

    @property
    def usd(self) -> float | None:
        return self.money.usd


def add_up(records: Iterable[UsageRecord]) -> Spent:
    usage, known_usd, seconds, requests = Usage(), 0.0, 0.0, 0
    sources: set[PriceSource] = set()
    for record in records:
        requests += 1
        usage = usage + record.usage
        seconds += record.seconds
        known_usd += record.cost_usd or 0.0
        sources.add(source_of(record.provider, record.cost_usd, record.usage))
    money = Money(known_usd=known_usd, sources=tuple(sorted(sources)))
    return Spent(requests=requests, usage=usage, money=money, seconds=seconds)


def money_of(record: UsageRecord) -> Money:
    source = source_of(record.provider, record.cost_usd, record.usage)
    return Money(known_usd=record.cost_usd or 0.0, sources=(source,))


def tells_of_a_cache(record: UsageRecord) -> bool:
    """Whether the service said anything of one: some keep none, some do and never say what they read."""
    return bool(record.usage.cache_read or record.usage.cache_write)


def listed_money(record: UsageRecord, usd: float | None) -> Money:
    """A figure that no service reported: it follows from a list, or is unknown."""
    if usd is None:
        return Money(sources=("unknown",))
    source: PriceSource = "estimated" if usd else source_of(record.provider, usd, Usage())
    return Money(known_usd=usd, sources=(source,))


def price_of(record: UsageRecord, usage: Usage) -> float | None:
    """What some of the tokens of a request cost by the price list of its day."""
    at = datetime.fromisoformat(record.sent_at) if record.sent_at else None
    return cost_usd(record.provider, record.model, structs.replace(usage, cost_usd=None), at)


def bills_of(records: Iterable[UsageRecord]) -> list[Bill]:
    """All of them, in order."""
    known: dict[tuple[str, str, str], Rates | None] = {}  # to look up a price takes a while
    bills = []
    for record in records:
        key = record.provider, record.model, record.sent_at[:10]
        if key not in known:
            known[key] = _rates_of(record)
        rates = known[key]
        bills.append(Bill(record=record, rates=rates, by_class=_by_class(record, rates)))
    return bills


def _rates_of(record: UsageRecord) -> Rates | None:
    usd = {
        name: price_of(record, Usage(**{name: _SAMPLE_TOKENS}))  # type: ignore[arg-type]
        for name in Rates.__struct_fields__
    }
    if None in usd.values():
        return None
    return Rates(**{name: value / _SAMPLE_TOKENS for name, value in usd.items() if value is not None})


def _by_class(record: UsageRecord, rates: Rates | None) -> ClassMoney:
    """The parts add up to what the request cost.

    Where the service charged something else than the list says, or a price depends on the size of
    the request, each class bears its share of the difference.
    """
    usage, paid_usd = record.usage, record.cost_usd
    unknown = listed_money(record, None)
    if paid_usd is None or rates is None:
        return ClassMoney(input=unknown, cache_read=unknown, cache_write=unknown, output=unknown)
    input_usd = usage.input * rates.input
    read_usd = usage.cache_read * rates.cache_read
    write_usd = usage.cache_write_5m * rates.cache_write_5m + usage.cache_write_1h * rates.cache_write_1h
    prompt_usd, scale = input_usd + read_usd + write_usd, 1.0
    if not isclose(prompt_usd + usage.output * rates.output, paid_usd):
        whole_usd = price_of(record, usage)
        listed_usd = price_of(record, structs.replace(usage, output=0))
        if paid_usd and not whole_usd:
            return ClassMoney(input=unknown, cache_read=unknown, cache_write=unknown, output=unknown)
        if whole_usd and listed_usd is not None:
            scale = paid_usd / whole_usd * listed_usd / (prompt_usd or 1.0)
    return ClassMoney(
        input=listed_money(record, input_usd * scale),
        cache_read=listed_money(record, read_usd * scale),
        cache_write=listed_money(record, write_usd * scale),
        output=listed_money(record, max(0.0, paid_usd - prompt_usd * scale)),
    )
