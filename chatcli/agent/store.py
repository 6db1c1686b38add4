"""What the pipeline's stages may reach: originals of results, and files in the workspace."""

from __future__ import annotations

from typing import BinaryIO

from chatcli.messages import Archived
from chatcli.session.session import Session


class SessionStore:
    """`chatcli.context.store.ResultStore` over a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def text(self, original: Archived) -> str:
        return self._session.archive.text(original)

    def open(self, original: Archived) -> BinaryIO:
        return self._session.archive.open_unchecked(original)

    def save(self, call_id: str, original: Archived) -> str | None:
        """Path of the file in the workspace that holds the original; None when it cannot be written."""
        path = self._session.workspace.expose(call_id, original, self._session.archive)
        return None if path is None else str(path)
