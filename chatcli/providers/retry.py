"""The one retry policy: SDKs do not retry, adapters do not, this does.

A request is sent again only while the user has seen nothing of its reply, and only for errors that
time may heal. What the service says about waiting counts more than our own plan.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from msgspec import Struct

from chatcli.errors import ProviderError
from chatcli.events import ReasoningDelta, ReplyEvent, TextDelta, ToolCallDelta
from chatcli.i18n import _
from chatcli.providers.base import Provider, Request
from chatcli.providers.complaints import silent
from chatcli.settings import Settings

MAX_BACKOFF_SECONDS = 60.0
MAX_RETRY_AFTER_SECONDS = 120.0
"""Longer than this nobody is kept waiting: the error is raised and says how long it would have been."""
QUIET_FACTOR = 10
"""Pings keep a connection alive; a stream that does nothing else for this many idle times is cut."""

OnRetry = Callable[[int, int, float, str], None]
"""Called before each wait with attempt (from 1), attempts in all, seconds to wait, reason for people."""


class RetryPolicy(Struct, frozen=True, kw_only=True):
    max_retries: int
    initial_backoff_seconds: float
    quiet_seconds: float

    @classmethod
    def from_settings(cls, settings: Settings) -> RetryPolicy:
        return cls(
            max_retries=settings.max_retries,
            initial_backoff_seconds=settings.initial_backoff_seconds,
            quiet_seconds=settings.stream_idle_seconds * QUIET_FACTOR,
        )


async def stream_with_retry(
    provider: Provider,
    request: Request,
    policy: RetryPolicy,
    on_retry: OnRetry,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    chance: Callable[[], float] = random.random,
) -> AsyncGenerator[ReplyEvent, None]:
    """The events of one reply. Raises the `ProviderError` that could not be healed.

    A failed attempt may have told a `UsageSeen`: it is billed, and the next attempt counts anew.
    """
    attempt = 0
    while True:
        visible = False
        try:
            async with aclosing(_guarded(provider, request, policy.quiet_seconds)) as events:
                async for event in events:
                    visible = visible or is_visible(event)
                    yield event
            return
        except ProviderError as error:
            if visible or not error.retryable or attempt >= policy.max_retries:
                raise
            delay_seconds = _delay_seconds(error, attempt, policy, chance)
            reason = error.message.rstrip(".")
        attempt += 1
        on_retry(attempt, policy.max_retries, delay_seconds, reason)
        await sleep(delay_seconds)


def is_visible(event: ReplyEvent) -> bool:
    """Whether the user has seen something of the reply by now."""
    return isinstance(event, TextDelta | ReasoningDelta | ToolCallDelta)


def _delay_seconds(
    error: ProviderError, attempt: int, policy: RetryPolicy, chance: Callable[[], float]
) -> float:
    """As long as the service asks for, else a random part of a bound that doubles with each attempt."""
    asked = error.retry_after_seconds
    if asked is None:
        bound_seconds = min(policy.initial_backoff_seconds * 2.0**attempt, MAX_BACKOFF_SECONDS)
        return chance() * bound_seconds
    if asked > MAX_RETRY_AFTER_SECONDS:
        error.hint = _("It asks to wait {seconds:.0f} seconds. Try again then.").format(seconds=asked)
        raise error
    return asked


async def _guarded(
    provider: Provider, request: Request, quiet_seconds: float
) -> AsyncGenerator[ReplyEvent, None]:
    """The provider's own events, as long as they keep coming."""
    events = provider.stream(request)
    try:
        while True:
            try:
                async with asyncio.timeout(quiet_seconds):
                    event = await anext(events, None)
            except TimeoutError:
                raise silent(provider.name, quiet_seconds) from None
            if event is None:
                return
            yield event
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
