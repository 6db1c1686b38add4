"""The archived results of a session: how each is shown, and where its original is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from chatcli.messages import (
    Archived,
    AssistantMessage,
    Attachment,
    Image,
    PresentationKind,
    Text,
    ToolResult,
    UserMessage,
)
from chatcli.session.session import Session
from chatcli.session.workspace import file_name

ResultState = Literal["stored", "deleted", "lost"]


class StoredResult(Struct, frozen=True, kw_only=True):
    """One result or attached file."""

    name: str
    """The tool, or the path of an attached file."""
    original: Archived
    state: ResultState
    kind: Literal["result", "file", "image"] = "result"
    """What the user attached is a file or an image."""
    age_turns: int
    """Replies of the model since it came."""
    shown: PresentationKind | None = None
    """How the model sees it; None when it was not sent yet, and for attached files."""
    summed_up: bool = False
    """A summary stands in its place."""
    suffix: str = ".txt"
    """What ends the name of a copy."""
    file: Path | None = None
    """Where it lies in the workspace, if it does."""


def list_results(session: Session) -> list[StoredResult]:
    """All results whose original was archived, in the order in which they came."""
    replies = sum(isinstance(message, AssistantMessage) for message in session.transcript)
    return [_described(session, found, replies - before) for before, found in _results(session)]


def _results(session: Session) -> Iterator[tuple[int, ToolResult | Attachment | Image]]:
    """Each with the number of replies before it."""
    turn = 0
    for message in session.transcript:
        match message:
            case AssistantMessage():
                turn += 1
            case ToolResult() if message.original.key:
                yield turn, message
            case UserMessage():
                yield from ((turn, part) for part in message.parts if not isinstance(part, Text))
            case _:
                pass


def _described(session: Session, found: ToolResult | Attachment | Image, age_turns: int) -> StoredResult:
    original = found.original
    if not isinstance(found, ToolResult):
        return StoredResult(
            name=found.path,
            original=original,
            state=_state(session, original),
            kind="image" if isinstance(found, Image) else "file",
            age_turns=age_turns,
            suffix=f".{found.format}" if isinstance(found, Image) else Path(found.path).suffix or ".txt",
        )
    shown = session.shown.get(found.seq)
    path = session.workspace.tool_results / file_name(found.call_id, original)
    return StoredResult(
        name=found.name,
        original=original,
        state=_state(session, original),
        age_turns=age_turns,
        shown=shown.kind if shown else None,
        summed_up=not session.in_view(found),
        file=path if path.exists() else None,
    )


def _state(session: Session, original: Archived) -> ResultState:
    if original.sha256 in session.deleted:
        return "deleted"
    return "stored" if session.archive.holds(original) else "lost"
