"""The agent loop.

    transcript -> view -> request -> reply -> journal -> tools -> results -> transcript ...

until the model makes no call, a limit is reached, the run stagnates or somebody cancels. Every way
out leaves the transcript well-formed: each call has its result, in memory and on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from chatcli.agent.call_names import with_sendable_names
from chatcli.agent.costs import Meter
from chatcli.agent.dispatch import Dispatch
from chatcli.agent.modes import Mode
from chatcli.agent.occasion import key_of, occasion_of, priced, utc_now
from chatcli.agent.person import TimedPerson
from chatcli.agent.purse import Purse
from chatcli.agent.reply import StreamedReply
from chatcli.agent.watch import Watch
from chatcli.context.assemble import assemble
from chatcli.context.breakpoints import stored_marks
from chatcli.context.pipeline import Pipeline, View
from chatcli.events import (
    AssistantFinished,
    Listener,
    Notice,
    QueuedDelivered,
    ResultShown,
    RunEnd,
    TurnStarted,
)
from chatcli.i18n import _
from chatcli.messages import AssistantMessage, AssistantPart, StopReason, Text, ToolResult, ToolSchema
from chatcli.providers.base import Block, Provider, Request
from chatcli.providers.retry import RetryPolicy
from chatcli.session.session import Session
from chatcli.settings import Schedule

_COMPARED_MAX_BYTES = 200_000

STAGNATION_NOTICE = (
    "The last turns only repeated themselves, so the loop was stopped. No tool runs now: answer from what "
    "you have, and say what is missing."
)
STOPPED_REFUSAL = "Not run: the loop was stopped because it repeated itself."


class Limits(Struct, frozen=True, kw_only=True):
    max_turns: int
    stagnation_turns: int | None
    """None: the detector is off."""


class Run(Struct, kw_only=True):
    """Everything that one run of the loop works with."""

    session: Session
    provider: Provider
    pipeline: Pipeline
    blocks: tuple[Block, ...]
    tools: tuple[ToolSchema, ...]
    dispatch: Dispatch
    person: TimedPerson
    meter: Meter
    purse: Purse
    mode: Mode
    limits: Limits
    schedule: Schedule
    stored_marks: tuple[int, ...]
    """Messages of the last request behind which the cache has a prefix."""
    retry: RetryPolicy
    max_output_tokens: int
    listen: Listener
    take_queued: Callable[[], Sequence[str]]
    """Messages typed since it was last called."""
    turns: int = 0
    tool_calls: int = 0
    text: str = ""
    """The last text of the model: the answer, once the run has ended."""


async def run_loop(run: Run) -> RunEnd:
    """Work until there is nothing left to do. The user's message is already in the transcript."""
    watch = Watch(run.limits.stagnation_turns, run.session, run.person, run.listen)
    denied = False
    while run.turns < run.limits.max_turns:
        if not await run.purse.allows_another():
            return "max_cost"
        message = await _next_reply(run)
        if not message.calls:
            if _deliver_queued(run):
                watch.forget()
                continue
            return "denied" if denied else _end_of(message)
        if not run.mode.runs_tools:
            run.dispatch.refuse(message)
            continue
        run.tool_calls += len(message.calls)
        results = await run.dispatch.run(message)
        denied = any(result.status == "denied" for result in results)
        if await watch.must_stop(message.calls, results, list(_texts(run.session, results))):
            return await _conclude(run)
        if _deliver_queued(run):
            watch.forget()
    return "answered" if not run.mode.runs_tools else "max_turns"


async def _next_reply(run: Run) -> AssistantMessage:
    """One turn: ask, and journal the reply."""
    run.turns += 1
    run.listen(TurnStarted(run.turns))
    request = _next_request(run)
    answer = StreamedReply(run.provider, run.retry, run.meter, run.listen, turn=run.turns)
    try:
        reply = await answer.receive(request)
    except BaseException:
        if answer.spoken.strip():  # what the user saw stays part of the conversation
            _keep(run, (Text(answer.spoken),), run.provider.model, "cancelled")
        raise
    return _keep(run, reply.parts, reply.model, reply.stop_reason)


def _next_request(run: Run) -> Request:
    """Prepare the view, record how results are shown, and put the request together."""
    session = run.session
    tools_key = key_of(run.tools)
    occasion = occasion_of(session, run.provider, run.schedule, tools_key, utc_now())
    view = run.pipeline.prepare(session.transcript, session.shown, occasion)
    if session.tools_key != tools_key:
        session.set_state(tools_key=tools_key)
    if view.decisions:
        session.record_decisions(view.decisions, priced(view.rewrite, run.provider))
        _tell_shown(run, view)
    request = assemble(
        view,
        run.blocks,
        run.tools,
        model=run.provider.model,
        cache_key=session.id,
        max_output_tokens=run.max_output_tokens,
        previous=run.stored_marks,
    )
    run.stored_marks = stored_marks(run.stored_marks, view.unchanged_messages, request.marks)
    run.meter.sending(request, run.provider, view.decisions)
    return request


def _keep(
    run: Run, parts: tuple[AssistantPart, ...], model: str, stop_reason: StopReason
) -> AssistantMessage:
    """Journal a reply. One that says nothing and calls nothing is told, but not kept: services refuse it."""
    parts = with_sendable_names(parts)
    message = AssistantMessage(
        seq=0, parts=parts, provider=run.provider.name, model=model, stop_reason=stop_reason
    )
    if message.calls or message.text.strip():
        message = run.session.add_assistant(
            parts, provider=run.provider.name, model=model, stop_reason=stop_reason
        )
    elif stop_reason == "end":
        run.listen(Notice("warning", _("The model returned an empty reply.")))
    run.text = message.text
    run.listen(AssistantFinished(message.text, stop_reason))
    return message


async def _conclude(run: Run) -> RunEnd:
    """One last turn in which no tool runs, so that the user gets an answer from what is there."""
    run.listen(Notice("warning", _("The run only repeated itself: it was stopped.")))
    run.session.add_user((Text(STAGNATION_NOTICE, origin="notice"),))
    run.dispatch.refuse(await _next_reply(run), STOPPED_REFUSAL)
    return "stagnation"


def _deliver_queued(run: Run) -> bool:
    """Give the model what was typed meanwhile. True when there was something."""
    texts = run.take_queued()
    for text in texts:
        run.session.add_user((Text(text),))
        run.listen(QueuedDelivered(text))
    return bool(texts)


def _end_of(message: AssistantMessage) -> RunEnd:
    match message.stop_reason:
        case "max_tokens":
            return "output_limit"
        case "refusal":
            return "refused"
        case _:
            return "answered"


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


def _texts(session: Session, results: Sequence[ToolResult]) -> Iterator[str]:
    """What tells one result from another: its text, or its digest where that is too long to look at."""
    for result in results:
        original = result.original
        short = original.key and original.size_bytes <= _COMPARED_MAX_BYTES
        yield session.archive.text(original) if short else original.sha256
