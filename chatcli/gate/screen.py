"""Foreign text on the way to the terminal: the only place where it is made harmless.

What could move the cursor, repaint an approval, hide text or turn its direction is replaced by a visible
symbol. Original bytes stay in the archive alone.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

_CONTROL_PICTURES = 0x2400
_DELETE_PICTURE = "␡"
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Persian and the scripts of India join and part letters by invisible characters.
_LETTERS = frozenset({"Lo", "Mn", "Mc"})
# Drawn as nothing although Unicode calls them letters, marks or symbols.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
# Spaces that look like a plain one, or like none at all, and are none for a shell.
_ODD_SPACES = frozenset(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_JOINER = "\u200d"
_NON_JOINER = "\u200c"
_EMOJI_STYLE = "\ufe0f"
_KEYCAP = "\u20e3"


def safe_text(text: str) -> str:
    """May be written to the terminal: newlines, tabs, emoji and the scripts of all languages stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        _symbol(character) if is_hidden(text, index) else character for index, character in enumerate(text)
    )


def exact_text(text: str) -> str:
    """Like `safe_text`, and odd spaces, tabs and the rest are shown too: for what is to be approved."""
    return "".join(
        _symbol(character) if character != "\n" and is_deceptive(text, index) else character
        for index, character in enumerate(text)
    )


def one_line(text: str, width: int = 0) -> str:
    """Safe text on one line of at most `width` terminal cells (0: any), cut with `…`."""
    line = safe_text(text.replace("\r\n", "\n")).replace("\n", "↵").replace("\t", " ")
    return _cut(line, width) if width else line


def hidden_characters(text: str) -> int:
    """How many characters of the text are not what they seem on a terminal."""
    return sum(1 for index, character in enumerate(text) if character != "\n" and is_deceptive(text, index))


def is_deceptive(text: str, index: int) -> bool:
    """Whether a character is invisible, turns the direction, or is a space that is none.

    Newlines and tabs count; the invisible parts of an emoji do not.
    """
    character = text[index]
    if " " <= character <= "~":
        return False
    if character in {_JOINER, _EMOJI_STYLE}:
        return not _is_part_of_emoji(text, index)
    return (
        unicodedata.category(character) in _HIDDEN_CATEGORIES
        or character in _BLANK
        or character in _ODD_SPACES
        or _is_variation(character)
    )


def is_hidden(text: str, index: int) -> bool:
    """What prose may not hold: less than a command, since no shell reads it."""
    character = text[index]
    if character in "\n\t" or character in _ODD_SPACES:
        return False
    if character in {_JOINER, _NON_JOINER} and index and unicodedata.category(text[index - 1]) in _LETTERS:
        return False
    return is_deceptive(text, index)


def _is_part_of_emoji(text: str, index: int) -> bool:
    before = text[max(index - 2, 0) : index].removesuffix(_EMOJI_STYLE)[-1:]
    if text[index] == _EMOJI_STYLE and text[index + 1 : index + 2] == _KEYCAP:
        return True
    return before != "" and unicodedata.category(before) in {"So", "Sk"}


def _is_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _symbol(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    return _DELETE_PICTURE if code == 0x7F else f"<U+{code:04X}>"


def _cut(line: str, width: int) -> str:
    cells = 0
    for index, character in enumerate(line):
        cells += _cells(character)
        if cells > width:
            return _fit(line[:index], width - 1) + "…"
    return line


def _fit(line: str, width: int) -> str:
    while line and sum(map(_cells, line)) > width:
        line = line[:-1]
    return line


def _cells(character: str) -> Literal[0, 1, 2]:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
