"""Leaves the older part of a conversation out of the view, with a summary in its place."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct, structs

from chatcli.agent.requests import draft
from chatcli.agent.run import Run
from chatcli.agent.summary import summarise
from chatcli.context.compaction import turns_of
from chatcli.context.recovery import cut_for, last_cut, record_of
from chatcli.messages import Message, ToolResult
from chatcli.providers.base import Request
from chatcli.session.entries import Compacted, CompactionReason
from chatcli.session.session import Session

_KEPT = 0.25
"""Of the conversation: what the last turns may take that are kept beside a summary."""
_SHRUNK = 0.9


def kept_cut(run: Run, request: Request) -> int:
    """Where the last turns of `request` begin that are kept; there must be something before them."""
    tokens_of = run.pipeline.tokens_of
    keep_tokens = round(_KEPT * sum(map(tokens_of, request.messages)))
    cut = cut_for(request.messages, keep_tokens, tokens_of, run.session.summed_up_to)
    assert cut is not None
    return cut


def leave_out(run: Run, request: Request, cut: int, summary: str, reason: CompactionReason) -> Compacted:
    """A compaction that leaves out what stands before position `cut` of `request`, not yet recorded.

    All but the turns with pinned results.
    """
    upto_seq = request.messages[cut].seq - 1
    pinned = {seq for seq, shown in run.session.shown.items() if shown.pinned and seq <= upto_seq}
    kept = turns_of(pinned, run.session.transcript) if pinned else ()
    return Compacted(
        seq=0,
        at="",
        upto_seq=upto_seq,
        pinned=tuple(message.seq for message in kept if isinstance(message, ToolResult)),
        summary=summary,
        plan=plan_of(run.session),
        reason=reason,
        before_tokens=run.meter.size_tokens(request, run.provider),
        after_tokens=0,
    )


async def compact_by_hand(run: Run, keep: str) -> Compacted | None:
    """Sum up the conversation because the user wants it; None when that would make it no smaller.

    The model is not asked where even an empty summary would save nothing.
    Raises `MoneyLimit` when there is no money for it.
    """
    request = draft(run, rewrites=False).request  # as it was sent before: so it is read from the cache
    if last_cut(request.messages, run.session.summed_up_to) is None:
        return None
    emptied = leave_out(run, request, kept_cut(run, request), "", "asked")
    if _sized(run, emptied) is None:
        return None
    summary = await summarise(run, request, request.messages, keep)
    compaction = _sized(run, structs.replace(emptied, summary=summary)) if summary else None
    if compaction is None:
        return None
    run.session.record_compaction(compaction)
    return run.session.compaction


def _sized(run: Run, compaction: Compacted) -> Compacted | None:
    """With the size of what it leaves; None when that is no smaller.

    What age would shorten is no merit of a summary, so that nothing is rewritten for it.
    """
    smaller = draft(run, rewrites=False, compaction=compaction).request
    after_tokens = run.meter.size_tokens(smaller, run.provider)
    if after_tokens > _SHRUNK * compaction.before_tokens:
        return None
    return structs.replace(compaction, after_tokens=after_tokens)


def plan_of(session: Session) -> str:
    """The list of tasks, a line each, as the todo tool keeps it; empty without one."""
    try:
        items = msgspec.json.decode(session.notes.get("tool:todo", "[]"), type=list[_Item])
    except msgspec.DecodeError:
        return ""
    return "\n".join(f"{number}. [{item.state}] {item.text}" for number, item in enumerate(items, 1))


class _Item(Struct, frozen=True):
    text: str
    state: str = "pending"


def without_model(session: Session, left_out: Sequence[Message]) -> str:
    """The last summary, and the record of what was called since."""
    before = session.compaction
    since = [m for m in left_out if before is None or m.seq > before.upto_seq]
    return "\n\n".join(part for part in (before.summary if before else "", record_of(since)) if part)
