"""Messages typed while the agent works, waiting for the next turn."""

from __future__ import annotations


class Inbox:
    """A queue between the prompt and the loop. Both live on one event loop: no locking."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def put(self, text: str) -> None:
        self._texts.append(text)

    def take(self) -> list[str]:
        """Everything that waits; the queue is empty afterwards."""
        texts, self._texts = self._texts, []
        return texts
