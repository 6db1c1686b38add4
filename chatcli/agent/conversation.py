"""A conversation: one session at a time, a provider, a mode, and the runs of the loop in it.

The REPL, the one-shot command and the tests all talk to this; they hear what happens through
`listeners`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

from chatcli.agent.attach import Attaching
from chatcli.agent.blocks import stable_blocks
from chatcli.agent.calls.dispatch import Dispatch
from chatcli.agent.calls.memories import Memories
from chatcli.agent.calls.toolbox import Toolbox
from chatcli.agent.clock import Clock, utc_now
from chatcli.agent.compaction import compact_by_hand
from chatcli.agent.cost.cachelife import ttl_in_force
from chatcli.agent.cost.meter import Meter
from chatcli.agent.cost.money import Spent, add_up
from chatcli.agent.cost.occasion import schedule_in_force
from chatcli.agent.cost.purse import Purse
from chatcli.agent.hyde import imagine
from chatcli.agent.inbox import Inbox
from chatcli.agent.learning import learn
from chatcli.agent.loop import run_loop
from chatcli.agent.modes import mode_named
from chatcli.agent.note import context_note
from chatcli.agent.person import Person, TimedPerson
from chatcli.agent.prelude import take_in, tip_about
from chatcli.agent.run import Run, RunLimits, finished
from chatcli.agent.sessions import Sessions
from chatcli.agent.store import SessionStore
from chatcli.agent.text_protocol.fence import fence_of
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.events import Listener, Notice, RunEnd, RunEvent, RunFinished, RunStarted
from chatcli.extensions.rules import Rules as RulesFiles
from chatcli.gate.environment import child_environment
from chatcli.gate.gate import Gate
from chatcli.gate.rules import Rules
from chatcli.i18n import language
from chatcli.memory.fact import Fact
from chatcli.memory.recall import Recall
from chatcli.memory.store import Memory
from chatcli.providers.base import Provider
from chatcli.providers.retry import RetryPolicy
from chatcli.session.checkpoints import Undo
from chatcli.session.entries import Compacted
from chatcli.session.session import Session
from chatcli.settings import Autonomy, Loaded
from chatcli.tools.registry import Registry

T = TypeVar("T")


class Conversation:
    """Made by `chatcli.agent.start.open_conversation`."""

    def __init__(
        self,
        *,
        session: Session,
        sessions: Sessions,
        loaded: Loaded,
        allow: Sequence[str],
        rules: RulesFiles,
        registry: Registry,
        provider: Provider,
        chosen_because: str,
        mode: str,
        person: Person,
        environment: Mapping[str, str],
        clock: Clock = utc_now,
    ) -> None:
        self.sessions = sessions
        self.loaded = loaded
        self.settings = loaded.settings
        self.rules = rules
        """The rules files that new sessions start with."""
        self.registry = registry
        self.provider = provider
        self.chosen_because = chosen_because
        """Why this provider answers, in words for a person."""
        self.mode = mode
        self.autonomy: Autonomy = loaded.settings.autonomy
        self.person = TimedPerson(person)
        self.memory = Memory(sessions.home)
        self._recall = Recall(self.memory)
        self.inbox = Inbox()
        self.listeners: list[Listener] = []
        self._allow = allow
        self._environment = environment
        self._clock = clock
        self._task: (
            asyncio.Task[RunEnd] | asyncio.Task[Compacted | None] | asyncio.Task[list[Fact]] | None
        ) = None
        self._run: Run | None = None
        """What works, or worked last; None when it could not begin."""
        self._bind(session)

    def _bind(self, session: Session) -> None:
        """Go on in this session: everything that belongs to one session is made anew."""
        settings = self.settings
        self.session = session
        self.gate = Gate(
            session.folder,
            home=self.sessions.home,
            rules=Rules(self.sessions.home, session.folder, allow=self._allow),
            autonomy=self.autonomy,
            approver=self.person if self.person.present else None,
            extra_readable=[session.workspace.tool_results],
            extra_writable=[session.workspace.scratch],
            environment=child_environment(self._environment, session.workspace.environment()),
        )
        self.meter = Meter(
            session,
            Purse(settings.session_budget_usd, self.person, self.emit),
            self.emit,
            cold_cache_usd=settings.cold_cache_usd,
            clock=self._clock,
        )
        self.memories = Memories(
            self.memory,
            self._recall,
            session=session,
            gate=self.gate,
            settings=settings,
            guess=self._guess,
            tell=self.emit,
        )
        self.toolbox = Toolbox(
            session=session,
            gate=self.gate,
            person=self.person,
            environment=self._environment,
            settings=settings,
            home=self.sessions.home,
            memories=self.memories,
        )
        self._dispatch = Dispatch(
            session=session,
            registry=self.registry,
            box=self.toolbox,
            listen=self.emit,
            max_parallel_calls=settings.max_parallel_calls,
        )
        self._pipeline = self._new_pipeline()
        self._stored_marks: tuple[int, ...] = ()

    @property
    def running(self) -> bool:
        return self._task is not None

    @property
    def context_tokens(self) -> int:
        """Size of the last request as the service counted it; while one is out, what is expected."""
        return self.meter.context_tokens

    @property
    def window_tokens(self) -> int:
        return self.provider.window_tokens

    def emit(self, event: RunEvent) -> None:
        for listener in self.listeners:
            listener(event)

    async def run(
        self,
        text: str,
        *,
        mode: str | None = None,
        attachments: Sequence[Path] = (),
        piped: BinaryIO | None = None,
        may_reroute: bool = True,
    ) -> RunFinished:
        """Give the user's words to the model and work until the run ends.

        `attachments` are files that the user named, `piped` is what came on standard input. With
        `may_reroute` a question given to the agent may be answered in chat, as the setting says; the mode
        stays. A `RunFinished` follows the `RunStarted` in every case; a `UserFacingError` is raised after it.
        """
        began = time.monotonic()
        self.mode = mode_named(mode or self.mode).name
        route = self.settings.smart_route if may_reroute and not attachments and piped is None else "off"
        tip = tip_about(text, mode=self.mode, route=route, provider=self.provider)
        answered_in = "chat" if tip and route == "auto" else self.mode
        self._begin(answered_in)
        if tip:
            self.emit(Notice("info", tip))
        end: RunEnd = "failed"
        try:
            self.set_mode(self.mode)
            self._task = asyncio.create_task(self._answer(answered_in, text, attachments, piped))
            end = await self._outcome(self._task, "cancelled")
        finally:
            if self._run:
                self._stored_marks = self._run.stored_marks
            outcome = finished(self._run, end, self.meter.run_spent, time.monotonic() - began)
            self.emit(outcome)
        return outcome

    def cancel(self) -> bool:
        """Stop what runs. False when nothing did."""
        if self._task is None:
            return False
        self._task.cancel()
        return True

    def set_mode(self, mode: str) -> None:
        self.mode = mode_named(mode).name
        if self.session.mode != self.mode:
            self.session.set_state(mode=self.mode)

    def set_autonomy(self, autonomy: Autonomy) -> None:
        self.autonomy = self.gate.autonomy = autonomy

    def start_anew(self) -> None:
        """`/clear`: leave the current session and begin a new one."""
        self._enter(self.sessions.new())

    def resume(self, session_id: str, *, fork: bool = False) -> None:
        """`/resume`: go on with another session. The current one stays when that fails."""
        self._enter(self.sessions.resume(session_id, fork=fork))

    def undo(self, *, force: bool = False) -> Undo | None:
        """Put back the files that the last run changed; None when there is nothing to undo."""
        return self.session.undo(force=force)

    async def learn(self) -> list[Fact]:
        """Remember what the user's new messages say that lasts; what was new. Not while a run works.

        Raises a `ProviderError`, `MoneyLimit`, and what keeps a fact from being remembered.
        """
        self._task = asyncio.create_task(learn(self._new_run(), self.memory))
        return await self._outcome(self._task, [])

    async def compact(self, keep: str = "") -> Compacted | None:
        """`/compact`: let the model sum up what is older than the last turns, and show that instead.

        `keep` is what the user does not want to be lost. None when it would make the conversation no
        smaller, or was cancelled. Raises a `ProviderError`. Not while a run works.
        """
        self._task = asyncio.create_task(compact_by_hand(self._new_run(), keep))
        return await self._outcome(self._task, None)

    def undo_compaction(self) -> bool:
        """`/compact undo`: show the model again what the last compaction left out; False without one."""
        return self.session.undo_compaction()

    def beside(self) -> Run:
        """For `chatcli.agent.window`: nothing is sent in it, and what was sent last stays known."""
        run = self._new_run()
        run.pipeline = self._new_pipeline()
        return run

    def _enter(self, session: Session) -> None:
        self.session.close(keep_workspace=self.settings.keep_tmpdir)
        self._bind(session)

    async def use_provider(self, provider: Provider) -> None:
        """Go on with another model. Everything said so far is kept."""
        old, self.provider = self.provider, provider
        self.session.set_state(provider=provider.name, model=provider.model)
        await old.aclose()

    @property
    def spent(self) -> Spent:
        """Everything that the session was billed for."""
        return add_up(self.session.usage)

    async def aclose(self) -> None:
        """Leave: the session is closed, its workspace removed unless settings keep it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        try:
            await self.provider.aclose()
        finally:
            self.session.close(keep_workspace=self.settings.keep_tmpdir)
            for gone in self.sessions.sweep(self.settings):
                self.emit(Notice("info", gone))

    def _new_pipeline(self) -> Pipeline:
        return Pipeline(
            Limits.from_settings(self.settings, self.registry.narrower()),
            Ageing.from_settings(self.settings),
            SessionStore(self.session),
        )

    def _new_run(self, mode_name: str = "") -> Run:
        settings = self.settings
        mode = mode_named(mode_name or self.mode)
        return Run(
            session=self.session,
            provider=self.provider,
            pipeline=self._pipeline,
            blocks=stable_blocks(
                self.session, language(), self.rules.text, self.sessions.home, self.memories.digest
            ),
            fence=fence_of(self.session),
            tools=self.registry.schemas(),
            dispatch=self._dispatch,
            person=self.person,
            meter=self.meter,
            mode=mode,
            limits=RunLimits(
                max_turns=mode.max_turns or settings.max_turns,
                stagnation_turns=settings.early_exit_turns if settings.early_exit else None,
            ),
            schedule=schedule_in_force(self.loaded),
            ttl=ttl_in_force(self.provider, settings.cache_ttl),
            stored_marks=self._stored_marks,
            retry=RetryPolicy.from_settings(settings),
            max_output_tokens=settings.max_output_tokens,
            listen=self.emit,
            attaching=self._attaching(),
            inbox=self.inbox,
        )

    def _attaching(self) -> Attaching:
        return Attaching(
            session=self.session, settings=self.settings, provider=self.provider, listen=self.emit
        )

    async def _answer(
        self, mode: str, text: str, attachments: Sequence[Path], piped: BinaryIO | None
    ) -> RunEnd:
        note = context_note(
            mode=mode,
            autonomy=self.autonomy,
            attended=self.person.present,
            folder=self.session.folder,
            today=date.today(),
        )
        files = self._attaching().files(attachments, piped)
        recall = partial(self.memories.tail, text, pulls=mode_named(mode).runs_tools)
        message = await take_in(self.session, text, files, recall, note)
        self.toolbox.run_seq = message.seq
        if not self.session.prompt_key:
            await self.memories.settle_store()
        self._run = self._new_run(mode)
        return await run_loop(self._run)

    async def _guess(self, question: str) -> str:
        """What an answer to a question to the memory might look like, where the setting asks for that."""
        wanted = self.settings.memory_hyde and self.memory.exists
        return await imagine(self._new_run(), question) if wanted else ""

    async def _outcome(self, task: asyncio.Task[T], when_cancelled: T) -> T:
        """What a task comes to that `cancel` may end."""
        try:
            return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise
            return when_cancelled
        finally:
            self._task = None

    def _begin(self, mode: str) -> None:
        self._run = None
        self.meter.start_run()
        self.emit(
            RunStarted(
                session_id=self.session.id,
                provider=self.provider.name,
                model=self.provider.model,
                mode=mode,
                autonomy=self.autonomy,
                folder=str(self.session.folder),
            )
        )
