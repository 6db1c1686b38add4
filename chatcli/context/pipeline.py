"""Transcript to view: pairing, budget, microcompaction, in this order, before every request.

The stages are pure functions; `Pipeline` gives what they give and remembers finished work. The
repair of pairing and the budget of a turn concern one assistant message and what follows it up to
the next: once that is there, both are done for good. Ages only grow: a result is looked at again
when its turn reaches one of the two ages. So one more request costs the last turn, those that come
of age, and a copy of the list, however long the session is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.limits import Ageing, Limits
from chatcli.context.microcompact import apply_microcompact, may_change
from chatcli.context.pairing import PairingReport, ensure_tool_result_pairing
from chatcli.context.store import ResultStore
from chatcli.messages import AssistantMessage, Message, Presentation, Text, ToolResult, UserMessage
from chatcli.session.entries import Decision

_OPENING = UserMessage(
    seq=0, parts=(Text("[The conversation before this point is not shown.]", origin="notice"),)
)


class View(Struct, frozen=True, kw_only=True):
    """What the model will see. It begins with a user message, and pairing holds."""

    messages: tuple[Message, ...]
    decisions: tuple[Decision, ...]
    """New presentations: recorded before the request is sent."""
    pairing: PairingReport
    """Of what was not yet in the view before."""
    unchanged_messages: int
    """How many messages from the first on are those of the view before."""
    settled_messages: int
    """How many messages from the first on no rewrite for age will change any more."""


class _Finished(Struct, kw_only=True):
    """What need not be done again. Positions count messages from 0."""

    shown: dict[int, Presentation] = {}
    """As it will be given next time, when all decisions were recorded."""
    view: list[Message] = []
    turns: list[int] = []
    """Where the assistant messages stand in the view."""
    open: int = 0
    """Where the last turn, which may still grow, begins in the transcript."""
    open_view: int = 0
    """Where it begins in the view."""
    aged_turns: dict[int, int] = {}
    """By age: how many turns, from the first on, were looked at when they had reached it."""
    settled: int = 0
    seen: int = 0
    """How many messages of the transcript were looked at."""
    last: Message | None = None
    """The last of them."""

    def begins(self, transcript: Sequence[Message], shown: Mapping[int, Presentation]) -> bool:
        """Whether this is the work on a beginning of `transcript`, done with the same decisions."""
        if len(transcript) < self.seen or self.shown != shown:
            return False
        return self.seen == 0 or transcript[self.seen - 1] is self.last


class Pipeline:
    """The pipeline of one session. `prepare` gives what the plain stages give one after the other."""

    def __init__(self, limits: Limits, ageing: Ageing, store: ResultStore) -> None:
        self._limits = limits
        self._ageing = ageing
        self._store = store
        self._finished = _Finished()
        self._rendered: dict[int, ToolResult] = {}
        """The last view of each result, by `seq`."""

    def prepare(self, transcript: Sequence[Message], shown: Mapping[int, Presentation]) -> View:
        """The view of `transcript`, in which results are shown as `shown` says for their `seq`.

        `transcript` only grows, and `shown` holds what was recorded, the decisions of earlier views
        included. When it holds anything else, all messages are looked at again.
        """
        before, finished = self._finished.view, self._finished
        if finished.begins(transcript, shown):
            before = before[finished.open_view :]
        else:
            finished = _Finished(shown=dict(shown))
        self._finished = _Finished()  # work that is interrupted is done again
        kept = finished.open_view
        pairing, decisions = self._add(finished, transcript, shown)
        unchanged = kept + _common(before, finished.view[kept:])
        for start, rewrites in self._age(finished):
            unchanged = min(unchanged, start)
            decisions += rewrites
        self._settle(finished)
        finished.shown.update((decision.seq, decision.presentation) for decision in decisions)
        finished.seen, finished.last = len(transcript), transcript[-1] if transcript else None
        self._finished = finished
        return View(
            messages=tuple(finished.view),
            decisions=tuple(decisions),
            pairing=pairing,
            unchanged_messages=unchanged,
            settled_messages=finished.settled,
        )

    def _add(
        self, finished: _Finished, transcript: Sequence[Message], shown: Mapping[int, Presentation]
    ) -> tuple[PairingReport, list[Decision]]:
        """Pair and budget the last turn again, which may have grown, and what is new after it."""
        suffix = [self._remembered(message, shown) for message in transcript[finished.open :]]
        paired, pairing = ensure_tool_result_pairing(suffix)
        added, budget = enforce_tool_result_budget(paired, shown, self._limits, self._store)
        if finished.open_view == 0 and added and not isinstance(added[0], UserMessage):
            added = [_OPENING, *added]
        finished.view[finished.open_view :] = added
        finished.settled = min(finished.settled, finished.open_view)
        if finished.turns:
            finished.turns.pop()
        for position, message in enumerate(added, finished.open_view):
            if isinstance(message, AssistantMessage):
                finished.turns.append(position)
            elif isinstance(message, ToolResult):
                self._rendered[message.seq] = message
        if finished.turns:
            finished.open_view = finished.turns[-1]
            finished.open = _position_of(finished.view[finished.open_view].seq, transcript)
        return pairing, list(budget.decisions)

    def _remembered(self, message: Message, shown: Mapping[int, Presentation]) -> Message:
        """The last view of a result, if it is of this very result and still what is recorded."""
        if not isinstance(message, ToolResult) or (known := self._rendered.get(message.seq)) is None:
            return message
        same = known.original is message.original and known.shown == shown.get(message.seq)
        return known if same else message

    def _age(self, finished: _Finished) -> Iterator[tuple[int, tuple[Decision, ...]]]:
        """Microcompact the turns that reached an age: where each changes first, and its rewrites."""
        count = len(finished.turns)
        due = set[int]()
        for age in (self._ageing.truncate_turns, self._ageing.summarize_turns):
            done = finished.aged_turns.get(age, 0)
            due.update(range(done, count - age))
            finished.aged_turns[age] = max(done, count - age)
        for turn in sorted(due):
            start, end = finished.turns[turn], finished.turns[turn + 1]
            young = finished.view[start:end]
            aged, report = apply_microcompact(young, self._ageing, self._store, later_turns=count - 1 - turn)
            if report.decisions:
                finished.view[start:end] = aged
                self._rendered.update((m.seq, m) for m in aged if isinstance(m, ToolResult))
                yield start + _common(young, aged), report.decisions

    def _settle(self, finished: _Finished) -> None:
        while finished.settled < len(finished.view):
            message = finished.view[finished.settled]
            if isinstance(message, ToolResult) and may_change(message, self._ageing):
                break
            finished.settled += 1


def _position_of(seq: int, transcript: Sequence[Message]) -> int:
    """Where the message with this `seq` stands, sought from the end."""
    position = len(transcript) - 1
    while transcript[position].seq != seq:
        position -= 1
    return position


def _common(before: Sequence[Message], after: Sequence[Message]) -> int:
    """How many messages from the first on are the very same objects."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((n for n, (one, other) in pairs if one is not other), min(len(before), len(after)))
