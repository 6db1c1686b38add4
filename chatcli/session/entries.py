"""What a journal holds: one entry a line, the only source of truth about a session on disk.

Entries are numbered 1, 2, 3 ... in file order. The `seq` of a message equals the `seq` of the
entry that added it: it is the identity of the message in its session. Readers ignore fields they do
not know and skip entry types they do not know, so that an older chatcli can go on with a newer
session; a change that an older reader would misunderstand raises `FORMAT`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Literal

import msgspec
from msgspec import Struct

from chatcli.events import Purpose
from chatcli.messages import Message, Presentation, Usage
from chatcli.session.sent import Row

FORMAT = 2
"""2: a message of the user may hold images."""


class Decision(Struct, frozen=True):
    """How one tool result is shown from now on: the first presentation, or a rewrite."""

    seq: int
    """Of the `ToolResult`."""
    presentation: Presentation
    reason: str
    """`first` for the first presentation, else what made the rewrite worth it: `age`, `pressure` ..."""
    saved_chars: int = 0
    """Chars that this decision takes out of the view."""


DROPPED = "user"
"""Reason of a result that the user took out of the view."""
PINNED, RELEASED = "pinned", "released"
SAME_BYTES = frozenset({"first", PINNED, RELEASED})
"""Reasons of decisions that rewrite nothing."""

CompactionReason = Literal[
    "asked",
    "pressure",  # the window was nearly full
    "overflow",  # the service said that the request does not fit
]


class Rewrite(Struct, frozen=True, kw_only=True):
    """What the rewrites for one request save and cost together. Tokens are estimated."""

    reason: str
    """As in the decisions."""
    saved_tokens: int
    """Every request from now on is shorter by these."""
    price_tokens: int
    """What is paid once, because the cached prefix is lost: as many uncached input tokens."""
    price_usd: float | None = None
    """The same in money; None when the price is unknown."""


MissCause = Literal[
    "model", "tools", "block", "rewrite", "changed", "shrank", "expired", "minimum", "many_blocks", "service"
]


class CacheMiss(Struct, frozen=True, kw_only=True):
    """Tokens that a request could have read from the cache and did not, and why."""

    cause: MissCause
    detail: str
    """The tools, the block, the message, or how long it was idle; not translated."""
    lost_tokens: int
    expected: bool
    """It follows from a recorded decision: a rewrite, another model, a pause."""
    lost_usd: float | None = None
    """What these tokens cost more than a read would have; None when a price is unknown."""


class UsageRecord(Struct, frozen=True, kw_only=True):
    """One billed request, side calls included. `cost_usd` is None when the price is unknown."""

    provider: str
    model: str
    purpose: Purpose
    usage: Usage
    cost_usd: float | None
    turn: int
    seconds: float
    miss: CacheMiss | None = None
    sent_at: str = ""
    """When the request was sent: UTC, ISO 8601."""
    estimated_tokens: int = 0
    """Size of the request as it was estimated, not calibrated."""
    row: Row | None = None
    """The parts of the request, where the service said what it had read of them."""


class _Line(Struct, frozen=True, kw_only=True, tag_field="type"):
    seq: int
    at: str
    """UTC, ISO 8601."""


class Opened(_Line, frozen=True, tag="opened"):
    """Always the first entry."""

    session_id: str
    folder: str
    """The project folder, absolute."""
    workspace: str
    """The workspace folder, absolute; its random name is drawn once."""
    version: str
    """Of the chatcli that wrote the session."""
    parent: str = ""
    """The session that this one was forked from."""
    format: int = FORMAT


class Resumed(_Line, frozen=True, tag="resumed"):
    """Another process goes on with the session. `workspace` differs when the old path was taken."""

    workspace: str
    version: str
    torn_bytes: int = 0
    """Length of the unfinished last line that was cut off."""
    format: int = FORMAT


class MessageAdded(_Line, frozen=True, tag="message"):
    message: Message
    number: int
    """Counts the messages alone, from 1: a listing reads it from the end of the file."""


class CallStarted(_Line, frozen=True, tag="call"):
    """Written before a tool runs: from here on the call may have had effects."""

    assistant_seq: int
    call_id: str
    name: str


class Shown(_Line, frozen=True, tag="shown"):
    """Presentations decided for one request, written before it is sent."""

    decisions: tuple[Decision, ...]
    rewrite: Rewrite | None = None
    """When old results are among them."""


class Compacted(_Line, frozen=True, tag="compacted"):
    """From here on the model sees `summary` in place of the messages up to and with `upto_seq`.

    The transcript keeps them. What the user said there is shown all the same.
    """

    upto_seq: int
    summary: str
    reason: CompactionReason
    before_tokens: int
    after_tokens: int
    """Size of the request before and after, estimated."""
    plan: str = ""
    """The list of tasks as it stood."""
    words_from_seq: int = 0
    """What the user said in messages before this one is not quoted: there was no room."""
    pinned: tuple[int, ...] = ()
    """Results, by `seq`, of turns in which the user had pinned one: those turns are shown all the same."""
    only_task: bool = False
    """There was no room either for the files that came with the task that is being worked on."""


class CompactionUndone(_Line, frozen=True, tag="compaction_undone"):
    """The last compaction holds no longer: the view is again what it was without it."""


class ResultDeleted(_Line, frozen=True, tag="result_deleted"):
    """The user had an original removed, before it was: all results with these bytes are shown as deleted."""

    sha256: str


class UsageAdded(_Line, frozen=True, tag="usage"):
    record: UsageRecord


class NoteSet(_Line, frozen=True, tag="note"):
    """A tool's small state, such as its list of tasks."""

    name: str
    value: str


class StateChanged(_Line, frozen=True, tag="state"):
    """What the session goes on with; None where nothing changed."""

    mode: str | None = None
    provider: str | None = None
    model: str | None = None
    autonomy: str | None = None
    prompt_key: str | None = None
    """Archive key of the stable prompt blocks, rendered once and reused on resume."""
    tools_key: str | None = None
    """Digest of the tools that requests carry from here on."""


class Undone(_Line, frozen=True, tag="undone"):
    """The files that a turn had changed were put back."""

    turn: int
    paths: tuple[str, ...]


class Closed(_Line, frozen=True, tag="closed"):
    reason: str


class Lost(_Line, frozen=True, tag="lost"):
    """Stands for an entry that a damaged file no longer held."""


Entry = (
    Opened
    | Resumed
    | MessageAdded
    | CallStarted
    | Shown
    | Compacted
    | CompactionUndone
    | ResultDeleted
    | UsageAdded
    | NoteSet
    | StateChanged
    | Undone
    | Closed
    | Lost
)


def now() -> str:
    """The time as entries carry it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@cache
def entry_decoder() -> msgspec.json.Decoder[Entry]:
    """Decodes one line of a type that is known here."""
    return msgspec.json.Decoder(Entry)
