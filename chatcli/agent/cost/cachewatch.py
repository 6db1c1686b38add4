"""Watches the provider's cache: what is sent, what is read of it, and why something was lost."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct, structs

from chatcli.agent.cost.cachelife import life_seconds, promised_seconds
from chatcli.context.prefix import Ledger, PartsReader, explain
from chatcli.messages import Usage
from chatcli.providers.base import Provider, Request
from chatcli.providers.catalogue import facts
from chatcli.providers.openai_responses_body import has_breakpoints
from chatcli.providers.prices import cost_usd
from chatcli.session.entries import CacheMiss
from chatcli.session.sent import Row, Sent, common_parts, row_of
from chatcli.session.session import Session
from chatcli.settings import CacheTtl


class Outgoing(Struct, frozen=True, kw_only=True):
    """A request that is about to be sent."""

    sent: Sent
    ttl: CacheTtl


class CacheWatch:
    """One per session: holds each request against the last one that was answered."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reader = PartsReader()

    def look_at(self, request: Request, provider: Provider, at: datetime) -> Outgoing:
        return Outgoing(sent=self._reader.read(request, provider.name, at), ttl=request.marks.ttl)

    def row(self, outgoing: Outgoing) -> Row:
        """The parts of a request as the journal takes them."""
        return row_of(outgoing.sent, self._session.sent)

    def expected(self, outgoing: Outgoing, provider: Provider, context_tokens: int) -> Usage:
        """How a prompt of this size is likely to be billed: read as far as nothing speaks against it."""
        before = self._session.sent
        read_tokens = 0
        if (
            before is not None
            and self._is_warm(before, outgoing, provider)
            and not self._finds_nothing(provider)
        ):
            share = _share(before, common_parts(before, outgoing.sent))
            read_tokens = min(context_tokens, round(before.tokens * share))
        fresh_tokens = context_tokens - read_tokens
        return structs.replace(_written(provider, fresh_tokens, outgoing.ttl), cache_read=read_tokens)

    def miss(self, outgoing: Outgoing, provider: Provider, usage: Usage) -> CacheMiss | None:
        """What a request failed to read. Of one that failed over, what the other provider would say."""
        now = structs.replace(outgoing.sent, provider=provider.name, model=provider.model)
        ledger = Ledger(
            cache=provider.cache,
            life_seconds=life_seconds(provider.name, provider.cache, outgoing.ttl),
            promised_seconds=promised_seconds(provider.name, provider.model, provider.cache, outgoing.ttl),
            minimum_tokens=facts(provider.model, provider.name).cache_minimum_tokens,
        )
        miss = explain(self._session.sent, now, usage, ledger, self._session.rewritten)
        return miss and structs.replace(miss, lost_usd=_lost_usd(provider, miss.lost_tokens, outgoing.ttl))

    def _finds_nothing(self, provider: Provider) -> bool:
        """Whether the last request stored nothing, or read nothing although nothing had changed."""
        last = self._session.last_answer
        if last is None:
            return True
        stored_nothing = provider.cache == "explicit" and not (
            last.usage.cache_read or last.usage.cache_write
        )
        in_vain = last.miss is not None and last.miss.cause in ("service", "minimum")
        return stored_nothing or (in_vain and not last.usage.cache_read)

    def _is_warm(self, before: Sent, outgoing: Outgoing, provider: Provider) -> bool:
        if (before.provider, before.model) != (provider.name, provider.model) or provider.cache == "none":
            return False
        idle_seconds = (outgoing.sent.at - before.at).total_seconds()
        return idle_seconds <= life_seconds(provider.name, provider.cache, outgoing.ttl)


def _share(sent: Sent, parts: int) -> float:
    """How much of a request its first parts are."""
    return sum(part.tokens for part in sent.parts[:parts]) / max(1, sent.estimated_tokens)


def _written(provider: Provider, tokens: int, ttl: CacheTtl) -> Usage:
    """Tokens that were not in the cache, in the class in which the service bills them."""
    if provider.cache != "explicit" and not (
        provider.cache == "automatic" and has_breakpoints(provider.model)
    ):
        return Usage(input=tokens)
    return Usage(cache_write_1h=tokens) if ttl == "1h" else Usage(cache_write_5m=tokens)


def _lost_usd(provider: Provider, tokens: int, ttl: CacheTtl) -> float | None:
    """What it costs more to send these tokens anew than to read them."""
    paid = cost_usd(provider.name, provider.model, _written(provider, tokens, ttl))
    read = cost_usd(provider.name, provider.model, Usage(cache_read=tokens))
    return None if paid is None or read is None else max(0.0, paid - read)
