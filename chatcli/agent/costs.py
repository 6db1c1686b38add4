"""What a session has cost, as sums over its records."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from chatcli.messages import Usage
from chatcli.session.entries import UsageRecord


class Spent(Struct, frozen=True, kw_only=True):
    """Tokens and money of some requests. `usd` is None as soon as one price is unknown."""

    requests: int
    usage: Usage
    usd: float | None
    seconds: float


class ModelCost(Struct, frozen=True, kw_only=True):
    provider: str
    model: str
    spent: Spent


class CostSummary(Struct, frozen=True, kw_only=True):
    """What `/cost` shows."""

    total: Spent
    by_model: tuple[ModelCost, ...]


def summarize(records: Iterable[UsageRecord]) -> CostSummary:
    """Sums in all and by model, in the order in which the models first answered."""
    everything = list(records)
    models: dict[tuple[str, str], list[UsageRecord]] = {}
    for record in everything:
        models.setdefault((record.provider, record.model), []).append(record)
    return CostSummary(
        total=add_up(everything),
        by_model=tuple(
            ModelCost(provider=provider, model=model, spent=add_up(group))
            for (provider, model), group in models.items()
        ),
    )


def add_up(records: Iterable[UsageRecord]) -> Spent:
    usage, usd, seconds, requests = Usage(), 0.0, 0.0, 0
    known = True
    for record in records:
        requests += 1
        usage = usage + record.usage
        seconds += record.seconds
        known = known and record.cost_usd is not None
        usd += record.cost_usd or 0.0
    return Spent(requests=requests, usage=usage, usd=usd if known else None, seconds=seconds)
