"""Tells a question that one answer settles from work for the loop.

Work taken for talk would stay undone, while talk taken for work only costs a few tokens. So the
vocabulary is closed: a text is talk when it is shaped like a question and *every* word of it is known
to be of the world. A word that is not may be a name of the project, and counts for the loop; only where
a question asks what a kind is (`what is a trie?`) may the kind be one that nobody listed.
Words are English and Portuguese, with or without accents.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from chatcli.agent.judgement.routing_phrases import (
    ABOUT_THE_MODEL,
    ARITHMETIC,
    CODE_NAME,
    COMPARED,
    EXPLAIN,
    FILLER,
    GREETING,
    LEAD,
    NAMED,
    ODD,
    OF_A_KIND,
    ONE_IN_CAPITALS,
    PERSON,
    SPECIFIC,
    TERMS,
    TOKEN,
    UNIQUE_TERMS,
)
from chatcli.agent.judgement.routing_words import (
    ABILITIES,
    ARTICLES_EN,
    ARTICLES_PT,
    CONCEPTS,
    DEFINITE_EN,
    DEFINITE_PT,
    ENGLISH,
    GENERIC,
    LINKS,
    NAMES,
    POINTERS,
    THINGS,
    UNIQUE,
    VERBS,
)

MAX_CHARS = 160
_MAX_SHORT_QUESTION_WORDS = 10
_MIN_WORDS_WITHOUT_LEAD = 3
_TERM, _UNIQUE_TERM = "mutex", "internet"
"""Words of the same standing, in the place of a term of several words."""
_REACH = 3
"""So many words further stands, at most, what an article belongs to: `a left outer join`."""


def looks_conversational(text: str) -> bool:
    """True when one answer without tools is likely to settle the text: a question about the world.

    At most 160 characters; it begins like a question, or is a question of at most ten words.
    """
    written = text.strip()
    if not written or len(written) > MAX_CHARS:
        return False
    plain = _plain(written)
    asked = plain[greeting.end() :] if (greeting := GREETING.match(plain)) else plain
    if ABOUT_THE_MODEL.match(asked) or ARITHMETIC.match(asked):
        return True
    explained = EXPLAIN.match(asked)
    asked = asked[explained.end() :] if explained else asked
    led = explained is not None or LEAD.match(asked) is not None
    short = asked.endswith("?") and len(asked.split()) <= _MAX_SHORT_QUESTION_WORDS
    if not (led or short) or ODD.search(plain) or _names_code(written):
        return False
    return (
        (PERSON.search(written) is not None and THINGS.isdisjoint(TOKEN.findall(plain)))
        or _asks_for_a_word(asked)
        or (not SPECIFIC.match(asked) and _is_of_the_world(asked, led=led))
    )


def _names_code(written: str) -> bool:
    """`parseConfig`, `UserService`, `an Order?`: names that no prose has, unless they are known ones."""
    one = ONE_IN_CAPITALS.search(written)
    return any(name.lower() not in NAMES for name in CODE_NAME.findall(written)) or (
        one is not None and _plain(one[1]) not in NAMES | CONCEPTS | ABILITIES
    )


def _asks_for_a_word(asked: str) -> bool:
    """`what does idempotent mean?`: the word may be any but a thing of a project, or a pointer at one."""
    if not (found := NAMED.match(asked)):
        return False
    words = TOKEN.findall(next(filter(None, found.groups())))
    return (ABILITIES | THINGS | LINKS | POINTERS).isdisjoint(words)


def _is_of_the_world(asked: str, *, led: bool) -> bool:
    """No word may be of the project, and one at least must be of the world."""
    shorter = UNIQUE_TERMS.sub(_UNIQUE_TERM, TERMS.sub(_TERM, asked.replace("-", " ")))
    tokens = TOKEN.findall(FILLER.sub(" ", shorter))
    grammar = _grammar(asked, tokens)
    found = [_is_of_matter(token, tokens[:index], grammar) for index, token in enumerate(tokens)]
    if None in found or True not in found:
        return False
    return led or _is_a_short_question(tokens, found)


def _is_a_short_question(tokens: Sequence[str], found: Sequence[bool | None]) -> bool:
    """`is zero even?`; not `does dns resolve?`: whether one thing does something is to be looked at."""
    if len(tokens) < _MIN_WORDS_WITHOUT_LEAD:
        return False
    return tokens[0] in ("is", "are") or found[0] is True or found.count(True) > 1


class _Grammar(NamedTuple):
    one: frozenset[str]
    """Articles that say which: `the`."""
    some: frozenset[str]
    """Articles that say any: `a`."""
    one_points: bool
    """Portuguese says `o céu` and `o Java` of what everybody knows, but `qual o algoritmo` of one's own."""
    of_a_kind: bool
    compared: bool


def _grammar(asked: str, tokens: Sequence[str]) -> _Grammar:
    of_a_kind = OF_A_KIND.match(asked) is not None
    compared = COMPARED.search(asked) is not None
    if not ENGLISH.isdisjoint(tokens):
        return _Grammar(DEFINITE_EN, ARTICLES_EN, True, of_a_kind, compared)
    return _Grammar(DEFINITE_PT, ARTICLES_PT, asked.startswith("qua"), of_a_kind, compared)


def _is_of_matter(token: str, before: Sequence[str], grammar: _Grammar) -> bool | None:
    """True for what everybody knows, False for a word that only links, None for what may be the user's."""
    phrase = _phrase_before(before)
    one = not grammar.one.isdisjoint(phrase)
    some = not grammar.some.isdisjoint(phrase)
    if token in grammar.one or token in grammar.some:
        return False
    if token in THINGS or token in ABILITIES:
        bare = grammar.compared or (grammar.of_a_kind and token in ABILITIES)
        return grammar.of_a_kind if not one and (some or bare) else None
    if token in NAMES or token in CONCEPTS:
        known = not (GENERIC | UNIQUE).isdisjoint((token, *phrase))
        return True if known or not (one and grammar.one_points) else None
    if token in LINKS or token in VERBS or token in GENERIC:
        return False
    names_a_kind = grammar.of_a_kind and some and token.isalpha() and token not in POINTERS
    return True if names_a_kind else None


def _phrase_before(tokens: Sequence[str]) -> Sequence[str]:
    """What stands before a word with no link between: `a`, `left`, `outer` before `join`."""
    return list(takewhile(lambda token: token not in LINKS, reversed(tokens[-_REACH:])))


def _plain(text: str) -> str:
    """Lower case, without accents, typographic quotes made plain."""
    parted = unicodedata.normalize("NFKD", text.lower().replace("’", "'"))
    return "".join(character for character in parted if not unicodedata.combining(character))
