"""From what a service streams to reply events: the same for every wire.

A `Reader` knows one wire and no network: it is fed the decoded objects of the stream in order.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any, Protocol

from chatcli.errors import ProviderError
from chatcli.events import Reply, ReplyEvent, UsageSeen
from chatcli.messages import Usage

Chunk = dict[str, Any]

_USAGE_STEP_TOKENS = 50
"""How much a model may write before an estimated usage is told again."""


class Reader(Protocol):
    """Understands the stream of one reply."""

    complete: bool
    """The service said that the reply is whole; what fails afterwards does not matter."""

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        """The events of the next object of the stream. Raises a `ProviderError` for one that is an error."""
        ...

    def usage(self) -> Usage:
        """As reported, else estimated from what was sent and received so far."""
        ...

    def finish(self) -> Reply:
        """The whole reply, once the stream has ended. Raises a `ProviderError` when it was cut."""
        ...


async def read_reply(chunks: AsyncGenerator[Chunk, None], reader: Reader) -> AsyncIterator[ReplyEvent]:
    """All events of one reply. Usage is told as soon as it is known: cut and cancelled requests count."""
    told: Usage | None = None
    async with aclosing(chunks):
        try:
            async for chunk in chunks:
                for event in reader.read(chunk):
                    yield event
                usage = reader.usage()
                if told is None or _is_news(usage, told):
                    told = usage
                    yield UsageSeen(usage)
        except ProviderError:
            if not reader.complete:
                if told is not None and (usage := reader.usage()) != told:
                    yield UsageSeen(usage)
                raise
    reply = reader.finish()
    if reply.usage != told:
        yield UsageSeen(reply.usage)
    yield reply


async def relay(events: AsyncIterator[ReplyEvent]) -> AsyncGenerator[ReplyEvent, None]:
    """The events of another provider, whose connection is closed when this is."""
    try:
        async for event in events:
            yield event
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()


def _is_news(usage: Usage, told: Usage) -> bool:
    if not usage.estimated:
        return usage != told
    return usage.output - told.output >= _USAGE_STEP_TOKENS
