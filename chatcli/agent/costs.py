"""What requests have cost, as sums over their records."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct, structs

from chatcli.messages import Usage
from chatcli.providers.prices import PriceSource, cost_usd, source_of
from chatcli.session.entries import UsageRecord


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
        sources = tuple(sorted({*self.sources, *other.sources}))
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


def listed_money(record: UsageRecord, usd: float | None) -> Money:
    """A figure that no service reported: it follows from a list, or is unknown."""
    if usd is None:
        return Money(sources=("unknown",))
    source: PriceSource = "estimated" if usd else source_of(record.provider, usd, Usage())
    return Money(known_usd=usd, sources=(source,))


def priced(record: UsageRecord, usage: Usage) -> float | None:
    """What some of the tokens of a request cost by the price list of its day."""
    at = datetime.fromisoformat(record.sent_at) if record.sent_at else None
    return cost_usd(record.provider, record.model, structs.replace(usage, cost_usd=None), at)


def by_class(record: UsageRecord) -> ClassMoney:
    """The cost of a request, split as the list prices its classes.

    The parts add up to what it cost. Where the service charged something else than the list says,
    or a price depends on the size of the request, each class bears its share of the difference.
    """
    usage = record.usage
    whole_usd, prompt_usd = priced(record, usage), priced(record, structs.replace(usage, output=0))
    if record.cost_usd is None or prompt_usd is None or (not whole_usd and record.cost_usd):
        unknown = listed_money(record, None)
        return ClassMoney(input=unknown, cache_read=unknown, cache_write=unknown, output=unknown)
    classes = (
        Usage(input=usage.input),
        Usage(cache_read=usage.cache_read),
        Usage(cache_write_5m=usage.cache_write_5m, cache_write_1h=usage.cache_write_1h),
    )
    listed = [priced(record, tokens) or 0.0 for tokens in classes]
    charged = record.cost_usd / whole_usd if whole_usd else 0.0
    scale = charged * prompt_usd / sum(listed) if any(listed) else 0.0
    prompt = [usd * scale for usd in listed]
    amounts = [*prompt, record.cost_usd - sum(prompt)]
    plain, read, written, output = (listed_money(record, usd) for usd in amounts)
    return ClassMoney(input=plain, cache_read=read, cache_write=written, output=output)
