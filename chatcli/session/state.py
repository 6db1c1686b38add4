"""What a session knows, as the sum of its journal entries.

A running session and a resumed one go through the same `apply`: they cannot differ.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import assert_never

from msgspec import Struct

from chatcli.messages import (
    DELETED,
    AssistantMessage,
    Message,
    Presentation,
    ToolCall,
    ToolResult,
    originals_of,
)
from chatcli.session.entries import (
    SAME_BYTES,
    CallStarted,
    Closed,
    Compacted,
    CompactionUndone,
    Entry,
    Lost,
    MessageAdded,
    NoteSet,
    Opened,
    ResultDeleted,
    Resumed,
    Shown,
    StateChanged,
    Undone,
    UsageAdded,
    UsageRecord,
)
from chatcli.session.sent import Sent


class Shortening(Struct, frozen=True, kw_only=True):
    """What makes all requests from some one on shorter, or longer again."""

    after_requests: int
    """Requests recorded before it."""
    saved_tokens: int
    """Of each of them: estimated, calibrated for a summary alone. Negative when a summary is undone."""
    reason: str
    """As in `Rewrite`; `summary` for a compaction, `summary undone`."""


class State:
    """Changed by `apply` alone."""

    def __init__(self, opened: Opened) -> None:
        self.id = opened.session_id
        self.folder = Path(opened.folder)
        self.parent = opened.parent
        """The session that this one was forked from; empty for none."""
        self.transcript: list[Message] = []
        self.shown: dict[int, Presentation] = {}
        """By `seq` of the tool result: how the model was last shown it."""
        self.compactions: list[Compacted] = []
        """The last one says what the model sees; the one before comes back when it is undone."""
        self.deleted: set[str] = set()
        """SHA-256 of the originals that the user had removed, unless they were stored again since."""
        self.notes: dict[str, str] = {}
        self.usage: list[UsageRecord] = []
        self.last_answer: UsageRecord | None = None
        """The last request of the conversation itself: not of a side call."""
        self.sent: Sent | None = None
        """Its parts, or those of the last one before it whose parts are known."""
        self.rewritten: dict[int, str] = {}
        """What was rewritten since then, and why: `seq` of the message to reason."""
        self.shortenings: list[Shortening] = []
        """In the order in which they were recorded."""
        self.context_tokens = 0
        """Size of that request as the provider counted it; 0 when the next one will be quite another."""
        self.last_request_at = ""
        """When the last request was answered: UTC, ISO 8601; empty before the first."""
        self.mode = ""
        self.provider = ""
        self.model = ""
        self.autonomy = ""
        self.prompt_key = ""
        self.tools_key = ""
        """Stands for the tools that the last request carried."""
        self._started: set[tuple[int, str]] = set()

    def apply(self, entry: Entry) -> None:
        match entry:
            case MessageAdded():
                self.transcript.append(entry.message)
                self.deleted.difference_update(o.sha256 for o in originals_of(entry.message))
            case CallStarted():
                self._started.add((entry.assistant_seq, entry.call_id))
            case Shown():
                self.shown.update((decision.seq, decision.presentation) for decision in entry.decisions)
                self.rewritten.update(
                    (d.seq, d.reason) for d in entry.decisions if d.reason not in SAME_BYTES
                )
                if made := entry.rewrite:
                    self._shorten(made.reason, made.saved_tokens)
            case Compacted():
                self.compactions.append(entry)
                self.rewritten[entry.seq] = f"summary, {entry.reason}"
                self._shorten("summary", entry.before_tokens - entry.after_tokens)
                self.context_tokens = 0
            case CompactionUndone():
                undone = self.compactions.pop()
                self.rewritten[undone.seq] = "summary undone"
                self._shorten("summary undone", undone.after_tokens - undone.before_tokens)
                self.context_tokens = 0
            case ResultDeleted():
                self._delete(entry.sha256)
            case UsageAdded():
                self._count(entry.record, entry.at)
            case NoteSet():
                self.notes[entry.name] = entry.value
            case StateChanged():
                self._change(entry)
            case Opened() | Resumed() | Undone() | Closed() | Lost():
                pass
            case _:
                assert_never(entry)

    @property
    def compaction(self) -> Compacted | None:
        """The one that is in force."""
        return self.compactions[-1] if self.compactions else None

    @property
    def summed_up_to(self) -> int:
        """The `seq` up to which a summary stands for the messages; 0 without one."""
        return self.compaction.upto_seq if self.compaction else 0

    def in_view(self, result: ToolResult) -> bool:
        """Whether the model sees the result itself, and no summary in its place."""
        pinned = self.compaction.pinned if self.compaction else ()
        return result.seq > self.summed_up_to or result.seq in pinned

    def _delete(self, sha256: str) -> None:
        """Results are shown as deleted from now on; of what a user attached the place says so."""
        self.deleted.add(sha256)
        holding = [m for m in self.transcript if any(o.sha256 == sha256 for o in originals_of(m))]
        self.shown.update((m.seq, DELETED) for m in holding if isinstance(m, ToolResult))
        self.rewritten.update((m.seq, "deleted") for m in holding)

    def _shorten(self, reason: str, saved_tokens: int) -> None:
        self.shortenings.append(
            Shortening(after_requests=len(self.usage), saved_tokens=saved_tokens, reason=reason)
        )

    def _count(self, record: UsageRecord, at: str) -> None:
        self.usage.append(record)
        if record.purpose == "answer" or (record.row and record.row.same):
            self.last_request_at = record.sent_at or at  # what sent nothing of the conversation kept no cache
        if record.purpose != "answer":
            return
        self.last_answer = record
        self.context_tokens = record.usage.context
        if record.row is not None:
            self.sent = Sent(
                provider=record.provider,
                model=record.model,
                parts=((self.sent.parts[: record.row.same] if self.sent else ()) + record.row.added),
                marks=frozenset(record.row.marks),
                at=datetime.fromisoformat(self.last_request_at),
                tokens=record.usage.context,
            )
            self.rewritten.clear()

    def _change(self, entry: StateChanged) -> None:
        self.mode = self.mode if entry.mode is None else entry.mode
        self.provider = self.provider if entry.provider is None else entry.provider
        self.model = self.model if entry.model is None else entry.model
        self.autonomy = self.autonomy if entry.autonomy is None else entry.autonomy
        self.prompt_key = self.prompt_key if entry.prompt_key is None else entry.prompt_key
        self.tools_key = self.tools_key if entry.tools_key is None else entry.tools_key

    def unanswered(self) -> list[tuple[ToolCall, bool]]:
        """Calls of the last reply without a result, in call order, and whether each was started.

        Only the last reply can have any: nothing but results is added behind an open call. Of calls
        with the same id the first counts, and one without an id is none: as in dispatch and pairing.
        """
        answered = {""}
        for message in reversed(self.transcript):
            if isinstance(message, ToolResult):
                answered.add(message.call_id)
            if isinstance(message, AssistantMessage):
                calls: dict[str, ToolCall] = {}
                for call in message.calls:
                    calls.setdefault(call.id, call)
                return [
                    (call, (message.seq, call.id) in self._started)
                    for call in calls.values()
                    if call.id not in answered
                ]
        return []
