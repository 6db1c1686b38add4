"""Whether a fact says what somebody said, in much the same words."""

from __future__ import annotations

import re

from chatcli.memory.words import keywords

_ALIKE_CHARS = 5
_EXACT = r"\S*[\d/@$`|&;<>\\=]\S*"
"""Numbers, paths, addresses, commands: a fact may hold none that was not said."""


def rests_on(fact: str, said: str) -> bool:
    """Half of the words of the fact were said, and everything in it that must be exact."""
    spoken = spaced(said)
    if any(token.rstrip(".,;:!") not in spoken for token in re.findall(_EXACT, spaced(fact))):
        return False
    own = {word[:_ALIKE_CHARS] for word in keywords(said)}
    words = keywords(fact)
    return bool(words) and 2 * sum(word[:_ALIKE_CHARS] in own for word in words) >= len(words)


def spaced(text: str) -> str:
    """The same for texts that differ in case and spaces alone."""
    return " ".join(text.casefold().split())
