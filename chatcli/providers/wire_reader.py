"""The common part of those that read a reply off a wire."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from chatcli.events import Reply, ReplyEvent
from chatcli.messages import StopReason, Usage
from chatcli.providers.assembly import Assembly
from chatcli.providers.complaints import cut
from chatcli.providers.replies import Chunk
from chatcli.providers.service import Service
from chatcli.providers.usage import estimated_usage


class WireReader(ABC):
    """What readers of all wires begin and end with.

    `position` is the number of the last message that was sent: ids that a service leaves out are made
    of it, so that they repeat in no session.
    """

    def __init__(self, service: Service, *, request_bytes: int, position: int = 0) -> None:
        self.complete = False
        self._service = service
        self._model = service.model
        self._request_bytes = request_bytes
        self._position = position
        self._assembly = Assembly()
        self._reported: dict[str, Any] = {}
        """Usage in the words of the service."""
        self._stop_reason: StopReason = "end"

    @abstractmethod
    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        """The events of the next object of the stream. Raises a `ProviderError` for one that is an error."""

    @abstractmethod
    def _usage_of(self, reported: dict[str, Any]) -> Usage: ...

    def usage(self) -> Usage:
        """As reported, else estimated from what was sent and received so far."""
        if not self._reported:
            return estimated_usage(self._request_bytes, self._assembly.chars)
        return self._usage_of(self._reported)

    def finish(self) -> Reply:
        """The whole reply, once the stream has ended. Raises a `ProviderError` when it was cut."""
        if not self.complete:
            raise cut(self._service)
        return self._assembly.reply(self._stop_reason, self.usage(), self._model)
