"""What the stages need from a session: originals to read, and files that a marker may name."""

from __future__ import annotations

from typing import BinaryIO, Protocol

from chatcli.messages import Archived


class ResultStore(Protocol):
    """Every method gives the same answer whenever it is called with the same arguments."""

    def text(self, original: Archived) -> str:
        """The original as UTF-8, invalid bytes replaced. Raises `StorageError` when it is gone."""
        ...

    def open(self, original: Archived) -> BinaryIO:
        """Its bytes, to read in pieces. Raises `StorageError` when it is gone."""
        ...

    def save(self, call_id: str, original: Archived) -> str | None:
        """The path of a file in the workspace that holds the original; None when it cannot be written."""
        ...
