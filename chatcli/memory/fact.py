"""What is remembered: one fact, in one sentence or two, with where it comes from."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from typing import Literal, get_args

from msgspec import Struct

from chatcli.errors import UsageError
from chatcli.gate.screen import is_hidden
from chatcli.i18n import _
from chatcli.session.redact import redact

Category = Literal[
    "profile",  # who the user is
    "preference",
    "architecture",
    "pattern",
    "gotcha",
    "project",
    "personal",
    "general",
    "episode",  # what happened in a session
]
CATEGORIES: tuple[Category, ...] = get_args(Category)
EVERYWHERE: frozenset[Category] = frozenset({"profile", "preference", "personal"})
"""About the user, not about a project."""

SaidBy = Literal["user", "model", "import"]

MAX_FACT_CHARS = 2_000
_ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_MAX_TAGS = 8
_MAX_TAG_CHARS = 24

CONFIDENCE: dict[SaidBy, float] = {"user": 1.0, "model": 0.6, "import": 0.6}
"""Unless something better is known."""


class Fact(Struct, frozen=True, kw_only=True):
    """One thing to know. A changed fact keeps its `id` and gets a new `seq`."""

    text: str
    """One line of at most `MAX_FACT_CHARS`."""
    id: str = ""
    """Six letters and digits, drawn once; empty until it is noted."""
    seq: int = 0
    """Counts all changes of the store: facts with a higher one were written later."""
    category: Category = "general"
    tags: tuple[str, ...] = ()
    scope: str = ""
    """The project folder that it is about; empty: it holds everywhere."""
    said_by: SaidBy = "user"
    outside: bool = False
    """Noted after text from outside was read, or imported: strangers may have written it."""
    session: str = ""
    quote: str = ""
    """The user's own words that what a model noted rests on."""
    batch: str = ""
    """Learnt together, and taken back together; empty when it was noted by itself."""
    confidence: float = 1.0
    created: str = ""
    changed: str = ""
    """UTC, ISO 8601."""


def draw_id(is_taken: Callable[[str], object]) -> str:
    """An id that nobody has; none can be read as another."""
    while True:
        drawn = "".join(_ID_LETTERS[byte % 32] for byte in os.urandom(6))
        if not is_taken(drawn):
            return drawn


def clean_text(text: str) -> str:
    """The text of a fact on one line, without what does not show.

    Raises `UsageError` when it is none, too long, or holds a secret.
    """
    if not text.isprintable():
        text = "".join(char for index, char in enumerate(text) if not is_hidden(text, index))
    line = " ".join(text.split())
    if not line:
        raise UsageError(_("There is nothing to remember."))
    if len(line) > MAX_FACT_CHARS:
        raise UsageError(
            _("A fact has at most {max} characters; this one has {n}.").format(
                max=MAX_FACT_CHARS, n=len(line)
            )
        )
    if redact(line) != line:
        raise UsageError(
            _("Not remembered: it looks as if it held a password or a key."),
            hint=_("Keep secrets in the keyring or the environment, and remember where they are."),
        )
    return line


def clean_tags(tags: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Short words without spaces, sorted: they may stand in a prompt, so they hold no sentence."""
    words = (re.sub(r"[^\w.+#-]+", "-", tag.strip().lower()).strip("-")[:_MAX_TAG_CHARS] for tag in tags)
    return tuple(sorted({word for word in words if word})[:_MAX_TAGS])


def fold(text: str) -> str:
    """Lower case, without accents: how texts are compared."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def likeness(text: str) -> str:
    """The same for texts that differ in case, accents, spaces or punctuation alone."""
    return " ".join(re.findall(r"\w+", fold(text))) or text
