"""The requests of a session, prepared as the loop prepares them, and billed but never sent.

Everything is real but the service: the pipeline, the marks, the rule that says when to rewrite. In
the place of the service stands the book of its cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from chatcli.agent.cost.cachelife import life_seconds
from chatcli.agent.cost.occasion import cache_prices
from chatcli.context.assemble import assemble
from chatcli.context.breakpoints import stored_marks
from chatcli.context.cachebook import open_book
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline, View
from chatcli.context.prefix import Ledger
from chatcli.context.scheduler import Occasion
from chatcli.context.store import ResultStore
from chatcli.context.tokens import estimate_message_tokens
from chatcli.messages import AssistantMessage, Message, Presentation, ToolSchema, Usage
from chatcli.providers.base import Block, CacheClass, Request
from chatcli.providers.catalogue import facts
from chatcli.providers.specs import find_spec
from chatcli.session.entries import Compacted, Rewrite
from chatcli.settings import Schedule


class Service(Struct, frozen=True, kw_only=True):
    """Whose prices, cache and window a rehearsal reckons with."""

    name: str
    model: str
    cache: CacheClass
    minimum_tokens: int = 1_024
    window_tokens: int = 200_000
    tokens_ratio: float = 1.0
    """Tokens that it counts for each one that is estimated."""

    @classmethod
    def of(cls, provider: str, model: str) -> Service:
        known = facts(model, provider)
        return cls(
            name=provider,
            model=model,
            cache=find_spec(provider).cache,
            minimum_tokens=known.cache_minimum_tokens,
            window_tokens=known.window_tokens,
            tokens_ratio=known.tokens_ratio,
        )


class Variant(Struct, frozen=True, kw_only=True):
    """The settings that are tried."""

    schedule: Schedule = "auto"
    limits: Limits = Limits()
    ageing: Ageing = Ageing()


class Rehearsed(Struct, frozen=True, kw_only=True):
    """One request that was not sent."""

    usage: Usage
    rewrite: Rewrite | None
    """What was decided about old results, if anything."""
    rewritten_results: int


class Rehearsal:
    """One session under one variant. `shown` is how its results are presented so far."""

    def __init__(
        self,
        variant: Variant,
        service: Service,
        store: ResultStore,
        *,
        blocks: Sequence[Block] = (),
        tools: Sequence[ToolSchema] = (),
    ) -> None:
        self.shown: dict[int, Presentation] = {}
        self._service = service
        self._schedule = variant.schedule
        self._pipeline = Pipeline(variant.limits, variant.ageing, store)
        self._life_seconds = life_seconds(service.name, service.cache)
        self._prices = cache_prices(service)
        self._book = open_book(
            Ledger(
                cache=service.cache,
                life_seconds=self._life_seconds,
                minimum_tokens=round(service.minimum_tokens / service.tokens_ratio),
            )
        )
        self._blocks = blocks
        self._tools = tools
        self._marks: tuple[int, ...] = ()
        self._compaction: Compacted | None = None
        self._context_tokens = 0
        self._last_seconds: float | None = None

    def request(
        self,
        transcript: Sequence[Message],
        at_seconds: float,
        answer: AssistantMessage | None = None,
        compaction: Compacted | None = None,
    ) -> Rehearsed:
        """The next request, made from all of `transcript`, which only grows; `answer` is its reply.

        Times never go back. A pause that is longer than the life of the cache loses it, and so does
        another compaction.
        """
        occasion = self._occasion(at_seconds)
        if compaction is not self._compaction:
            occasion = structs.replace(occasion, cold=True, context_tokens=0)
        self._compaction = compaction
        view = self._pipeline.prepare(transcript, self.shown, occasion, compaction)
        self.shown.update((decision.seq, decision.presentation) for decision in view.decisions)
        request = self.assembled(view)
        self._marks = stored_marks(self._marks, view.unchanged_messages, request.marks)
        self._last_seconds = at_seconds
        usage = self._counted(self._book.charge(request, at_seconds), answer)
        self._context_tokens = usage.context
        return Rehearsed(
            usage=usage,
            rewrite=view.rewrite,
            rewritten_results=sum(decision.reason != "first" for decision in view.decisions),
        )

    def assembled(self, view: View) -> Request:
        """The view with everything around it, marked as the product marks it."""
        return assemble(view, self._blocks, self._tools, model=self._service.model, previous=self._marks)

    def _occasion(self, at_seconds: float) -> Occasion:
        read_price, write_price = self._prices
        idle_seconds = 0.0 if self._last_seconds is None else at_seconds - self._last_seconds
        return Occasion(
            schedule=self._schedule,
            read_price=read_price,
            write_price=write_price,
            cold=idle_seconds > self._life_seconds,
            context_tokens=self._context_tokens,
            window_tokens=self._service.window_tokens,
        )

    def _counted(self, usage: Usage, answer: AssistantMessage | None) -> Usage:
        """In tokens as the service counts them, with those of the reply."""
        ratio = self._service.tokens_ratio
        return structs.replace(
            usage,
            input=round(usage.input * ratio),
            cache_read=round(usage.cache_read * ratio),
            cache_write_5m=round(usage.cache_write_5m * ratio),
            output=round(estimate_message_tokens(answer) * ratio) if answer else 0,
            estimated=True,
        )
