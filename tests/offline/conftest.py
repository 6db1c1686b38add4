"""OFFLINE in the real loop, with the real tools, on a small project."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from msgspec import Struct

from chatcli.agent.start import Start, open_conversation
from chatcli.events import RunEvent, ToolFinished
from chatcli.gate.questions import Answer, Question

FILES = {
    "README.md": "# Sample\n\nA project that adds numbers.\n",
    "pyproject.toml": '[project]\nname = "sample"\ndescription = "Adds numbers"\n',
    "sample/__init__.py": "",
    "sample/adder.py": (
        '"""Adding."""\n\n\nclass RetryPolicy:\n    limit = 3\n\n\n'
        "def add(a, b):\n    # TODO: check types\n    return a + b\n"
    ),
    "sample/main.py": "from sample.adder import add\n\n\ndef main():\n    print(add(1, 2))\n",
    "docs/guide.md": "one\ntwo\nthree\nfour\nfive\n",
    "Makefile": "test:\n\t@echo two tests passed\n",
}


class Asked(Struct):
    """A person who gives the same answer to every question, and remembers the questions."""

    choice: str = "once"
    present: bool = True
    questions: list[Question] = []

    async def approve(self, question: Question) -> Answer:
        self.questions.append(question)
        return Answer(self.choice)

    async def ask(self, question: str, options: Sequence[str]) -> str | None:
        return None


class Told(Struct, frozen=True):
    """What a run came to."""

    text: str
    end: str
    turns: int
    tools: list[ToolFinished]


Ask = Callable[..., Awaitable[Told]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "tmp").mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "user"),
        "TMPDIR": str(tmp_path / "tmp"),
        "LLM_PROVIDER": "OFFLINE",
        "CHATCLI_LANG": "en",
    }


@pytest.fixture
def repository(project: Path) -> Path:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=Ana", "-c", "user.email=ana@example.com", *arguments],
            cwd=project,
            check=True,
            capture_output=True,
        )

    git("init", "-q", "-b", "trunk")
    git("add", ".")
    git("commit", "-q", "-m", "Add numbers")
    return project


@pytest.fixture
def person() -> Asked:
    return Asked(questions=[])


@pytest.fixture
def ask(project: Path, tmp_path: Path, environment: dict[str, str], person: Asked) -> Ask:
    """`await ask("show README.md")`: a fresh conversation, one run."""

    async def run(words: str, *, mode: str = "agent", autonomy: str = "ask") -> Told:
        conversation = open_conversation(
            Start(folder=str(project), mode=mode, autonomy=autonomy),
            home=tmp_path / "home",
            environment=environment,
            person=person,
        )
        events: list[RunEvent] = []
        conversation.listeners.append(events.append)
        try:
            finished = await conversation.run(words, mode=mode)
        finally:
            await conversation.aclose()
        tools = [event for event in events if isinstance(event, ToolFinished)]
        return Told(finished.text, finished.end, finished.turns, tools)

    return run
