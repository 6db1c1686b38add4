"""What the stages need from a session: originals to read, and files that a marker may name."""

from __future__ import annotations

from typing import Protocol

from chatcli.messages import Archived


class ResultStore(Protocol):
    """Both methods give the same answer whenever they are called with the same arguments."""

    def text(self, original: Archived) -> str:
        """The original as UTF-8, invalid bytes replaced. Raises `StorageError` when it is gone."""
        ...

    def save(self, call_id: str, original: Archived) -> str | None:
        """The path of a file in the workspace that holds the original; None when it cannot be written."""
        ...
