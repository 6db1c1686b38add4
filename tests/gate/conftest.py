"""A project, a home, a gate; and a jail in which every program on PATH only records how it was called."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from chatcli.gate.gate import Gate
from chatcli.gate.questions import Answer, Question
from chatcli.gate.rules import Rules


class Person:
    """Answers from a list, and remembers what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[Question] = []

    async def approve(self, question: Question) -> Answer:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else Answer("deny", "no more answers")


class World:
    """Folders below one temporary folder: project, home of chatcli, home of the user, workspace."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.project = self.root / "project"
        self.home = self.root / "chatcli-home"
        self.user_home = self.root / "user"
        self.results = self.root / "work" / "tool-results"
        self.scratch = self.root / "work" / "scratch"
        for folder in (self.project, self.home, self.user_home, self.results, self.scratch):
            folder.mkdir(parents=True)

    def gate(
        self,
        autonomy: str = "ask",
        *,
        allow: Sequence[str] = (),
        person: Person | None = None,
        path: str | None = None,
    ) -> Gate:
        return Gate(
            self.project,
            home=self.home,
            rules=Rules(self.home, self.project, allow=allow),
            autonomy=autonomy,  # type: ignore[arg-type]
            approver=person,
            extra_readable=[self.results],
            extra_writable=[self.scratch],
            user_home=self.user_home,
            environment={"PATH": path or os.environ["PATH"], "HOME": str(self.user_home), "LANG": "C"},
        )

    def file(self, name: str, content: str = "x\n", *, under: Path | None = None) -> Path:
        path = (under or self.project) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    def secret(self, name: str = ".ssh/id_rsa") -> Path:
        return self.file(name, "SECRET", under=self.user_home)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def person() -> Callable[..., Person]:
    return Person


class Jail:
    """bash with a PATH of stubs. Each stub records its words and prints something hostile."""

    def __init__(self, world: World, stubs: Iterable[str]) -> None:
        self.world = world
        self.bin = world.root / "bin"
        self._log = world.root / "log"
        self.bin.mkdir()
        for name in stubs:
            stub = self.bin / name
            stub.write_text(
                f'#!/bin/sh\nprintf \'%s\\0\' {name} "$PWD" "$@" > {self._log}/$$\n'
                "printf '%s\\n' '-v' 'a[$(touch${IFS}pwned)]' '--output=pwned; touch pwned'\n",
                encoding="utf-8",
            )
            stub.chmod(0o700)
        # Wrappers are the real ones: what they run is recorded in turn.
        for name in ("timeout", "env", "nice", "bash", "sh"):
            real = shutil.which(name)
            if real:
                (self.bin / name).unlink(missing_ok=True)
                (self.bin / name).symlink_to(real)

    def run(self, text: str) -> list[list[str]]:
        """For every stub that ran: its name, its folder, its words."""
        shutil.rmtree(self._log, ignore_errors=True)
        self._log.mkdir()
        child = subprocess.Popen(
            ["/bin/bash", "--noprofile", "--norc", "-c", text],
            cwd=self.world.project,
            env={"PATH": str(self.bin), "HOME": str(self.world.user_home), "LANG": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # Also what it left in the background.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        records = (entry.read_bytes().decode("utf-8", "replace") for entry in self._log.iterdir())
        return [record.split("\0")[:-1] for record in records if record]

    def files(self) -> set[str]:
        """Everything that exists, but for the records."""
        found = (path for path in self.world.root.rglob("*") if self._log not in (path, *path.parents))
        return {str(path.relative_to(self.world.root)) for path in found}


@pytest.fixture
def jail(world: World) -> Callable[[Iterable[str]], Jail]:
    return lambda stubs: Jail(world, stubs)
