"""A conversation about a small project, against the strict server on the Ollama wire.

The wires differ below the loop only; tests/harness runs the real command on each of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest

from chatcli.agent.clock import Clock, utc_now
from chatcli.agent.conversation import Conversation
from chatcli.agent.start import Start, open_conversation
from chatcli.events import RunEvent
from chatcli.gate.questions import Answer, Question
from tests.wire.server import WireServer, serve


class FakePerson:
    """Answers every question with the next of `answers`, denying when there is none left."""

    def __init__(self, answers: Sequence[Answer] = (), *, present: bool = True) -> None:
        self.present = present
        self.answers = list(answers)
        self.questions: list[Question] = []
        self.asked = 0
        self.says = ""
        """What it answers when asked; without it the first option."""

    async def approve(self, question: Question) -> Answer:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else Answer("deny", "no answer prepared")

    async def ask(self, question: str, options: Sequence[str]) -> str | None:
        self.asked += 1
        return self.says or (options[0] if options else None)


class Talk:
    """One conversation with what it told and whom it spoke to."""

    def __init__(self, conversation: Conversation, server: WireServer, person: FakePerson) -> None:
        self.conversation = conversation
        self.server = server
        self.person = person
        self.events: list[RunEvent] = []
        self._came = asyncio.Event()
        conversation.listeners.append(self._hear)

    async def until(self, holds: Callable[[RunEvent], object]) -> None:
        """Wait for an event."""
        while not any(holds(event) for event in self.events):
            self._came.clear()
            await self._came.wait()

    def _hear(self, event: RunEvent) -> None:
        self.events.append(event)
        self._came.set()

    def told(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    def results(self) -> list:
        return [m for m in self.conversation.session.transcript if hasattr(m, "call_id")]

    def result_text(self, index: int) -> str:
        session = self.conversation.session
        return session.archive.text(self.results()[index].original)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "hello.py").write_text("def hello():\n    return 'olá'\n", encoding="utf-8")
    return folder


@pytest.fixture
def talk(tmp_path: Path, project: Path) -> Callable:
    """`async with talk(script) as t:` opens a conversation; at the end nothing may have been violated."""

    @asynccontextmanager
    async def opened(
        script,
        *,
        answers: Sequence[Answer] = (),
        present: bool = True,
        wire: str = "OLLAMA",
        server: dict | None = None,
        at: WireServer | None = None,
        variables: dict | None = None,
        clock: Clock = utc_now,
        **flags,
    ) -> AsyncIterator[Talk]:
        """`at` is a server that runs already, and goes on: with its cache, and with this script."""
        flags.setdefault("autonomy", "edits")
        with ExitStack() as open_here:
            running = at or open_here.enter_context(serve(script, **(server or {})))
            if at:
                at.play(script)
            person = FakePerson(answers, present=present)
            environment = {
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "HOME": str(tmp_path),
                "TMPDIR": str(tmp_path),
                "INITIAL_BACKOFF": "0",
                **running.environment(),
                **(variables or {}),
            }
            home = tmp_path / "home"
            home.mkdir(exist_ok=True)
            start = Start(provider=wire, folder=str(project), mode="agent", **flags)
            conversation = open_conversation(
                start, home=home, environment=environment, person=person, clock=clock
            )
            try:
                yield Talk(conversation, running, person)
            finally:
                await conversation.aclose()
        assert running.violations == []

    return opened
