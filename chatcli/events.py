"""What happens, told once: the REPL, the JSON output and the tests hear the same stream.

Two families. *Reply events* come from a provider while it answers. *Run events* come from the
agent loop; it passes text and reasoning on as they arrive. Each event encodes to one JSON object
with a `type`: that is the JSONL output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from chatcli.messages import AssistantPart, PresentationKind, ResultStatus, StopReason, Usage

NoticeLevel = Literal["info", "warning", "error"]
RunEnd = Literal[
    "answered",
    "max_turns",
    "max_cost",
    "stagnation",
    "denied",
    "cancelled",
    "output_limit",
    "refused",
    "failed",
]
Purpose = Literal["answer", "summary", "title", "memory", "subagent"]


# --- reply events: what a provider yields -------------------------------------------------------


class TextDelta(Struct, frozen=True, tag="text"):
    text: str


class ReasoningDelta(Struct, frozen=True, tag="reasoning"):
    text: str


class ToolCallDelta(Struct, frozen=True, tag="tool_call_delta"):
    """A call is being written. `arguments` is the next piece of its JSON text."""

    call_id: str
    name: str
    arguments: str


class UsageSeen(Struct, frozen=True, tag="usage_seen"):
    """Usage known so far (cumulative): it counts even when the reply is then cut or cancelled."""

    usage: Usage


class Reply(Struct, frozen=True, tag="reply", kw_only=True):
    """The finished reply: always the last event of a stream that did not fail."""

    parts: tuple[AssistantPart, ...]
    stop_reason: StopReason
    usage: Usage
    model: str
    """The model that answered, as the service names it."""
    cut_call_id: str = ""
    """The call in the middle of which the reply reached its limit: it stands without arguments."""
    unreadable_call: bool = False
    """Where calls are written as text: one was meant that cannot be read, and is left as text."""


ReplyEvent = TextDelta | ReasoningDelta | ToolCallDelta | UsageSeen | Reply


# --- run events: what the loop tells ------------------------------------------------------------


class RunStarted(Struct, frozen=True, tag="run_started", kw_only=True):
    session_id: str
    provider: str
    model: str
    mode: str
    autonomy: str
    folder: str


class TurnStarted(Struct, frozen=True, tag="turn_started"):
    """A request is about to be sent. Turns count from 1 in each run."""

    turn: int


class AssistantFinished(Struct, frozen=True, tag="assistant"):
    """The whole text of one reply, after its deltas."""

    text: str
    stop_reason: StopReason


class ToolStarted(Struct, frozen=True, tag="tool_started", kw_only=True):
    call_id: str
    name: str
    summary: str
    """The call in a few words, for people: `chatcli/app.py lines 1-80`."""


class ToolProgress(Struct, frozen=True, tag="tool_progress", kw_only=True):
    """Something that a running tool printed; foreign text, never markup."""

    call_id: str
    text: str


class ToolFinished(Struct, frozen=True, tag="tool_finished", kw_only=True):
    call_id: str
    name: str
    summary: str
    status: ResultStatus
    brief: str
    key: str
    chars: int
    duration_seconds: float
    diff: str = ""
    """Unified diff of what the call wrote, when it wrote."""


class ResultShown(Struct, frozen=True, tag="result_shown", kw_only=True):
    """How a result will be presented from now on; `reason` names why it was rewritten, if it was."""

    call_id: str
    key: str
    kind: PresentationKind
    chars: int
    shown_chars: int
    reason: str = ""


class Retrying(Struct, frozen=True, tag="retrying", kw_only=True):
    attempt: int
    of: int
    delay_seconds: float
    reason: str


class UsageRecorded(Struct, frozen=True, tag="usage", kw_only=True):
    """One billed request. `cost_usd` is None when the price is unknown."""

    provider: str
    model: str
    purpose: Purpose
    usage: Usage
    cost_usd: float | None
    window_tokens: int


class QueuedDelivered(Struct, frozen=True, tag="queued_delivered"):
    """A message typed while the agent worked was given to the model, with the files that it names."""

    text: str
    files: tuple[str, ...] = ()


class Notice(Struct, frozen=True, tag="notice"):
    """One line for the person, already translated."""

    level: NoticeLevel
    text: str


class RunFinished(Struct, frozen=True, tag="run_finished", kw_only=True):
    """Sums of this run, side calls included."""

    end: RunEnd
    text: str
    turns: int
    tool_calls: int
    usage: Usage
    cost_usd: float | None
    duration_seconds: float


RunEvent = (
    RunStarted
    | TurnStarted
    | TextDelta
    | ReasoningDelta
    | ToolCallDelta
    | AssistantFinished
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | ResultShown
    | Retrying
    | UsageRecorded
    | QueuedDelivered
    | Notice
    | RunFinished
)

Listener = Callable[[RunEvent], None]
