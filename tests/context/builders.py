"""What the tests of the pipeline are made of: originals in memory, and transcripts in a few words."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import Any, BinaryIO

from chatcli.context.pipeline import Pipeline, View
from chatcli.context.scheduler import Occasion
from chatcli.errors import StorageError
from chatcli.messages import (
    Archived,
    AssistantMessage,
    Message,
    Presentation,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)

TMP = "/tmp/chatcli-agent-Xy7K3a/tool-results"


class Originals:
    """An archive and a workspace in memory. `disk_full` makes files impossible."""

    def __init__(self, folder: str = TMP) -> None:
        self.folder = folder
        self.disk_full = False
        self.texts: dict[str, str] = {}
        self.saved: list[str] = []
        self.read = 0

    def put(self, text: str, *, stored: bool = True, omitted_bytes: int = 0) -> Archived:
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        if stored:
            self.texts[digest] = text
        return Archived(
            key=digest[:16] if stored else "",
            sha256=digest,
            size_bytes=len(data),
            size_chars=len(text),
            lines=text.count("\n") + (not text.endswith("\n")),
            omitted_bytes=omitted_bytes,
        )

    def text(self, original: Archived) -> str:
        self.read += 1
        if original.sha256 not in self.texts:
            raise StorageError("gone")
        return self.texts[original.sha256]

    def open(self, original: Archived) -> BinaryIO:
        return io.BytesIO(self.text(original).encode("utf-8", "surrogatepass"))

    def save(self, call_id: str, original: Archived) -> str | None:
        if self.disk_full:
            return None
        path = f"{self.folder}/budget_{call_id}_{original.sha256[:8]}.txt"
        if path not in self.saved:
            self.saved.append(path)
        return path


class Story:
    """A transcript that grows: `user`, `turn`, `call`, `result`."""

    def __init__(self, store: Originals) -> None:
        self.store = store
        self.messages: list[Message] = []
        self.last_seq = 0

    def _next(self) -> int:
        self.last_seq += 1
        return self.last_seq

    def user(self, text: str = "Go on.") -> UserMessage:
        message = UserMessage(seq=self._next(), parts=(Text(text),))
        self.messages.append(message)
        return message

    def call(self, *ids: str, text: str = "") -> AssistantMessage:
        parts = (*((Text(text),) if text else ()), *(ToolCall(id=id, name="read") for id in ids))
        message = AssistantMessage(seq=self._next(), parts=parts, provider="OFFLINE", model="m")
        self.messages.append(message)
        return message

    def result(self, id: str, text: str = "fine", *, stored: bool = True, **fields: Any) -> ToolResult:
        message = ToolResult(
            seq=self._next(),
            call_id=id,
            name=fields.pop("name", "read"),
            original=self.store.put(text, stored=stored),
            read_only=fields.pop("read_only", True),
            text="" if stored else text,
            **fields,
        )
        self.messages.append(message)
        return message

    def turn(self, *texts: str, **fields: Any) -> list[ToolResult]:
        """One assistant message that calls as many tools as there are texts, and their results."""
        ids = [f"call_{self.last_seq + 1}_{index}" for index in range(len(texts))]
        self.call(*ids)
        return [self.result(id, text, **fields) for id, text in zip(ids, texts, strict=True)]


class Loop:
    """Prepares one view after another and records what was decided, as the agent does."""

    def __init__(self, pipeline: Pipeline, messages: Sequence[Message]) -> None:
        self.pipeline = pipeline
        self.messages = messages
        self.shown: dict[int, Presentation] = {}
        self.reasons: list[tuple[int, str]] = []

    def prepare(self, occasion: Occasion | None = None) -> View:
        view = self.pipeline.prepare(self.messages, self.shown, occasion)
        for decision in view.decisions:
            self.shown[decision.seq] = decision.presentation
            self.reasons.append((decision.seq, decision.reason))
        return view


class Long(str):
    """A text that Hypothesis may print: it shows its ends."""

    __slots__ = ()

    def __repr__(self) -> str:
        if len(self) < 200:
            return super().__repr__()
        return f"<{len(self)} chars: {self[:80]!r} ... {self[-80:]!r}>"


def shown_texts(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, ToolResult)]


def results_of(messages: Sequence[Message]) -> list[ToolResult]:
    return [message for message in messages if isinstance(message, ToolResult)]


def lines_of(chars: int, line: str = "The quick brown fox jumps over the lazy dog.") -> str:
    """Text of about that many chars, in numbered lines."""
    count = chars // (len(line) + 7)
    return "".join(f"{number:05d} {line}\n" for number in range(1, count + 1))
