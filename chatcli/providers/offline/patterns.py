"""The small language in which the intents are written, and matching against it.

    {show} [contents of] <path>

Words match without regard to case and accents, and articles may stand anywhere between them.
`[x]` may be missing, `(a|b)` is a choice, `{show}` is a choice that has a name because many
patterns share it, and `<slot>` is what the person named: `<n>` and `<m>` digits, `<path>` and
`<word>` one word or something quoted, `<glob>`, `<url>`, `<unit>` files or lines, `<key>` the
key of an archived result, any other slot a stretch of text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from chatcli.providers.offline.vocabulary import ARTICLES, CHOICES, NAMING, POLITE_AFTER, POLITE_BEFORE

_QUOTED = r"\"[^\"]+\"|'[^']+'|`[^`]+`|“[^”]+”"
_ONE_WORD = rf"{_QUOTED}|[^\s\"'`]+"
_SLOTS = {
    "n": r"\d{1,9}",
    "m": r"\d{1,9}",
    "path": _ONE_WORD,
    "word": _ONE_WORD,
    "glob": r"\S*\*\S*",
    "unit": r"files?|arquivos?|(?:lines?|linhas?)(?: (?:of code|de codigo))?",
    "key": r"(?:<<ccr:)?[0-9a-f]{16}(?:>>)?",
    "url": r"https?://\S+",
}
_QUOTES = "\"'`“”"
_TOKEN = re.compile(r"\[[^\]]*\]|\([^)]*\)|\{[a-z]+\}|<[a-z]+>|[^\s\[\](<{]+")
_ARTICLE = re.compile(rf"(?:{ARTICLES})\s+(?=\S)")
_SPACE = r"[,;:]?\s+"
_GAP = rf"{_SPACE}(?:(?:{ARTICLES})\s+)*"
_BEFORE = re.compile(rf"(?:(?:{POLITE_BEFORE})(?:\s*[,:]\s*|\s+))+(?=\S)")
_AFTER = re.compile(rf"(?:[\s,]+(?:{POLITE_AFTER}))+$")
_PUNCTUATION = re.compile(r"[\s?!.,;:]+$")


def fold(text: str) -> str:
    """Lower case without accents, position by position: the length never changes."""
    return "".join((unicodedata.normalize("NFD", char)[0].lower() or char)[0] for char in text)


def match_any(patterns: Iterable[str], text: str) -> Mapping[str, str] | None:
    """The slots of the first pattern that fits the whole request, or None."""
    for pattern in patterns:
        for candidate in _candidates(text):
            if found := _compiled(pattern).fullmatch(fold(candidate)):
                return {
                    slot: _clean(slot, candidate[slice(*found.span(slot))])
                    for slot, value in found.groupdict().items()
                    if value is not None
                }
    return None


@lru_cache(maxsize=4)
def _candidates(text: str) -> tuple[str, ...]:
    """The request without the politeness around it, then with it."""
    whole = text[: _end(_PUNCTUATION, text)]
    polite = _BEFORE.match(fold(whole))
    core = whole[polite.end() :] if polite else whole
    return core[: _end(_AFTER, core)].strip(), core.strip(), whole.strip()


def _end(tail: re.Pattern[str], text: str) -> int:
    found = tail.search(fold(text))
    return found.start() if found else len(text)


def _clean(slot: str, value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] in _QUOTES and value[-1] in _QUOTES:
        return value[1:-1]
    if slot == "path":
        return value.removeprefix("@")
    if slot == "name" and (article := _ARTICLE.match(fold(value))):
        return value[article.end() :]
    return value


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    regex, started = rf"(?:(?:{ARTICLES})\s+)*", False
    for token in _TOKEN.finditer(pattern):
        word = token.group()
        glued = pattern[token.start() - 1 : token.start()].strip()
        gap = "" if glued or not started else _SPACE if word == "<text>" else _GAP
        match word[0]:
            case "[":
                regex += f"(?:{gap}{_choice(word)})?" if started else f"(?:{_choice(word)}{_GAP})?"
                continue
            case "<":
                regex += gap + _slot(word[1:-1])
            case _:
                regex += gap + _choice(word)
        started = True
    return re.compile(regex, re.DOTALL)


def _slot(name: str) -> str:
    naming = rf"(?:(?:{NAMING})\s+)?" if name == "path" else ""
    return f"{naming}(?P<{name}>{_SLOTS.get(name, '.+?')})"


def _choice(token: str) -> str:
    """A regex for `(a|b)`, `[a|b]`, `{name}` or one plain word; names are replaced by their choices."""
    body = token[1:-1] if token[0] in "[(" else token
    body = re.sub(r"\{([a-z]+)\}", lambda found: CHOICES[found[1]], body)
    # Longest first: otherwise `search` would leave the `for` of `search for` to the next slot.
    choices = sorted(body.split("|"), key=len, reverse=True)
    words = [r"\s+".join(map(re.escape, fold(choice).split())) for choice in choices]
    return f"(?:{'|'.join(words)})"
