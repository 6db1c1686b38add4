"""When one provider fails, another takes its place, and gives it back when the first is well again.

Only what may be different elsewhere is a reason: a refused content, a wrong request or a full window
is not. Nothing moves after the user has seen something of a reply.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing

from msgspec import structs

from chatcli.errors import (
    AuthError,
    BillingError,
    ModelNotFound,
    NetworkError,
    Overloaded,
    ProviderError,
    RateLimited,
)
from chatcli.events import ReplyEvent
from chatcli.providers.base import CacheClass, Provider, Request
from chatcli.providers.retry import OnRetry, RetryPolicy, is_visible, stream_with_retry
from chatcli.providers.spec import ProviderSpec
from chatcli.providers.specs import find_spec

FIRST_REST_SECONDS = 60.0
"""How long a provider that failed is left alone; twice as long each time that it fails again."""
LONGEST_REST_SECONDS = 900.0
"""Also the rest after what no waiting heals: a refused key, no credit, an unknown model."""

OnSwitch = Callable[[Provider, ProviderError | None], None]
"""Called before another provider is asked, with the error of the one before; None: the first is well."""

_LASTING = (AuthError, BillingError, ModelNotFound)
_PASSING = (RateLimited, Overloaded, NetworkError)


def parse_fallbacks(text: str) -> list[tuple[ProviderSpec, str]]:
    """From `OPENAI, OPENROUTER/vendor/model`: rows and models. Raises UsageError for an unknown name."""
    found = []
    for item in filter(None, map(str.strip, text.replace(";", ",").split(","))):
        name, _slash, model = item.partition("/")
        found.append((find_spec(name), model))
    return found


class Failover:
    """A provider to everybody else: whichever is asked at the moment."""

    def __init__(
        self,
        first: Provider,
        fallbacks: Sequence[Provider],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.current = first
        self._providers = (first, *fallbacks)
        self._clock = clock
        self._rest_until = dict.fromkeys(self._providers, 0.0)
        self._failures = dict.fromkeys(self._providers, 0)

    @property
    def name(self) -> str:
        return self.current.name

    @property
    def model(self) -> str:
        return self.current.model

    @property
    def cache(self) -> CacheClass:
        return self.current.cache

    @property
    def window_tokens(self) -> int:
        return self.current.window_tokens

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        return self.current.stream(structs.replace(request, model=self.model))

    async def aclose(self) -> None:
        for provider in self._providers:
            await provider.aclose()

    def preferred(self) -> Provider | None:
        """The one to ask next: the first in order that is not resting. None: they all are."""
        now = self._clock()
        return next((p for p in self._providers if now >= self._rest_until[p]), None)

    def rest(self, error: ProviderError) -> None:
        """The current one has failed."""
        failed = self.current
        rest_seconds = min(FIRST_REST_SECONDS * 2.0 ** self._failures[failed], LONGEST_REST_SECONDS)
        if isinstance(error, _LASTING):
            rest_seconds = LONGEST_REST_SECONDS
        self._failures[failed] += 1
        self._rest_until[failed] = self._clock() + max(rest_seconds, error.retry_after_seconds or 0.0)

    def recover(self) -> None:
        """The current one has answered."""
        self._failures[self.current] = 0


async def stream_with_failover(
    provider: Provider,
    request: Request,
    policy: RetryPolicy,
    on_retry: OnRetry,
    on_switch: OnSwitch,
) -> AsyncGenerator[ReplyEvent, None]:
    """The events of one reply, of whichever provider can give it.

    Raises the `ProviderError` of the last one that was asked.
    """
    failover = provider if isinstance(provider, Failover) else Failover(provider, ())
    failed: ProviderError | None = None
    while True:
        asked = failover.preferred() or failover.current
        if asked is not failover.current:
            on_switch(asked, failed)
            failover.current = asked
        request = structs.replace(request, model=asked.model)
        visible = False
        try:
            async with aclosing(stream_with_retry(asked, request, policy, on_retry)) as events:
                async for event in events:
                    visible = visible or is_visible(event)
                    yield event
        except ProviderError as error:
            if visible or not isinstance(error, _LASTING + _PASSING):
                raise
            failover.rest(error)
            if failover.preferred() is None:
                raise
            failed = error
        else:
            failover.recover()
            return
