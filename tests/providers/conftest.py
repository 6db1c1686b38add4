"""The whole agent in a small project, talking to the strict server by any row of the table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chatcli.agent.conversation import Conversation
from chatcli.agent.start import Start, open_conversation
from chatcli.events import RunEvent, RunFinished, TextDelta
from tests.providers.rows import ROWS, keep_reviewer
from tests.wire import script
from tests.wire.server import WireServer, serve


class Nobody:
    """There is no terminal: whatever must be asked is denied."""

    present = False


class Talk:
    """One conversation, what it told, and what the service saw."""

    def __init__(self, conversation: Conversation, server: WireServer) -> None:
        self.conversation = conversation
        self.server = server
        self.events: list[RunEvent] = []
        self.spoke = asyncio.Event()
        conversation.listeners.append(self._hear)

    async def say(self, text: str) -> RunFinished:
        return await self.conversation.run(text)

    def told(self, kind: type) -> list[RunEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def seen(self):
        """The newest request."""
        return self.server.exchanges[-1].seen

    def _hear(self, event: RunEvent) -> None:
        self.events.append(event)
        if isinstance(event, TextDelta):
            self.spoke.set()


@pytest.fixture
def play(tmp_path: Path) -> Callable:
    """`async with play(row, *replies) as open_talk: talk = open_talk()` in a small project.

    At the end everything is closed, and nothing was violated.
    """
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    (project / "hello.py").write_text("def hello():\n    return 'olá'\n", encoding="utf-8")
    keep_reviewer(home)

    @asynccontextmanager
    async def played(
        name: str, *replies: script.Step, **variables: str
    ) -> AsyncIterator[Callable[..., Talk]]:
        row = ROWS[name]
        opened: list[Talk] = []

        def open_talk(resume: str = "") -> Talk:
            for talk in opened:
                talk.conversation.session.close()
            start = Start(
                provider=row.provider,
                model=row.model,
                folder=str(project),
                mode="agent",
                autonomy="plan",
                resume=resume,
            )
            conversation = open_conversation(start, home=home, environment=environment, person=Nobody())
            opened.append(Talk(conversation, server))
            return opened[-1]

        with serve(list(replies)) as server:
            environment = {
                "PATH": "/usr/bin:/bin",
                "HOME": str(tmp_path),
                "TMPDIR": str(tmp_path),
                "INITIAL_BACKOFF": "0",
                **server.environment(),
                **row.variables,
                **variables,
            }
            try:
                yield open_talk
            finally:
                for talk in opened:
                    await talk.conversation.provider.aclose()
                    talk.conversation.session.close()
        assert server.violations == []

    return played
