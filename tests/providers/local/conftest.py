"""The whole agent on a model file whose replies are written beside it: all is real but the library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chatcli.agent.conversation import Conversation
from chatcli.agent.start import Start, open_conversation
from chatcli.events import RunEvent, RunFinished, TextDelta
from tests.providers.local.gguf_files import write_gguf

LIBRARY = Path(__file__).parent / "library"


class Nobody:
    present = False


class Talk:
    def __init__(self, conversation: Conversation, model: Path) -> None:
        self.conversation = conversation
        self.events: list[RunEvent] = []
        self.spoke = asyncio.Event()
        self.model = model
        conversation.listeners.append(self._hear)

    async def say(self, text: str) -> RunFinished:
        return await self.conversation.run(text)

    def told(self, kind: type) -> list[RunEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What llama.cpp was asked."""
        seen = Path(f"{self.model}.seen").read_text(encoding="utf-8")
        return [json.loads(line) for line in seen.splitlines()]

    def _hear(self, event: RunEvent) -> None:
        self.events.append(event)
        if isinstance(event, TextDelta):
            self.spoke.set()


def write_script(model: Path, *replies: list[dict[str, Any]]) -> None:
    Path(f"{model}.script").write_text(json.dumps(replies), encoding="utf-8")


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{LIBRARY}:{Path(__file__).parents[3]}")


@pytest.fixture
def play(tmp_path: Path, stand_in: None) -> Callable:
    """`async with play(*replies) as open_talk: talk = open_talk()` in a small project."""
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    (project / "hello.py").write_text("def hello():\n    return 'olá'\n", encoding="utf-8")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}

    @asynccontextmanager
    async def played(
        *replies: list[dict[str, Any]], mode: str = "agent", **model_facts: int
    ) -> AsyncIterator[Callable[..., Talk]]:
        model = write_gguf(home / "models" / "small.gguf", **model_facts)
        write_script(model, *replies)
        opened: list[Talk] = []

        def open_talk(resume: str = "", assignments: tuple[str, ...] = ()) -> Talk:
            for talk in opened:
                talk.conversation.session.close()
            start = Start(
                provider="LOCAL",
                folder=str(project),
                mode=mode,
                autonomy="plan",
                resume=resume,
                assignments=assignments,
            )
            conversation = open_conversation(start, home=home, environment=environment, person=Nobody())
            opened.append(Talk(conversation, model))
            return opened[-1]

        try:
            yield open_talk
        finally:
            for talk in opened:
                await talk.conversation.provider.aclose()
                talk.conversation.session.close()

    return played


@pytest.fixture
def stand_in_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library counts as installed."""
    monkeypatch.syspath_prepend(LIBRARY)
