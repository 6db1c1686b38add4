"""Tells a question that one answer settles from work for the loop.

Lexical and cautious: work taken for talk would stay undone, while talk taken for work only costs a
few tokens. So every doubt (a task's verb, a word of the project, something of today) counts for the
loop. Words are English and Portuguese, with or without accents.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from chatcli.agent.routing_phrases import (
    ACRONYM,
    CODE_NAME,
    DEFINITE_PT,
    GENERAL,
    GREETING,
    LEAD,
    NEWS_PHRASE,
    PLACE,
    SPECIFIC,
    TOKEN,
)
from chatcli.agent.routing_words import (
    CONCEPTS,
    ENGLISH,
    GENERIC,
    GENERIC_PT,
    KNOWN,
    NEWS,
    ORDER,
    OURS,
    POINTERS_EN,
    POINTERS_PT,
    PRONOUNS,
    STATES,
    THINGS,
    WORK,
)

MAX_CHARS = 160
_MAX_SHORT_QUESTION_WORDS = 10

_ARTICLES_EN = frozenset({"a", "an"})
_ARTICLES_PT = frozenset({"um", "uma"})
_BEFORE_AN_ORDER = frozenset(",.;:!?") | {
    *("and", "then", "or", "also", "to", "please", "you"),
    *("e", "depois", "ou", "tambem", "voce", "me", "favor", "pode", "poderia", "consegue"),
}
_REACH = 2
"""So many words further stands, at most, what a word belongs to: `the failing tests`, `a unit test`."""


def looks_conversational(text: str) -> bool:
    """True when one answer without tools is likely to settle the text: a question about the world.

    At most 160 characters; it begins like a question, or is a question of at most ten words.
    """
    words = text.strip()
    if not words or len(words) > MAX_CHARS:
        return False
    plain = _plain(words)
    asked = plain[greeting.end() :] if (greeting := GREETING.match(plain)) else plain
    lead = LEAD.match(asked)
    short = asked.endswith("?") and len(asked.split()) <= _MAX_SHORT_QUESTION_WORDS
    if not lead and not short:
        return False
    if PLACE.search(asked) or NEWS_PHRASE.search(asked) or SPECIFIC.match(asked):
        return False
    tokens = TOKEN.findall(asked)
    return not (
        _names_code(words)
        or not (STATES | NEWS).isdisjoint(tokens)
        or _points_at_the_project(tokens)
        or (_is_definite(asked, tokens) and not _names_the_world(words, tokens))
        or not (GENERAL.match(asked) or _is_of_the_world(words, tokens))
        or _orders(tokens, led=lead is not None)
    )


def _names_code(words: str) -> bool:
    """`parseConfig`, `UserService`: names that no prose has, unless they are known ones."""
    return any(name.lower() not in KNOWN for name in CODE_NAME.findall(words))


def _names_the_world(words: str, tokens: Sequence[str]) -> bool:
    """A well-known name, or an acronym that is none of a project's things (`API`, `CI`)."""
    acronyms = {found.lower() for found in ACRONYM.findall(words)}
    return bool(acronyms - THINGS) or not KNOWN.isdisjoint(tokens)


def _points_at_the_project(tokens: Sequence[str]) -> bool:
    """`this`, `it` near the beginning, or a pointer with a thing close behind: `which of the tests`."""
    if not OURS.isdisjoint(tokens) or not PRONOUNS.isdisjoint(tokens[:4]):
        return True
    pointers = POINTERS_EN if _is_english(tokens) else POINTERS_PT
    return any(
        token in pointers and not THINGS.isdisjoint(tokens[index + 1 : index + 1 + _REACH])
        for index, token in enumerate(tokens)
    )


def _is_definite(asked: str, tokens: Sequence[str]) -> bool:
    """`the scheduler`, `como funciona o agendador`: one of which the asker thinks there is just one."""
    if not _is_english(tokens):
        return DEFINITE_PT.search(asked) is not None and (CONCEPTS | GENERIC_PT).isdisjoint(tokens)
    following = zip(tokens, [*tokens[1:], ""], strict=True)
    return any(token == "the" and after not in GENERIC for token, after in following)


def _is_of_the_world(words: str, tokens: Sequence[str]) -> bool:
    """A name or a concept that everybody knows, any of its kind (`a tomato`), or a name of somebody."""
    articles = _ARTICLES_EN if _is_english(tokens) else _ARTICLES_PT
    known = not (CONCEPTS | articles).isdisjoint(tokens) or _names_the_world(words, tokens)
    return known or any(token == "the" and after in GENERIC for token, after in pairwise(tokens))


def _orders(tokens: Sequence[str], *, led: bool) -> bool:
    """A verb of work anywhere, or one that may be an order in the place of one; never as a noun."""
    articles = _ARTICLES_EN if _is_english(tokens) else _ARTICLES_PT
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else ""
        if not articles.isdisjoint(tokens[max(index - _REACH, 0) : index]) or (led and before == "git"):
            continue
        begins = before in _BEFORE_AN_ORDER or (not before and not led)
        if token in WORK or (token in ORDER and begins):
            return True
    return False


def _is_english(tokens: Sequence[str]) -> bool:
    return not ENGLISH.isdisjoint(tokens)


def _plain(text: str) -> str:
    """Lower case, without accents, typographic quotes made plain."""
    parted = unicodedata.normalize("NFKD", text.lower().replace("’", "'"))
    return "".join(character for character in parted if not unicodedata.combining(character))
