"""Looks ahead at every request before it is sent, and prices and records it afterwards."""

from __future__ import annotations

from msgspec import Struct, structs

from chatcli.agent.clock import Clock, utc_now
from chatcli.agent.cost.cachewatch import CacheWatch, Outgoing
from chatcli.agent.cost.calibration import Calibration
from chatcli.agent.cost.misses import cause_text
from chatcli.agent.cost.money import Spent, add_up, tells_of_a_cache
from chatcli.agent.cost.purse import Purse
from chatcli.events import Listener, Notice, Purpose, UsageRecorded
from chatcli.i18n import _, filled
from chatcli.messages import Usage
from chatcli.providers import prices
from chatcli.providers.base import Provider, Request
from chatcli.providers.prices import cost_usd
from chatcli.session.entries import CacheMiss, MissCause, UsageRecord
from chatcli.session.session import Session

_TOLD_BEFOREHAND: frozenset[MissCause] = frozenset({"model", "tools", "block", "expired"})
_USUAL_REPLY_TOKENS = 500
_REPLIES_LOOKED_AT = 5


class Forecast(Struct, frozen=True, kw_only=True):
    """What a request is likely to be billed for."""

    usage: Usage
    usd: float | None
    """With a reply as long as the last ones; None when the price is unknown."""
    miss: CacheMiss | None
    """What of the cache it will not find, as far as that can be told beforehand."""


class Meter:
    """One per session. A run begins with `start_run`; each request passes `look_ahead`, then `record`."""

    def __init__(
        self,
        session: Session,
        purse: Purse,
        listen: Listener,
        *,
        cold_cache_usd: float = 0.0,
        clock: Clock = utc_now,
    ) -> None:
        """`cold_cache_usd`: a request that pays more than this for a lost cache is told; 0: never."""
        self.now = clock
        self._purse = purse
        self._cold_cache_usd = cold_cache_usd
        self._session = session
        self._listen = listen
        self._run: list[UsageRecord] = []
        self._out_tokens = 0
        """Size of the request that is out, as estimated; 0 without one."""
        self._watch = CacheWatch(session)
        self._calibration = Calibration()
        for record in session.usage:
            self._calibration.learn(record)

    def start_run(self) -> None:
        self._run.clear()

    async def look_ahead(self, request: Request, provider: Provider, purpose: Purpose) -> Outgoing:
        """Whether there is money for a request that is about to be sent; to be given back with its usage.

        Raises `MoneyLimit`.
        """
        outgoing = self._watch.look_at(request, provider, self.now())
        self._calibration.expect(request, provider.name)
        if purpose == "answer":
            self._out_tokens = self._size_tokens(outgoing)
        if self._session.usage or self._purse.is_limited:
            await prices.load(provider.name)  # not for the first request: it has nothing to wait for
            forecast = self._forecast(outgoing, provider)
            unpriced = dict.fromkeys(r.model for r in self._session.usage if r.cost_usd is None)
            await self._purse.allow(self.session_usd, forecast.usd, provider.model, unpriced)
            if purpose == "answer":
                self._tell_cold(forecast.miss, provider)
        return outgoing

    def size_tokens(self, request: Request, provider: Provider) -> int:
        """What a request, which may never be sent, would be counted as."""
        self._calibration.expect(request, provider.name)
        return self._size_tokens(self._watch.look_at(request, provider, self.now()))

    def _size_tokens(self, outgoing: Outgoing) -> int:
        return self._calibration.tokens(outgoing.sent, self._session.sent)

    def _forecast(self, outgoing: Outgoing, provider: Provider) -> Forecast:
        usage = structs.replace(self._expected(outgoing, provider), output=self._usual_output())
        return Forecast(
            usage=usage,
            usd=cost_usd(provider.name, provider.model, usage),
            miss=self._watch.miss(outgoing, provider, usage),
        )

    def record(
        self,
        provider: Provider,
        usage: Usage,
        outgoing: Outgoing,
        *,
        turn: int,
        seconds: float,
        purpose: Purpose = "answer",
    ) -> None:
        """Keep what a request was billed for, whatever became of it."""
        if usage.estimated and usage.context == usage.input:
            # Nothing was reported of the prompt: our own estimate knows what it has in common with others.
            usage = structs.replace(self._expected(outgoing, provider), output=usage.output, estimated=True)
        record = UsageRecord(
            provider=provider.name,
            model=provider.model,
            purpose=purpose,
            usage=usage,
            cost_usd=cost_usd(provider.name, provider.model, usage),
            turn=turn,
            seconds=round(seconds, 3),
            miss=None if usage.estimated else self._watch.miss(outgoing, provider, usage),
            sent_at=outgoing.sent.at.isoformat(timespec="milliseconds"),
            estimated_tokens=outgoing.sent.estimated_tokens,
            row=None if usage.estimated else self._watch.row(outgoing),
        )
        self._session.record_usage(record)
        self._calibration.learn(record)
        self._run.append(record)
        if purpose == "answer":
            self._out_tokens = 0
        self._tell_record(record, provider.window_tokens)

    @property
    def context_tokens(self) -> int:
        """What stands in the window: as billed for the last request, as estimated while one is out."""
        return self._out_tokens or self._session.context_tokens

    @property
    def run_spent(self) -> Spent:
        return add_up(self._run)

    @property
    def session_usd(self) -> float:
        """Money known to be spent: what a limit is held against."""
        return sum(record.cost_usd or 0.0 for record in self._session.usage)

    def _expected(self, outgoing: Outgoing, provider: Provider) -> Usage:
        return self._watch.expected(outgoing, provider, self._size_tokens(outgoing))

    def _usual_output(self) -> int:
        last = [r.usage.output for r in self._session.usage if r.purpose == "answer"][-_REPLIES_LOOKED_AT:]
        return sum(last) // len(last) if last else _USUAL_REPLY_TOKENS

    def _tell_cold(self, miss: CacheMiss | None, provider: Provider) -> None:
        """What was rewritten on purpose has been weighed already; what the service does, nobody knows."""
        usd = (miss.lost_usd if miss else None) or 0.0
        if miss is None or miss.cause not in _TOLD_BEFOREHAND or not 0 < self._cold_cache_usd <= usd:
            return
        service = provider.name, provider.model
        answered = [r for r in self._session.usage if (r.provider, r.model) == service]
        if answered and not any(map(tells_of_a_cache, answered)):
            return  # it keeps none
        text = _("This turn pays ${usd:.2f} more, for {tokens:,} tokens that the cache has lost ({why}).")
        told = filled(text, usd=usd, tokens=miss.lost_tokens, why=cause_text(miss))
        self._listen(Notice("warning", told))

    def _tell_record(self, record: UsageRecord, window_tokens: int) -> None:
        self._listen(
            UsageRecorded(
                provider=record.provider,
                model=record.model,
                purpose=record.purpose,
                usage=record.usage,
                cost_usd=record.cost_usd,
                window_tokens=window_tokens,
            )
        )
