"""Transcript to view: pairing, budget, microcompaction, in this order, before every request.

What a compaction leaves out is left out before. The stages are pure functions; `Pipeline` gives what
they give and remembers finished work. The repair of pairing and the budget of a turn concern one
assistant message and what follows it up to the next: once that is there, both are done for good. And
what no rewrite can change any more is not looked at for its age. So one more request costs the last
turns and a copy of the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.compaction import head_of
from chatcli.context.limits import Ageing, Limits
from chatcli.context.microcompact import MicrocompactReport, apply_microcompact, may_change
from chatcli.context.pairing import PairingReport, ensure_tool_result_pairing
from chatcli.context.recovery import squeezed
from chatcli.context.scheduler import Occasion
from chatcli.context.store import ResultStore
from chatcli.context.tokens import estimate_message_tokens
from chatcli.messages import AssistantMessage, Message, Presentation, Text, ToolResult, UserMessage
from chatcli.session.entries import Compacted, Decision, Rewrite

_OPENING = UserMessage(
    seq=0, parts=(Text("[The conversation before this point is not shown.]", origin="notice"),)
)


class View(Struct, frozen=True, kw_only=True):
    """What the model will see. It begins with a user message, and pairing holds."""

    messages: tuple[Message, ...]
    decisions: tuple[Decision, ...]
    """New presentations: recorded before the request is sent."""
    rewrite: Rewrite | None = None
    """What those of old results save and cost together, if there are any."""
    pairing: PairingReport
    """Of what was not yet in the view before."""
    unchanged_messages: int
    """How many messages from the first on are those of the view before."""
    settled_messages: int
    """How many messages from the first on no rewrite for age will change any more."""


class _Finished(Struct, kw_only=True):
    """What need not be done again. Positions count messages from 0."""

    compaction: Compacted | None = None
    shown: dict[int, Presentation] = {}
    """As it will be given next time, when all decisions were recorded."""
    view: list[Message] = []
    open: int = 0
    """Where the last turn, which may still grow, begins in the transcript."""
    open_view: int = 0
    """Where it begins in the view."""
    settled: int = 0
    """How many messages of the view no rewrite for age will change any more."""
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
        self.ageing = ageing
        self._store = store
        self._finished = _Finished()
        self._disturbances = 0
        self._rendered: dict[int, ToolResult] = {}
        """The last view of each result, by `seq`."""
        self._tokens: dict[int, tuple[Message, int]] = {}
        self._head: tuple[Compacted, list[Message], int] | None = None

    def prepare(
        self,
        transcript: Sequence[Message],
        shown: Mapping[int, Presentation],
        occasion: Occasion | None = None,
        compaction: Compacted | None = None,
    ) -> View:
        """The view of `transcript`, in which results are shown as `shown` says for their `seq`.

        `transcript` only grows, and `shown` holds what was recorded, the decisions of earlier views
        included. When it holds anything else, or there is another compaction, all messages are looked
        at again. `occasion` decides when old results are rewritten; without one, as soon as they come
        of age.
        """
        before, finished = self._finished.view, self._finished
        transcript = self._compacted(transcript, compaction)
        if finished.compaction is compaction and finished.begins(transcript, shown):
            before = before[finished.open_view :]
        else:
            finished = _Finished(shown=dict(shown), compaction=compaction)
        self._finished = _Finished()  # work that is interrupted is done again
        kept = finished.open_view
        pairing, first = self._add(finished, transcript, shown)
        unchanged = kept + _common(before, finished.view[kept:])
        report, first_rewritten = self._age(finished, occasion or Occasion())
        decisions = (*first, *report.decisions)
        finished.shown.update((decision.seq, decision.presentation) for decision in decisions)
        finished.seen, finished.last = len(transcript), transcript[-1] if transcript else None
        self._finished = finished
        off = occasion is not None and occasion.schedule == "off"
        return View(
            messages=tuple(finished.view),
            decisions=decisions,
            rewrite=report.rewrite,
            pairing=pairing,
            unchanged_messages=min(unchanged, first_rewritten),
            settled_messages=len(finished.view) if off else finished.settled,
        )

    def forget(self) -> None:
        """Do all work anew at the next view: what is remembered turned out to be wrong."""
        self._finished = _Finished()
        self._rendered.clear()

    def look_again(self, disturbances: int) -> None:
        """Forget everything if this number grew: files that markers name may be gone."""
        if disturbances != self._disturbances:
            self._disturbances = disturbances
            self.forget()

    def _compacted(self, transcript: Sequence[Message], compaction: Compacted | None) -> Sequence[Message]:
        """What is left of the transcript; what stands for the rest is made once."""
        if compaction is None:
            return transcript
        if self._head is None or self._head[0] is not compaction:
            self._head = (compaction, *head_of(transcript, compaction))
        _compaction, head, cut = self._head
        return [*head, *transcript[cut:]]

    def _add(
        self, finished: _Finished, transcript: Sequence[Message], shown: Mapping[int, Presentation]
    ) -> tuple[PairingReport, tuple[Decision, ...]]:
        """Pair and budget the last turn again, which may have grown, and what is new after it."""
        suffix = [self._remembered(message, shown) for message in transcript[finished.open :]]
        paired, pairing = ensure_tool_result_pairing(suffix)
        added, budget = enforce_tool_result_budget(paired, shown, self._limits, self._store)
        if finished.open_view == 0 and added and not isinstance(added[0], UserMessage):
            added = [_OPENING, *added]
        finished.view[finished.open_view :] = added
        finished.settled = min(finished.settled, finished.open_view)
        self._remember(added)
        for position in range(len(finished.view) - 1, finished.open_view, -1):
            if isinstance(finished.view[position], AssistantMessage):
                finished.open_view = position
                finished.open = _position_of(finished.view[position].seq, transcript)
                break
        return pairing, budget.decisions

    def _age(self, finished: _Finished, occasion: Occasion) -> tuple[MicrocompactReport, int]:
        """Microcompact what may still change; also tells the first message that did."""
        _settle(finished, self.ageing)
        start, young = finished.settled, finished.view[finished.settled :]
        aged, report = apply_microcompact(young, self.ageing, self._store, occasion, tokens_of=self.tokens_of)
        if aged is young:
            return report, len(finished.view)
        finished.view[start:] = aged
        self._remember(aged)
        _settle(finished, self.ageing)
        return report, start + _common(young, aged)

    def _remembered(self, message: Message, shown: Mapping[int, Presentation]) -> Message:
        """The last view of a result, if it is of this very result and still what is recorded."""
        if not isinstance(message, ToolResult) or (known := self._rendered.get(message.seq)) is None:
            return message
        same = known.original is message.original and known.shown == shown.get(message.seq)
        return known if same else message

    def _remember(self, messages: Sequence[Message]) -> None:
        for message in messages:
            if isinstance(message, ToolResult):
                self._rendered[message.seq] = message

    def squeezed(self, view: View, budget_tokens: int) -> Mapping[int, Presentation]:
        """How the results of each turn are shown, by `seq`, to take no more than this, where it is less."""
        return squeezed(view.messages, budget_tokens, self._limits, self._store)

    def tokens_of(self, message: Message) -> int:
        """Estimated once for each message."""
        known, tokens = self._tokens.get(message.seq, (None, 0))
        if known is not message:
            tokens = estimate_message_tokens(message)
            self._tokens[message.seq] = message, tokens
        return tokens


def _settle(finished: _Finished, ageing: Ageing) -> None:
    """Move over what no rewrite can change any more."""
    while finished.settled < len(finished.view):
        message = finished.view[finished.settled]
        if isinstance(message, ToolResult) and may_change(message, ageing):
            break
        finished.settled += 1


def _position_of(seq: int, transcript: Sequence[Message]) -> int:
    """Where the message with this `seq` stands, sought from the end."""
    position = len(transcript) - 1
    while transcript[position].seq != seq:
        position -= 1
    return position


def _common(before: Sequence[Message], after: Sequence[Message]) -> int:
    """How many messages from the first on are the very same, to the model."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((n for n, (one, other) in pairs if not _same(one, other)), min(len(before), len(after)))


def _same(one: Message, other: Message) -> bool:
    """A pin makes another object of a result, and changes nothing that is sent."""
    if one is other or not (isinstance(one, ToolResult) and isinstance(other, ToolResult)):
        return one is other
    return structs.replace(one, shown=other.shown) == other
