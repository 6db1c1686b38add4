"""Large pastes stand in the input as one short word and are put back when the line is sent."""

from __future__ import annotations

import re

from chatcli.i18n import ngettext

_INLINE_LINES = 5
_INLINE_CHARS = 1_000


class Pastes:
    """The pastes of one draft."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def add(self, data: str) -> str:
        """What to insert for pasted `data`: the text itself, or a placeholder for it."""
        text = clean(data)
        lines = text.count("\n") + 1
        if lines <= _INLINE_LINES and len(text) <= _INLINE_CHARS:
            return text
        label = ngettext("pasted {n} line", "pasted {n} lines", lines).format(n=lines)
        word = f"[{label}]"
        number = 2
        while word in self._texts and self._texts[word] != text:
            word = f"[{label} #{number}]"
            number += 1
        self._texts[word] = text
        return word

    def expand(self, text: str) -> str:
        """The text with every placeholder replaced by what was pasted."""
        if not self._texts:
            return text
        words = re.compile("|".join(map(re.escape, self._texts)))
        return words.sub(lambda found: self._texts[found[0]], text)

    def word_before(self, text: str) -> str:
        """The placeholder that `text` ends with, if any: it is deleted as a whole."""
        return next((word for word in self._texts if text.endswith(word)), "")

    def clear(self) -> None:
        self._texts.clear()


def clean(data: str) -> str:
    """Line ends made uniform, control characters taken out."""
    text = data.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in text if char in "\n\t" or (char >= " " and char != "\x7f"))
