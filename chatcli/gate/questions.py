"""What the gate asks a person, and what a person may answer.

The terminal draws a `Question`; it decides nothing. `subject` is the exact text that will run, or the
exact paths that will be touched: it is foreign text, to be shown through `chatcli.gate.screen`.
"""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from chatcli.gate.rules import Rule

QuestionKind = Literal["command", "write", "read", "network", "memory"]
Choice = Literal["once", "session", "project", "deny", "cancel"]


class Question(Struct, frozen=True, kw_only=True):
    """One thing that needs a yes. `digest` is the SHA-256 of what will run or be written."""

    kind: QuestionKind
    title: str
    """One line in the user's language."""
    subject: str
    """The whole command, the paths one a line, the URL, or the fact: never shortened."""
    detail: str = ""
    """The unified diff of a write."""
    reasons: tuple[str, ...] = ()
    """Why it is asked, in the user's language."""
    rule: Rule | None = None
    """What `session` and `project` would allow from now on; None: only `once` makes sense."""
    digest: str


class Answer(Struct, frozen=True):
    """`reason` goes to the model when the choice is `deny`; `cancel` ends the whole run."""

    choice: Choice
    reason: str = ""


class Approver(Protocol):
    """A person who can say yes. Whatever is not a clear yes must come back as `deny`."""

    async def approve(self, question: Question) -> Answer: ...
