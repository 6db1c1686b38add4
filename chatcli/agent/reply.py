"""One reply of the model, streamed: events go on to the listeners, usage is always accounted for.

It is recorded here, where the events of the service come in, and not by what is made of them: so
retries, failures, cancelled replies and side calls count like any other.
"""

from __future__ import annotations

import time

from chatcli.agent.cost.cachewatch import Outgoing
from chatcli.agent.cost.meter import Meter
from chatcli.errors import NetworkError, ProviderError
from chatcli.events import Listener, Notice, Purpose, Reply, Retrying, TextDelta, UsageSeen
from chatcli.i18n import _
from chatcli.messages import Usage
from chatcli.providers import prices
from chatcli.providers.base import Provider, Request
from chatcli.providers.failover import stream_with_failover
from chatcli.providers.retry import RetryPolicy, is_visible


class StreamedReply:
    """Receives one reply. `spoken` is the text shown so far, also when the stream then fails.

    `seen` tells whether anything was shown at all: then it must not be asked for again in silence.
    """

    def __init__(
        self,
        provider: Provider,
        retry: RetryPolicy,
        meter: Meter,
        listen: Listener,
        *,
        turn: int,
        purpose: Purpose = "answer",
    ) -> None:
        self._provider = provider
        self._retry = retry
        self._meter = meter
        self._listen = listen
        self._turn = turn
        self._purpose = purpose
        self._outgoing: Outgoing
        self._usage: Usage | None = None
        self._began = time.monotonic()
        self._pieces: list[str] = []
        self.seen = False

    @property
    def spoken(self) -> str:
        return "".join(self._pieces)

    async def receive(self, request: Request) -> Reply:
        """The whole reply. Raises a `ProviderError`, or `MoneyLimit` before anything is sent.

        Failed, cut and cancelled requests are billed too.
        """
        reply: Reply | None = None
        self._outgoing = await self._meter.look_ahead(request, self._provider, self._purpose)
        try:
            async for event in stream_with_failover(
                self._provider, request, self._retry, self._retrying, self._switching
            ):
                self.seen = self.seen or is_visible(event)
                match event:
                    case Reply():
                        reply = event
                        self._usage = event.usage
                    case UsageSeen():
                        prices.preload(self._provider.name)
                        self._usage = event.usage
                    case TextDelta():
                        self._pieces.append(event.text)
                        self._listen(event)
                    case _:
                        self._listen(event)
            await prices.load(self._provider.name)
        finally:
            self._bill()
        if reply is None:
            raise NetworkError(
                _("The stream of {provider} ended in the middle of the reply.").format(
                    provider=self._provider.name
                ),
                provider=self._provider.name,
            )
        return reply

    def _retrying(self, attempt: int, of: int, delay_seconds: float, reason: str) -> None:
        self._bill()
        self._listen(Retrying(attempt=attempt, of=of, delay_seconds=delay_seconds, reason=reason))

    def _switching(self, to: Provider, error: ProviderError | None) -> None:
        self._bill()
        if error is None:
            text = _("{provider}/{model} is asked again.")
        else:
            text = _("{provider}/{model} takes over: {why}")
        why = error.message if error else ""
        self._listen(Notice("warning", text.format(provider=to.name, model=to.model, why=why)))

    def _bill(self) -> None:
        """Record what the attempt cost, once."""
        if self._usage is not None:
            self._meter.record(
                self._provider,
                self._usage,
                self._outgoing,
                turn=self._turn,
                seconds=time.monotonic() - self._began,
                purpose=self._purpose,
            )
            self._usage = None
