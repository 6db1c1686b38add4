"""What fills the window now, and what the user takes out of it or keeps in it by hand.

The run that is given is one `beside` those of the conversation: their pipeline remembers what was
sent last.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct, structs

from chatcli.agent.cost.occasion import priced
from chatcli.agent.recovery import FULL
from chatcli.agent.requests import draft, occasion_now
from chatcli.agent.run import Run
from chatcli.agent.store import SessionStore
from chatcli.context.microcompact import clear
from chatcli.context.pipeline import View
from chatcli.context.present import is_stored
from chatcli.context.window import Contents, contents_of
from chatcli.messages import ToolResult
from chatcli.session.entries import PINNED, RELEASED, Decision, Rewrite


class Window(Struct, frozen=True, kw_only=True):
    """As the next request would be. Tokens as the service counts them, estimated."""

    contents: Contents
    window_tokens: int
    limit_tokens: int
    """Past these, room is made before a request is sent."""
    billed_tokens: int
    """Size of the last request as the service counted it; 0 where it has not said so."""


class Dropped(Struct, frozen=True, kw_only=True):
    results: int
    rewrite: Rewrite


def look_into(run: Run) -> Window:
    """The window as it stands: nothing is recorded, and nothing is shortened by looking."""
    session = run.session
    request = draft(run, rewrites=False).request
    summary_seq = session.compaction.seq if session.compaction else 0
    ageing = None if run.schedule == "off" else run.pipeline.ageing
    contents = contents_of(request, ageing, summary_seq)
    last = session.last_answer
    billed = session.context_tokens if last is not None and not last.usage.estimated else 0
    return Window(
        contents=contents.scaled(run.meter.size_tokens(request, run.provider)),
        window_tokens=run.provider.window_tokens,
        limit_tokens=round(FULL * run.provider.window_tokens),
        billed_tokens=billed,
    )


def drop(run: Run, seqs: Collection[int]) -> Dropped | None:
    """Show these results in one line from now on; None when none becomes shorter by it.

    It is a rewrite like any other: recorded, with what it saves and what it costs. Not while a request
    is out: with its answer the reason would be forgotten.
    """
    view = draft(run, rewrites=False).view
    report = clear(
        view.messages,
        {result.seq for result in _kept(view, seqs)},
        SessionStore(run.session),
        occasion_now(run, run.schedule),
        tokens_of=run.pipeline.tokens_of,
    )
    rewrite = priced(report.rewrite, run.provider)
    if rewrite is None:
        return None
    run.session.record_decisions(report.decisions, rewrite)
    return Dropped(results=len(report.decisions), rewrite=rewrite)


def pin(run: Run, seqs: Collection[int], *, pinned: bool) -> int:
    """Keep these results as they are shown now, or let them age again; tells how many that changes."""
    reason = PINNED if pinned else RELEASED
    decisions = [
        Decision(result.seq, structs.replace(result.shown, pinned=pinned), reason)
        for result in _kept(draft(run, rewrites=False).view, seqs)
        if result.shown and result.shown.pinned != pinned
    ]
    if decisions:
        run.session.record_decisions(decisions)
    return len(decisions)


def _kept(view: View, seqs: Collection[int]) -> list[ToolResult]:
    """Those that are archived, and of which more than one line is shown."""
    results = (m for m in view.messages if isinstance(m, ToolResult) and m.seq in seqs)
    return [r for r in results if is_stored(r) and r.shown and r.shown.kind not in ("summary", "deleted")]
