"""The small language in which the intents are written, and matching against it.

    show [me] [the] (file|contents of) <path>

Words match without regard to case and accents; `[x]` may be missing, `(a|b)` is a choice, and
`<slot>` is what the person named: `<n>` digits, `<path>` and `<word>` one word or something quoted,
`<url>` an address, any other slot a stretch of text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

_QUOTED = r"\"[^\"]+\"|'[^']+'|`[^`]+`|“[^”]+”"
_SLOTS = {
    "n": r"\d{1,9}",
    "m": r"\d{1,9}",
    "path": rf"{_QUOTED}|[^\s\"'`]+",
    "word": rf"{_QUOTED}|[^\s\"'`]+",
    "url": r"https?://\S+",
}
_TOKEN = re.compile(r"\[[^\]]*\]|\([^)]*\)|<[a-z]+>|[^\s\[\](<]+")
_POLITE = re.compile(
    r"^(?:(?:please|pls|hey|hi|hello|ok|okay|so|and|now|then|(?:can|could|would|will) you|i want (?:you )?to"
    r"|i would like (?:you )?to|let's|por favor|por gentileza|oi|ola|entao|agora|e"
    r"|(?:voce )?(?:pode|poderia|consegue)(?: me)?|(?:eu )?(?:quero|queria|gostaria)(?: de)?(?: que voce)?"
    r"|preciso(?: de)?|me)\b(?:\s*[,:]\s*|\s+))+(?=\S)"
)
_TAIL = re.compile(r"(?:[\s?!.,;:]+|\s+(?:please|pls|por favor|por gentileza|for me|para mim|pra mim))+$")
_QUOTES = "\"'`“”"
_ARTICLE = re.compile(r"^(?:the|a|an|o|a|os|as|um|uma)\s+(?=\S)", re.IGNORECASE)


def fold(text: str) -> str:
    """Lower case without accents, position by position: the length never changes."""
    return "".join((unicodedata.normalize("NFD", char)[0].lower() or char)[0] for char in text)


def match_any(patterns: Iterable[str], text: str) -> Mapping[str, str] | None:
    """The slots of the first pattern that fits the whole request, or None."""
    for candidate in _candidates(text):
        folded = fold(candidate)
        for pattern in patterns:
            if found := _compiled(pattern).fullmatch(folded):
                return {name: _clean(name, candidate[slice(*found.span(name))]) for name in _named(found)}
    return None


def _named(found: re.Match[str]) -> list[str]:
    return [name for name, value in found.groupdict().items() if value is not None]


@cache
def _candidates(text: str) -> tuple[str, ...]:
    """The request without politeness around it; first as it is, so that nothing of it is lost."""
    bare = text.strip()
    bare = bare[: len(bare) - _tail_chars(bare)] or bare
    polite = _POLITE.match(fold(bare))
    return (bare, bare[polite.end() :]) if polite else (bare,)


def _tail_chars(text: str) -> int:
    tail = _TAIL.search(fold(text))
    return len(tail.group()) if tail else 0


def _clean(name: str, value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] in _QUOTES and value[-1] in _QUOTES:
        return value[1:-1]
    return value if name == "text" else _ARTICLE.sub("", value)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    regex = ""
    for token in _TOKEN.findall(pattern):
        gap = r"\s+" if regex else ""
        if token[0] == "[":
            choices = _choices(token)
            regex += f"(?:{gap}{choices})?" if gap else f"(?:{choices}\\s+)?"
        elif token[0] == "(":
            regex += gap + _choices(token)
        elif token[0] == "<":
            slot = token[1:-1]
            regex += f"{gap}(?P<{slot}>{_SLOTS.get(slot, '.+?')})"
        else:
            regex += gap + re.escape(fold(token))
    return re.compile(regex, re.DOTALL)


def _choices(token: str) -> str:
    words = [re.escape(fold(word)).replace(r"\ ", r"\s+") for word in token[1:-1].split("|")]
    return f"(?:{'|'.join(words)})"
