"""Whether a fact says what somebody said, in much the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chatcli.memory.fact import fold
from chatcli.memory.words import keywords

_ALIKE_CHARS = 5
_EXACT = r"\S*[\d/@$`|&;<>\\=]\S*"
"""Numbers, paths, addresses, commands: a fact may hold none that was not said."""
_NOT = r"\b(?:not|never|none|without|cannot|nao|nunca|jamais|nem|sem|nenhuma?)\b|n['’]t\b"
NOT_FORGOTTEN = r"(?:do not|don['’]?t|never|nao|nunca) (?:se |te )?(?:forget|esque\w+)"
"""Denies nothing: who says it wants something to be kept."""
_NO = r"\bno\b"
_PORTUGUESE = r"\b(?:o|os|as|de|do|da|em|um|uma|que|e|eu|meu|minha)\b"
"""Where one of these stands, `no` means: in the."""
_SENTENCES = r"[.;!?\n]|\b(?:but|mas)\b"


def rests_on(fact: str, said: str) -> bool:
    """Half of the words of the fact were said, what must be exact, and a no where there was one."""
    spoken = spaced(said)
    words = _stems(fact)
    if bool(re.search(_no_in(fact), fold(fact))) != _denies(said, words):
        return False
    if any(token.rstrip(".,;:!") not in spoken for token in re.findall(_EXACT, spaced(fact))):
        return False
    own = set(_stems(said))
    return bool(words) and 2 * sum(word in own for word in words) >= len(words)


def _stems(text: str) -> list[str]:
    return [word[:_ALIKE_CHARS] for word in keywords(text)]


def _denies(said: str, words: Sequence[str]) -> bool:
    """Whether one of these words stands beside a no, or behind it in the same sentence."""
    no = _no_in(said)
    for sentence in re.split(_SENTENCES, re.sub(NOT_FORGOTTEN, "", fold(said))):
        denied = False
        for clause in re.split("[,:]", sentence):
            denied = denied or bool(re.search(no, clause))
            if denied and not set(words).isdisjoint(_stems(clause)):
                return True
    return False


def _no_in(text: str) -> str:
    """The expression that finds a no in the language of this text."""
    return _NOT if re.search(_PORTUGUESE, fold(text)) else f"{_NOT}|{_NO}"


def spaced(text: str) -> str:
    """The same for texts that differ in case and spaces alone."""
    return " ".join(text.casefold().split())
