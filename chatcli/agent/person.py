"""The person at the terminal, as the agent knows them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from chatcli.gate.questions import Answer, Question


class Person(Protocol):
    """Whoever sits at the terminal. Without anybody `present` is False and approvals are denied."""

    present: bool

    async def approve(self, question: Question) -> Answer: ...

    async def ask(self, question: str, options: Sequence[str]) -> str | None: ...


class TimedPerson:
    """A person, with the time they took: the time of a call is told without it."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self.present = person.present
        self.thought_seconds = 0.0

    async def approve(self, question: Question) -> Answer:
        began = time.monotonic()
        try:
            return await self._person.approve(question)
        finally:
            self.thought_seconds += time.monotonic() - began

    async def ask(self, question: str, options: Sequence[str] = ()) -> str | None:
        """None when nobody is there, or when the question was dismissed."""
        if not self.present:
            return None
        began = time.monotonic()
        try:
            return await self._person.ask(question, options)
        finally:
            self.thought_seconds += time.monotonic() - began
