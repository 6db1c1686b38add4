"""JSON as models write it when they do not quite write JSON.

Understood beside JSON itself: strings in single quotes, raw line ends in strings, names without
quotes, Python's `True`, `False` and `None`, a comma behind the last member. Anything else is refused:
what a call means is never guessed. Each character is looked at once.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

_SPACE = re.compile(r"\s*")
_STRING = {
    '"': re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL),
    "'": re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL),
}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)|[\"\x00-\x1f]", re.DOTALL)
_MAX_DEPTH = 50


def loose_object(text: str) -> dict[str, Any] | None:
    """The object that the text spells, or None. An object behind which anything else stands is none."""
    reader = _Reader(text)
    try:
        value = reader.value(0)
        reader.skip_space()
    except (ValueError, IndexError):
        return None
    return value if isinstance(value, dict) and reader.position == len(text) else None


class _Reader:
    """Raises ValueError or IndexError where the text is not what it should be."""

    def __init__(self, text: str) -> None:
        self.position = 0
        self._text = text

    def skip_space(self) -> None:
        self._match(_SPACE)

    def value(self, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        self.skip_space()
        match self._text[self.position]:
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case '"' | "'":
                return self._string()
            case char if char == "-" or char.isdigit():
                return msgspec.json.decode(self._match(_NUMBER))
            case _:
                return self._word(_WORDS)

    def _object(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        self.position += 1
        while not self._ends("}"):
            name = self._string() if self._text[self.position] in "\"'" else self._match(_WORD)
            self.skip_space()
            self._take(":")
            members[name] = self.value(depth + 1)
            self._separate("}")
        return members

    def _array(self, depth: int) -> list[Any]:
        items: list[Any] = []
        self.position += 1
        while not self._ends("]"):
            items.append(self.value(depth + 1))
            self._separate("]")
        return items

    def _string(self) -> str:
        inside = self._match(_STRING[self._text[self.position]])[1:-1]
        return str(msgspec.json.decode(f'"{_ESCAPE.sub(_json_escape, inside)}"', type=str))

    def _word(self, words: dict[str, Any]) -> Any:
        word = self._match(_WORD)
        if word not in words:
            raise ValueError(word)
        return words[word]

    def _match(self, pattern: re.Pattern[str]) -> str:
        if (found := pattern.match(self._text, self.position)) is None:
            raise ValueError(self.position)
        self.position = found.end()
        return found[0]

    def _ends(self, end: str) -> bool:
        """Step over the end of an object or an array, if it is here."""
        self.skip_space()
        if self._text[self.position] != end:
            return False
        self.position += 1
        return True

    def _separate(self, end: str) -> None:
        """Between two members there is a comma; behind the last one there may be one."""
        self.skip_space()
        if self._text[self.position] != end:
            self._take(",")

    def _take(self, char: str) -> None:
        if self._text[self.position] != char:
            raise ValueError(self.position)
        self.position += 1


def _json_escape(found: re.Match[str]) -> str:
    """As JSON spells it: `\\'` is an apostrophe, a raw line end or quote is escaped."""
    piece, escaped = found[0], found[1]
    if escaped is None:
        return f"\\u{ord(piece):04x}"
    if escaped[0] in '"\\/bfnrtu':
        return piece if escaped != "u" else "\\\\u"
    return "'" if escaped == "'" else "\\\\" + escaped
