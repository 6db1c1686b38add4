"""Runs the calls of one reply: validate, gate, run, archive, journal.

Neighbouring calls that only read and are safe together run in parallel; everything else runs one
at a time, in the order in which the model asked. Results are journalled in call order. Whatever
happens, every call of the batch has exactly one result when `dispatch` is left.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct, structs

from chatcli.agent.calls.outside import MAX_FENCE_CHARS, mark_outside
from chatcli.agent.calls.toolbox import Toolbox
from chatcli.agent.modes import CHAT_REFUSAL
from chatcli.context.limits import PREVIEW
from chatcli.context.previews import fit, render
from chatcli.errors import (
    CancelledByUser,
    Denied,
    InvalidArguments,
    StorageError,
    ToolFailed,
    UserFacingError,
)
from chatcli.events import Listener, ToolFinished, ToolProgress, ToolStarted
from chatcli.messages import Archived, AssistantMessage, ResultStatus, ToolCall, ToolResult
from chatcli.session.measure import measure_unstored
from chatcli.session.session import CANCELLED, INTERRUPTED, Session
from chatcli.tools.api import ToolOutput
from chatcli.tools.registry import Registry
from chatcli.tools.sdk import Tool

logger = logging.getLogger(__name__)

_MAX_FENCED_BYTES = 2_000_000
"""What a command printed beyond that stays in the archive as it came."""

SKIPPED = "Not executed: an earlier call of this turn that changes things failed or was denied."


class Planned(Struct, frozen=True, kw_only=True):
    """One call, checked: either a tool with valid arguments or the reason why it cannot run."""

    call: ToolCall
    tool: Tool | None = None
    arguments: dict[str, Any] = {}
    refusal: str = ""
    unfit: str = ""
    """Why it must not even be tried."""
    read_only: bool = False
    parallel: bool = False
    summary: str = ""


class Outcome(Struct, frozen=True, kw_only=True):
    """What one call came to, before it is archived."""

    output: ToolOutput
    status: ResultStatus
    seconds: float = 0.0
    diff: str = ""
    stops_batch: bool = False
    """Later calls of the batch that change things must not run on top of this."""


class Dispatch:
    """The dispatcher of a session."""

    def __init__(
        self, *, session: Session, registry: Registry, box: Toolbox, listen: Listener, max_parallel_calls: int
    ) -> None:
        self._session = session
        self._registry = registry
        self._box = box
        self._listen = listen
        self._slots = asyncio.Semaphore(max_parallel_calls)
        self._so_far: dict[str, ToolOutput] = {}
        """By call id, the output of calls that were interrupted."""

    async def run(self, message: AssistantMessage, unfit: Mapping[str, str] = {}) -> list[ToolResult]:
        """Run all calls of `message`. Cancelling closes what was not finished, then re-raises.

        `unfit` are calls, by id, that must not run, with the reason.
        """
        plans = self._plans(message, unfit)
        results: list[ToolResult] = []
        stopped = False
        try:
            for group in _groups(plans):
                if group[0].unfit:
                    results.append(self._close(group[0], group[0].unfit, "not_executed"))
                elif stopped and not group[0].read_only:
                    results += [self._close(plan, SKIPPED, "not_executed") for plan in group]
                else:
                    stopped = await self._run_group(message, group, results) or stopped
        finally:
            for plan in plans[len(results) :]:
                self._close(plan, CANCELLED, "cancelled")
        return results

    async def _run_group(
        self, message: AssistantMessage, group: Sequence[Planned], results: list[ToolResult]
    ) -> bool:
        """Run one group and append its results in order; True when the batch must not go on.

        When it is cancelled, calls that had finished keep their real result.
        """
        for plan in group:
            self._session.start_call(message, plan.call)
            self._tell_start(plan)
        began = self._worked_seconds()
        tasks = [asyncio.ensure_future(self._execute(plan)) for plan in group]
        before = len(results)
        try:
            outcomes = []
            for plan, task in zip(group, tasks, strict=True):
                outcomes.append(await task)
                results.append(self._record(plan, outcomes[-1]))
                _end_if_cancelled()
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            done = len(results) - before
            for plan, task in zip(group[done:], tasks[done:], strict=True):
                so_far = self._so_far.pop(plan.call.id, None)
                results.append(self._record(plan, _outcome(task, so_far, self._worked_seconds() - began)))
            raise
        return any(outcome.stops_batch for outcome in outcomes)

    def refuse(self, message: AssistantMessage, text: str = CHAT_REFUSAL) -> list[ToolResult]:
        """Answer every call with `text` without running any."""
        return [self._close(plan, text, "not_executed") for plan in self._plans(message)]

    def _plans(self, message: AssistantMessage, unfit: Mapping[str, str] = {}) -> list[Planned]:
        """One plan a call id: pairing keeps the first of a repeated id, so only that one runs."""
        calls = {call.id: call for call in reversed(message.calls) if call.id}
        return [
            Planned(call=call, unfit=unfit[call.id]) if call.id in unfit else self._plan(call)
            for call in reversed(calls.values())
        ]

    def _plan(self, call: ToolCall) -> Planned:
        name = call.name.removeprefix("@")
        tool = self._registry.tools.get(name)
        if tool is None:
            known = ", ".join(sorted(self._registry.tools))
            return Planned(call=call, refusal=f"There is no tool {name!r}. Tools: {known}.", read_only=True)
        try:
            arguments = tool.validate(call.arguments())
        except InvalidArguments as error:
            return Planned(call=call, tool=tool, refusal=str(error), read_only=tool.is_read_only({}))
        read_only = tool.is_read_only(arguments)
        return Planned(
            call=call,
            tool=tool,
            arguments=arguments,
            read_only=read_only,
            parallel=read_only and tool.is_concurrent(arguments),
            summary=tool.summary(arguments),
        )

    async def _execute(self, plan: Planned) -> Outcome:
        if plan.tool is None or plan.refusal:
            return Outcome(
                output=ToolOutput(text=plan.refusal, is_error=True),
                status="error",
                stops_batch=not plan.read_only,
            )
        named = self._box.outside.origin_of(plan.call.arguments_json)
        cap_chars = plan.tool.max_result_chars - (MAX_FENCE_CHARS if named else 0)
        context = self._box.context(plan.call.id, cap_chars, self._progress(plan.call.id))
        async with self._slots:
            began = self._worked_seconds()
            try:
                output = self._fence(await plan.tool.run(context, plan.arguments), named)
                status: ResultStatus = "error" if output.is_error else "ok"
                stops = False
            except Denied as error:
                output = ToolOutput(text=str(error), is_error=True, brief=error.brief)
                status, stops = "denied", True
            except CancelledByUser as error:
                output, status, stops = ToolOutput(text=str(error), is_error=True), "cancelled", True
            except asyncio.CancelledError:
                if context.so_far:
                    self._so_far[plan.call.id] = self._fence(ToolOutput(archived=context.so_far), named)
                raise
            except (ToolFailed, UserFacingError) as error:  # it may quote what the call names
                output = self._fence(ToolOutput(text=str(error), is_error=True), named)
                status, stops = "error", True
        return Outcome(
            output=output,
            status=status,
            seconds=self._worked_seconds() - began,
            diff="".join(context.diffs),
            stops_batch=stops and not plan.read_only,
        )

    def _fence(self, output: ToolOutput, named: str) -> ToolOutput:
        """Text from outside is never told apart from ours by its words alone, nor a part of it read again."""
        origin = output.origin or named
        if not origin or (output.archived and output.archived.size_bytes > _MAX_FENCED_BYTES):
            return output
        found = self._session.archive.text(output.archived) if output.archived else output.text
        text = self._box.outside.fence(found, origin)
        text = "\n".join(filter(None, (output.preface, text)))
        return structs.replace(output, text=text, origin=origin, archived=None)

    def _worked_seconds(self) -> float:
        """A clock that stands still while a person thinks about a question."""
        return time.monotonic() - self._box.person.thought_seconds

    def _record(self, plan: Planned, outcome: Outcome) -> ToolResult:
        """Archive first, then journal: nothing was cut yet."""
        output = outcome.output
        archived, kept = self._archive(output)
        if output.origin:
            mark_outside(self._session, archived, output.origin)
        result = self._session.add_result(
            call_id=plan.call.id,
            name=plan.call.name,
            status=outcome.status,
            original=archived,
            read_only=plan.read_only if output.read_only is None else output.read_only,
            verbatim=output.verbatim,
            self_limited=output.self_limited,
            cap_chars=plan.tool.max_result_chars if plan.tool else 30_000,
            duration_seconds=round(outcome.seconds, 3),
            brief=output.brief,
            text=kept,
        )
        self._tell_end(plan, result, outcome.diff or output.diff)
        return result

    def _archive(self, output: ToolOutput) -> tuple[Archived, str]:
        """The stored original; where none could be stored, what is kept of it, which says so."""
        if output.archived:
            return output.archived, ""
        try:
            return self._session.archive.put_text(output.text), ""
        except StorageError as error:
            logger.warning("a result could not be archived: %s", error)
        lost = measure_unstored(output.text)
        shown = fit(output.text, PREVIEW, lost, None, max_chars=self._box.max_chars)
        return lost, render(output.text, shown, lost, None).text

    def _close(self, plan: Planned, text: str, status: ResultStatus) -> ToolResult:
        return self._record(plan, Outcome(output=ToolOutput(text=text), status=status))

    def _progress(self, call_id: str) -> Callable[[str], None]:
        return lambda text: self._listen(ToolProgress(call_id=call_id, text=text))

    def _tell_start(self, plan: Planned) -> None:
        self._listen(ToolStarted(call_id=plan.call.id, name=plan.call.name, summary=plan.summary))

    def _tell_end(self, plan: Planned, result: ToolResult, diff: str) -> None:
        self._listen(
            ToolFinished(
                call_id=plan.call.id,
                name=plan.call.name,
                summary=plan.summary,
                status=result.status,
                brief=result.brief,
                key=result.original.key,
                chars=result.original.size_chars,
                duration_seconds=result.duration_seconds,
                diff=diff,
            )
        )


def _groups(plans: Sequence[Planned]) -> Iterator[list[Planned]]:
    """Runs of calls that may go together; every other call is a group of its own."""
    for parallel, group in groupby(plans, key=lambda plan: plan.parallel):
        if parallel:
            yield list(group)
        else:
            yield from ([plan] for plan in group)


def _end_if_cancelled() -> None:
    """A tool may end as if nothing had happened when it is cancelled: the run ends all the same."""
    if (running := asyncio.current_task()) and running.cancelling():
        raise asyncio.CancelledError


def _outcome(task: asyncio.Future[Outcome], so_far: ToolOutput | None, seconds: float) -> Outcome:
    """What a task of a cancelled group came to."""
    if not task.cancelled() and task.exception() is None:
        return task.result()
    return Outcome(output=so_far or ToolOutput(text=INTERRUPTED), status="interrupted", seconds=seconds)
