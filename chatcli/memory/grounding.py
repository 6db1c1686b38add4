"""Whether a fact says what somebody said, in much the same words."""

from __future__ import annotations

import re

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


def rests_on(fact: str, said: str) -> bool:
    """Half of the words of the fact were said, what must be exact, and a no where there was one."""
    spoken = spaced(said)
    if _denies(fold(fact)) != _denies(fold(said)):
        return False
    if any(token.rstrip(".,;:!") not in spoken for token in re.findall(_EXACT, spaced(fact))):
        return False
    own = {word[:_ALIKE_CHARS] for word in keywords(said)}
    words = keywords(fact)
    return bool(words) and 2 * sum(word[:_ALIKE_CHARS] in own for word in words) >= len(words)


def _denies(text: str) -> bool:
    text = re.sub(NOT_FORGOTTEN, "", text)
    if re.search(_NOT, text):
        return True
    return bool(re.search(_NO, text)) and not re.search(_PORTUGUESE, text)


def spaced(text: str) -> str:
    """The same for texts that differ in case and spaces alone."""
    return " ".join(text.casefold().split())
