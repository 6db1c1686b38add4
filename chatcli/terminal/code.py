"""Colours code line by line, while it is still being written.

Each line is coloured when it is complete and never again, so a construct that spans lines has to be
carried along: inside a block comment or a long string a line is shown to the lexer between the
delimiters of that construct.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

Fragment = tuple[str, str]
"""Text with the name of a style of rich."""

_SPANNING = (("/*", "*/"), ("<!--", "-->"), ('"""', '"""'), ("'''", "'''"))
_OPENING = re.compile("|".join(re.escape(opening) for opening, _closing in _SPANNING))


class CodeColours:
    """One code fence. `language` is the info string; unknown languages stay plain."""

    def __init__(self, language: str) -> None:
        self._lexer = _lexer(language)
        self._open: tuple[str, str] | None = None
        self._spanning = [pair for pair in _SPANNING if self._lexer and _spans(self._lexer, pair)]

    def line(self, text: str) -> list[Fragment]:
        """The next line of the code, without its line end."""
        if self._lexer is None:
            return [(text, "")]
        before, after = "", ""
        if self._open:
            before, after = self._open[0] + "\n", "\n" + self._open[1]
            if self._open[1] in text:
                after = ""
        tokens = _between(self._lexer, before + text + after, len(before), len(before) + len(text))
        self._carry(text, tokens)
        return [(piece, _style(kind)) for kind, piece in tokens]

    def _carry(self, text: str, tokens: list[tuple[_TokenType, str]]) -> None:
        """Find out whether the line ends inside a construct that goes on."""
        position = 0
        if self._open:
            end = text.find(self._open[1])
            if end < 0:
                return
            position = end + len(self._open[1])
            self._open = None
        kinds = [kind for kind, piece in tokens for _char in piece]
        while found := _OPENING.search(text, position):
            pair = next(pair for pair in _SPANNING if pair[0] == found[0])
            if pair not in self._spanning or not _begins(pair, kinds[found.start()]):
                position = found.end()
                continue
            end = text.find(pair[1], found.end())
            if end < 0:
                self._open = pair
                return
            position = end + len(pair[1])


def _begins(pair: tuple[str, str], kind: _TokenType) -> bool:
    """Nothing begins in a comment to the end of the line, and no comment begins in a string."""
    from pygments.token import Comment, String

    is_quote = pair[0][0] in "\"'"
    return kind not in Comment.Single and (is_quote or kind not in String)


def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    word = language.split(maxsplit=1)[0].strip("{}.").lower() if language.split() else ""
    if not word:
        return None
    try:
        return get_lexer_by_name(word, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _spans(lexer: Lexer, pair: tuple[str, str]) -> bool:
    """Whether this pair of delimiters makes one comment or string over lines in this language."""
    from pygments.token import Comment, String

    before = pair[0] + "\n"
    tokens = _between(lexer, f"{before}word\n{pair[1]}", len(before), len(before) + 4)
    return all(kind in Comment or kind in String for kind, _piece in tokens)


def _between(lexer: Lexer, text: str, start: int, end: int) -> list[tuple[_TokenType, str]]:
    """The tokens of `text[start:end]`, whatever the lexer does to the rest."""
    pieces = []
    position = 0
    for kind, piece in lexer.get_tokens(text):
        begin, position = position, position + len(piece)
        if position > start and begin < end:
            pieces.append((kind, piece[max(0, start - begin) : end - begin]))
    kept = "".join(piece for _kind, piece in pieces)
    if kept != text[start:end]:
        from pygments.token import Text

        return [(Text, text[start:end])]
    return pieces


def _style(kind: _TokenType) -> str:
    from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String

    for token, style in (
        (Comment, "dim"),
        (String, "green"),
        (Number, "cyan"),
        (Operator.Word, "magenta"),
        (Keyword, "magenta"),
        (Name.Function, "blue"),
        (Name.Class, "blue"),
        (Name.Decorator, "yellow"),
        (Name.Tag, "blue"),
        (Name.Attribute, "cyan"),
        (Generic.Inserted, "green"),
        (Generic.Deleted, "red"),
        (Generic.Subheading, "cyan"),
    ):
        if kind in token:
            return style
    return ""
