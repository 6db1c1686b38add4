"""From the transcript to the next request: drafted, looked at, recorded, sent."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from chatcli.agent.cost.occasion import key_of, occasion_of, priced
from chatcli.agent.images import with_bytes
from chatcli.agent.run import Run
from chatcli.agent.text_protocol.choice import tool_form
from chatcli.context.assemble import assemble
from chatcli.context.breakpoints import stored_marks
from chatcli.context.pipeline import View
from chatcli.context.scheduler import Occasion
from chatcli.events import ResultShown
from chatcli.messages import Presentation, ToolResult
from chatcli.providers.base import Request
from chatcli.session.entries import Compacted
from chatcli.settings import Schedule


class Draft(Struct, frozen=True):
    """A request that may still be dropped: nothing of it was recorded."""

    view: View
    request: Request


def draft(
    run: Run,
    *,
    rewrites: bool = True,
    overflow: bool = False,
    compaction: Compacted | None = None,
    squeezed: Mapping[int, Presentation] | None = None,
) -> Draft:
    """The next request: without `rewrites` as it was sent before, with `overflow` as short as ages allow.

    `compaction` and `squeezed` are not recorded yet: a further compaction, and results that are
    shown otherwise from now on.
    """
    session = run.session
    run.pipeline.look_again(session.workspace.disturbances())
    occasion = occasion_now(run, run.schedule if rewrites else "off")
    view = run.pipeline.prepare(
        session.transcript,
        {**session.shown, **squeezed} if squeezed else session.shown,
        structs.replace(occasion, overflow=overflow, cold=occasion.cold or compaction is not None),
        compaction or session.compaction,
    )
    request = assemble(
        view,
        run.blocks,
        run.tools,
        model=run.provider.model,
        cache_key=session.id,
        max_output_tokens=run.max_output_tokens,
        previous=run.stored_marks,
        ttl=run.ttl,
        fence=run.fence,
        calls_run=run.mode.runs_tools,
        tool_form=tool_form(run.provider),
    )
    return Draft(view, request)


def occasion_now(run: Run, schedule: Schedule) -> Occasion:
    """What the next request of a run is prepared for."""
    tools_key, now = key_of(run.tools), run.meter.now()
    return occasion_of(run.session, run.provider, schedule, tools_key, now, run.ttl)


def commit(run: Run, drafted: Draft) -> Request:
    """Record what was decided for the request, which is sent next."""
    session, view, request = run.session, drafted.view, drafted.request
    if session.tools_key != (tools_key := key_of(run.tools)):
        session.set_state(tools_key=tools_key)
    if view.decisions:
        session.record_decisions(view.decisions, priced(view.rewrite, run.provider))
        _tell_shown(run, view)
    run.stored_marks = stored_marks(run.stored_marks, view.unchanged_messages, request.marks)
    return with_bytes(request, session.archive)


def _tell_shown(run: Run, view: View) -> None:
    """Tell what was shortened; results shown whole are no news."""
    by_seq = {decision.seq: decision for decision in view.decisions}
    for message in view.messages:
        if not isinstance(message, ToolResult) or message.shown is None:
            continue
        decision = by_seq.get(message.seq)
        if decision is None or message.shown.kind == "whole":
            continue
        run.listen(
            ResultShown(
                call_id=message.call_id,
                key=message.original.key,
                kind=message.shown.kind,
                chars=message.original.size_chars,
                shown_chars=len(message.text),
                reason=decision.reason,
            )
        )
