"""What a session costs: every billed request is recorded once, in the journal and in these sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from chatcli.agent.cachewatch import CacheWatch
from chatcli.events import Listener, Purpose, UsageRecorded
from chatcli.messages import Usage
from chatcli.providers.base import Provider, Request
from chatcli.providers.prices import cost_usd
from chatcli.session.entries import Decision, UsageRecord
from chatcli.session.session import Session


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


class Meter:
    """Prices and records requests; sums up the current run."""

    def __init__(self, session: Session, listen: Listener) -> None:
        self._session = session
        self._listen = listen
        self._run: list[UsageRecord] = []
        self._watch = CacheWatch()

    def start_run(self) -> None:
        self._run.clear()

    def sending(self, request: Request, provider: Provider, decisions: Sequence[Decision]) -> None:
        """Say what is about to be sent, so that a lost cache prefix can be explained."""
        rewrites = {decision.seq: decision.reason for decision in decisions}
        if self._session.deleted:
            rewrites |= {s: "deleted" for s, shown in self._session.shown.items() if shown.kind == "deleted"}
        self._watch.sending(request, provider, rewrites, datetime.now(UTC))

    def record(
        self, provider: Provider, usage: Usage, *, turn: int, seconds: float, purpose: Purpose = "answer"
    ) -> None:
        record = UsageRecord(
            provider=provider.name,
            model=provider.model,
            purpose=purpose,
            usage=usage,
            cost_usd=cost_usd(provider.name, provider.model, usage),
            turn=turn,
            seconds=round(seconds, 3),
            miss=self._watch.answered(provider, usage) if purpose == "answer" else None,
        )
        self._session.record_usage(record)
        self._run.append(record)
        self._listen(
            UsageRecorded(
                provider=record.provider,
                model=record.model,
                purpose=purpose,
                usage=usage,
                cost_usd=record.cost_usd,
                window_tokens=provider.window_tokens,
            )
        )

    @property
    def run_spent(self) -> Spent:
        return add_up(self._run)

    @property
    def session_usd(self) -> float:
        """Money known to be spent: what a limit is held against."""
        return sum(record.cost_usd or 0.0 for record in self._session.usage)

    @property
    def last_usd(self) -> float:
        """What the last request cost, as far as it is known: the next one will cost about as much."""
        return (self._session.usage[-1].cost_usd or 0.0) if self._session.usage else 0.0

    @property
    def has_unknown_costs(self) -> bool:
        return any(record.cost_usd is None for record in self._session.usage)


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
