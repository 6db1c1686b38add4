"""The agent loop.

    transcript -> view -> request -> reply -> journal -> tools -> results -> transcript ...

until the model makes no call, a limit is reached, the run stagnates or somebody cancels. Every way
out leaves the transcript well-formed: each call has its result, in memory and on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from chatcli.agent.continuing import Continuing
from chatcli.agent.cost.purse import MoneyLimit
from chatcli.agent.judgement.watch import Watch
from chatcli.agent.pairing_repair import repaired
from chatcli.agent.recovery import Recovery
from chatcli.agent.reply import StreamedReply
from chatcli.agent.run import Run
from chatcli.errors import BadRequest, ContextOverflow, ProviderError
from chatcli.events import AssistantFinished, Notice, QueuedDelivered, Reply, RunEnd, TurnStarted
from chatcli.i18n import _
from chatcli.messages import AssistantMessage, AssistantPart, StopReason, Text, ToolResult
from chatcli.providers import prices
from chatcli.providers.call_names import with_sendable_names
from chatcli.session.session import Session

_COMPARED_MAX_BYTES = 200_000

STAGNATION_NOTICE = (
    "The last turns only repeated themselves, so the loop was stopped. No tool runs now: answer from what "
    "you have, and say what is missing."
)
STOPPED_REFUSAL = "Not run: the loop was stopped because it repeated itself."


class _Answer(Struct, frozen=True):
    """A reply as it was journalled, and as it came."""

    message: AssistantMessage
    reply: Reply


async def run_loop(run: Run) -> RunEnd:
    """Work until there is nothing left to do. The user's message is already in the transcript."""
    if run.session.usage:
        await prices.load(run.provider.name)  # whether to rewrite what was sent before is weighed
    try:
        return await _work(run)
    except MoneyLimit:
        run.turns -= 1  # nothing was sent
        return "max_cost"


async def _work(run: Run) -> RunEnd:
    watch = Watch(run.limits.stagnation_turns, run.session, run.person, run.listen)
    going_on = Continuing(run)
    denied = False
    while run.turns < run.limits.max_turns:
        answer = await _next_answer(run, going_on)
        message = answer.message
        if not message.calls:
            if going_on.after_words(answer.reply):
                continue
            if _deliver_queued(run):
                watch.forget()
                continue
            if not (denied or run.text.strip()) and message.stop_reason == "end":
                raise ProviderError(_("The model returned an empty reply."), provider=run.provider.name)
            return "denied" if denied else _end_of(message)
        if not run.mode.runs_tools:
            run.dispatch.refuse(message)
            continue
        run.tool_calls += len(message.calls)
        results = await run.dispatch.run(message, going_on.must_not_run(answer.reply))
        denied = any(result.status == "denied" for result in results)
        going_on.remind_beside_calls(answer.reply)
        if going_on.exhausted:
            return "output_limit"
        if await watch.must_stop(message.calls, results, list(_texts(run.session, results))):
            return await _conclude(run, going_on)
        if _deliver_queued(run):
            watch.forget()
    return "answered" if not run.mode.runs_tools else "max_turns"


async def _next_answer(run: Run, going_on: Continuing) -> _Answer:
    """One turn: ask, and journal the reply. One that broke off is gone on with, in a turn of its own."""
    run.turns += 1
    run.listen(TurnStarted(run.turns))
    room = Recovery(run)
    request = await room.first_request()
    mended = False
    while True:
        answer = StreamedReply(run.provider, run.retry, run.meter, run.listen, turn=run.turns)
        try:
            reply = await answer.receive(request)
        except ProviderError as error:
            if answer.seen:
                _keep_spoken(run, answer)
                if not going_on.after_break(error, answer.spoken):
                    raise
                return await _next_answer(run, going_on)
            if isinstance(error, ContextOverflow):
                request = await room.smaller_request(request, error)
            elif isinstance(error, BadRequest) and not mended:
                request, mended = repaired(run, request, error), True
            else:
                raise
        except BaseException:
            _keep_spoken(run, answer)
            raise
        else:
            return _Answer(_keep(run, reply.parts, reply.model, reply.stop_reason), reply)


def _keep_spoken(run: Run, answer: StreamedReply) -> None:
    """What the user saw of a reply stays part of the conversation."""
    if answer.spoken.strip():
        _keep(run, (Text(answer.spoken),), run.provider.model, "cancelled")


def _keep(
    run: Run, parts: tuple[AssistantPart, ...], model: str, stop_reason: StopReason
) -> AssistantMessage:
    """Journal a reply. One that says nothing and calls nothing is not kept: services refuse it."""
    parts = with_sendable_names(parts)
    message = AssistantMessage(
        seq=0, parts=parts, provider=run.provider.name, model=model, stop_reason=stop_reason
    )
    if message.calls or message.text.strip():
        message = run.session.add_assistant(
            parts, provider=run.provider.name, model=model, stop_reason=stop_reason
        )
    run.text, run.begun = run.begun + message.text, ""
    run.listen(AssistantFinished(message.text, stop_reason))
    return message


async def _conclude(run: Run, going_on: Continuing) -> RunEnd:
    """One last turn in which no tool runs, so that the user gets an answer from what is there."""
    run.listen(Notice("warning", _("The run only repeated itself: it was stopped.")))
    run.session.add_user((Text(STAGNATION_NOTICE, origin="notice"),))
    run.dispatch.refuse((await _next_answer(run, going_on)).message, STOPPED_REFUSAL)
    return "stagnation"


def _deliver_queued(run: Run) -> bool:
    """Give the model what was typed meanwhile. True when there was something."""
    delivered = False
    for words, files in run.attaching.queued(run.inbox):
        run.session.add_user((words, *files))
        run.listen(QueuedDelivered(words.text, tuple(file.path for file in files)))
        delivered = True
    return delivered


def _end_of(message: AssistantMessage) -> RunEnd:
    match message.stop_reason:
        case "max_tokens":
            return "output_limit"
        case "refusal":
            return "refused"
        case _:
            return "answered"


def _texts(session: Session, results: Sequence[ToolResult]) -> Iterator[str]:
    """What tells one result from another: its text, or its digest where that is too long to look at."""
    for result in results:
        original = result.original
        short = original.key and original.size_bytes <= _COMPARED_MAX_BYTES
        yield session.archive.text(original) if short else original.sha256
