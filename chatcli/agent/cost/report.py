"""Everything that `/cost` tells about a session, from its journal alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from chatcli.agent.cost.attribution import Share, shares
from chatcli.agent.cost.misses import message_seq
from chatcli.agent.cost.money import (
    Bill,
    ClassMoney,
    Money,
    Spent,
    add_up,
    bills_of,
    listed_money,
    money_of,
    tells_of_a_cache,
)
from chatcli.events import Purpose
from chatcli.messages import Message
from chatcli.session.entries import CacheMiss, UsageRecord
from chatcli.session.state import Shortening, State

K = TypeVar("K")


class ModelCost(Struct, frozen=True, kw_only=True):
    provider: str
    model: str
    spent: Spent
    by_class: ClassMoney


class PurposeCost(Struct, frozen=True, kw_only=True):
    """`answer` is the conversation itself; the rest are side calls."""

    purpose: Purpose
    spent: Spent


class Loss(Struct, frozen=True, kw_only=True):
    """One request that had to send again what the cache was to have."""

    turn: int
    purpose: Purpose
    sent_at: str
    """UTC, ISO 8601; empty in sessions of an older chatcli."""
    miss: CacheMiss
    money: Money
    """What it cost more than to read all of it."""
    message: Message | None
    """The one that differed, where it was one."""

    @property
    def is_decided(self) -> bool:
        """Something was rewritten on purpose: shorter, summed up or deleted."""
        return self.miss.cause == "rewrite"


class TurnCost(Struct, frozen=True, kw_only=True):
    """One reply of the model, with attempts that failed and side calls until the next one."""

    number: int
    """From 1, over the whole session."""
    spent: Spent
    by_class: ClassMoney
    context_tokens: int
    """Of the last answered request."""
    losses: tuple[Loss, ...]

    @property
    def lost_on_purpose(self) -> bool:
        """Whether all that was lost follows from a rewrite."""
        return all(loss.is_decided for loss in self.losses)


class CacheFigures(Struct, frozen=True, kw_only=True):
    """How well the cache works."""

    hit_ratio: float
    """What was read from it, of all prompt tokens; from 0 to 1."""
    write_factor: float
    """What was sent anew, as a multiple of the largest context: each token once would be 1."""
    largest_context_tokens: int


class ShorteningFigures(Struct, frozen=True, kw_only=True):
    """What it saved to show old results shorter and to sum up, and what that cost."""

    times: int
    saved_tokens: int
    """Not sent, in all requests since; estimated."""
    saved: Money
    """As if they had been read from the cache: the least that they would have cost."""
    paid: Money
    """The cache that was lost by it, and the requests that summed up."""


class CostReport(Struct, frozen=True, kw_only=True):
    session_id: str
    total: Spent
    by_class: ClassMoney
    by_model: tuple[ModelCost, ...]
    """In the order in which the models first answered."""
    by_purpose: tuple[PurposeCost, ...]
    by_content: tuple[Share, ...]
    turns: tuple[TurnCost, ...]
    cache: CacheFigures
    shortening: ShorteningFigures

    @property
    def losses(self) -> tuple[Loss, ...]:
        return tuple(loss for turn in self.turns for loss in turn.losses)


def cost_report(state: State) -> CostReport:
    """What a session, running or read from disk, has cost so far."""
    records = state.usage.copy()  # a session that runs goes on meanwhile
    bills = bills_of(records)
    turns = _turns(bills, state.transcript)
    return CostReport(
        session_id=state.id,
        total=add_up(records),
        by_class=_by_class(bills),
        by_model=tuple(
            ModelCost(provider=provider, model=model, spent=_spent(group), by_class=_by_class(group))
            for (provider, model), group in _grouped(bills, _service)
        ),
        by_purpose=tuple(
            PurposeCost(purpose=purpose, spent=_spent(group))
            for purpose, group in _grouped(bills, lambda r: r.purpose)
        ),
        by_content=shares(bills, state.transcript),
        turns=turns,
        cache=_cache(records),
        shortening=_shortening(state.shortenings, bills, turns),
    )


def _spent(bills: Iterable[Bill]) -> Spent:
    return add_up(bill.record for bill in bills)


def _by_class(bills: Iterable[Bill]) -> ClassMoney:
    return sum((bill.by_class for bill in bills), ClassMoney())


def _grouped(bills: Iterable[Bill], key: Callable[[UsageRecord], K]) -> Iterable[tuple[K, list[Bill]]]:
    """In the order in which the keys first occur."""
    groups: dict[K, list[Bill]] = {}
    for bill in bills:
        groups.setdefault(key(bill.record), []).append(bill)
    return groups.items()


def _turns(bills: Sequence[Bill], transcript: Sequence[Message]) -> tuple[TurnCost, ...]:
    messages = {message.seq: message for message in transcript}
    telling = {_service(bill.record) for bill in bills if tells_of_a_cache(bill.record)}
    groups: list[list[Bill]] = []
    begun: tuple[int, str] | None = None
    for bill in bills:
        record = bill.record
        # Attempts at one reply are made of one request, which is looked at once.
        sent = record.turn, record.sent_at
        begins = record.purpose == "answer" and (sent != begun or not record.sent_at)
        if begins or not groups:
            groups.append([])
        begun = sent if record.purpose == "answer" else begun
        groups[-1].append(bill)
    return tuple(_turn(number, group, messages, telling) for number, group in enumerate(groups, start=1))


def _turn(
    number: int, bills: Sequence[Bill], messages: Mapping[int, Message], telling: Container[tuple[str, str]]
) -> TurnCost:
    records = [bill.record for bill in bills]
    lost = [(record, record.miss) for record in records if record.miss]
    return TurnCost(
        number=number,
        spent=add_up(records),
        by_class=_by_class(bills),
        context_tokens=max((r.usage.context for r in records if r.purpose == "answer"), default=0),
        losses=tuple(
            Loss(
                turn=number,
                purpose=record.purpose,
                sent_at=record.sent_at,
                miss=miss,
                money=listed_money(record, miss.lost_usd),
                message=messages.get(message_seq(miss)),
            )
            for record, miss in lost
            if _service(record) in telling or miss.cause == "minimum"
        ),
    )


def _service(record: UsageRecord) -> tuple[str, str]:
    return record.provider, record.model


def _cache(records: Iterable[UsageRecord]) -> CacheFigures:
    read = anew = largest = 0
    for record in records:
        read += record.usage.cache_read
        anew += record.usage.input + record.usage.cache_write
        largest = max(largest, record.usage.context)
    return CacheFigures(
        hit_ratio=read / max(1, read + anew),
        write_factor=anew / max(1, largest),
        largest_context_tokens=largest,
    )


def _shortening(
    shortenings: Sequence[Shortening], bills: Sequence[Bill], turns: Sequence[TurnCost]
) -> ShorteningFigures:
    saved_tokens, saved = 0, Money()
    coming = deque(shortenings)
    estimated = corrected = 0
    for number, bill in enumerate(bills):
        while coming and coming[0].after_requests <= number:
            made = coming.popleft()
            if made.reason.startswith("summary"):  # its sizes are as a service counts them
                corrected += made.saved_tokens
            else:
                estimated += made.saved_tokens
        tokens = round(corrected + estimated * _billed_for_estimated(bill.record))
        if tokens > 0:
            saved_tokens += tokens
            usd = tokens * bill.rates.cache_read if bill.rates else None
            saved += listed_money(bill.record, usd)
    lost = [loss.money for turn in turns for loss in turn.losses if loss.is_decided]
    summed_up = [money_of(bill.record) for bill in bills if bill.record.purpose == "summary"]
    paid = sum([*lost, *summed_up], Money())
    times = sum(one.saved_tokens > 0 for one in shortenings)
    return ShorteningFigures(times=times, saved_tokens=saved_tokens, saved=saved, paid=paid)


def _billed_for_estimated(record: UsageRecord) -> float:
    """What a service bills for an estimated token."""
    if record.usage.estimated or not record.estimated_tokens:
        return 1.0
    return record.usage.context / record.estimated_tokens
