"""Messages typed while the agent works, waiting for the next turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct


class Waiting(Struct, frozen=True):
    """One message, and the files that it names."""

    text: str
    files: tuple[Path, ...] = ()


class Inbox:
    """A queue between the prompt and the loop. Both live on one event loop: no locking."""

    def __init__(self) -> None:
        self._messages: list[Waiting] = []

    def __len__(self) -> int:
        return len(self._messages)

    def put(self, text: str, files: Sequence[Path] = ()) -> None:
        self._messages.append(Waiting(text, tuple(files)))

    def take(self) -> list[Waiting]:
        """Everything that waits; the queue is empty afterwards."""
        messages, self._messages = self._messages, []
        return messages
