"""Recall: the facts that a question is about, by its words, by its meaning, and by how new they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct

from chatcli.memory.database import Database
from chatcli.memory.fact import Fact, fold
from chatcli.memory.store import Memory
from chatcli.memory.vectors import Vectors, meaning
from chatcli.memory.words import expression

_CANDIDATES = 50
"""That words and vectors each bring."""

_MAX_QUESTION_CHARS = 1_000
"""What a long message is about stands at its beginning; the model needs a millisecond for each 100."""
_EMBEDDED_AT_ONCE = 200
"""Facts without a vector, the newest first, that one recall embeds before it answers."""

# Found with the first half of the labelled questions (`tests/memory`); the second half was only counted.
_WORDS_WEIGHT = 0.2
_HALF_BM25 = 10.0
"""The BM25 score that counts half of what the best could."""
_ABOUT_USER_WEIGHT = 0.06
_NEAR_WEIGHT = 0.1
_NEW_WEIGHT = 0.03
_HALF_LIFE_DAYS = 90.0

_RELATED_COSINE = 0.25
"""From here on a fact has to do with a question in which none of its words stand."""

_OF_USER = frozenset({"profile", "personal", "preference"})
_USER = r"\b(?:i|me|my|mine|user|eu|mim|meus?|minhas?|usuari[oa])\b"


class Found(Struct, frozen=True, kw_only=True):
    fact: Fact
    score: float


class Recall:
    """Searches one memory. Methods block for some milliseconds, the first for about a second."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.vectors = Vectors(memory)

    def find(
        self, question: str, *, scope: str, limit: int, guess: str = "", without: str = ""
    ) -> list[Found]:
        """The best facts first: each has a word of the question, or clearly means something near.

        `scope` is the project that is worked on: its facts come before others'.

        `guess` is what an answer might look like (HyDE): its meaning counts like that of the question.
        `without` is a category that is not looked for.
        """
        question = question.strip()[:_MAX_QUESTION_CHARS]
        if not question or not self._memory.exists:
            return []
        wanted = meaning([text for text in (question, guess) if text])

        def search(database: Database) -> tuple[list[Found], bool]:
            near = [] if wanted is None else self.vectors.nearest(database, wanted, _CANDIDATES)
            complete = wanted is None or not database.without_vector(1)
            fused = _fused(database, question, near, scope)
            return [one for one in fused if one.fact.category != without][:limit], complete

        nothing: tuple[list[Found], bool] = ([], True)
        found, complete = self._memory.look(search, nothing)
        if not complete:
            self.vectors.fill(_EMBEDDED_AT_ONCE)
            found, _complete = self._memory.look(search, nothing)
        return found


def _fused(database: Database, question: str, near: Sequence[tuple[int, float]], scope: str) -> list[Found]:
    terms = expression(question)
    by_words = dict(database.matches(terms, _CANDIDATES)) if terms else {}
    by_meaning = dict(near)
    lowest = min(by_meaning.values(), default=0.0)
    facts = database.numbered([*by_words.keys() | by_meaning.keys()])
    about_user = bool(re.search(_USER, fold(question)))
    today = datetime.now(UTC)
    found = [
        Found(
            fact=fact,
            score=by_meaning.get(number, lowest)
            + _WORDS_WEIGHT * _saturated(by_words.get(number, 0.0))
            + _ABOUT_USER_WEIGHT * (about_user and fact.category in _OF_USER)
            + _NEAR_WEIGHT * (fact.scope in ("", scope))
            + _NEW_WEIGHT * _freshness(fact, today),
        )
        for number, fact in facts.items()
        if number in by_words or by_meaning.get(number, 0.0) >= _RELATED_COSINE
    ]
    return sorted(found, key=lambda one: (-one.score, one.fact.id))


def _saturated(bm25: float) -> float:
    return bm25 / (bm25 + _HALF_BM25)


def _freshness(fact: Fact, today: datetime) -> float:
    """1 for what was noted today, halved every `_HALF_LIFE_DAYS`; 0 where the time cannot be read."""
    try:
        age = today - datetime.fromisoformat(fact.changed).astimezone(UTC)
    except ValueError:
        return 0.0
    return float(0.5 ** (max(age.days, 0) / _HALF_LIFE_DAYS))
