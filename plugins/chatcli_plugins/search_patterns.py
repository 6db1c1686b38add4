"""Patterns of ripgrep as patterns of Python, where both mean the same; None where they may not.

They are for texts of many lines, decoded with `surrogateescape`: a byte that is not UTF-8 matches
nothing, as in ripgrep. No class and no dot matches a line feed or a carriage return, and both end a
line for `^` and `$`, as with `rg --crlf`.
"""

from __future__ import annotations

import re
from typing import Any

_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
_DIGIT = r"\p{Nd}"
_SPACE = r"\t\x0b\x0c\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_NEVER = r"\r\n\udc80-\udcff"
_ESCAPES = {
    "w": f"[{_WORD}]",
    "W": f"[^{_WORD}{_NEVER}]",
    "d": f"[{_DIGIT}]",
    "D": f"[^{_DIGIT}{_NEVER}]",
    "s": f"[{_SPACE}]",
    "S": f"[^{_SPACE}{_NEVER}]",
    "b": f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    "t": r"\t",
}
_IN_CLASS = {"w": _WORD, "d": _DIGIT, "s": _SPACE, "t": r"\t"}
_PLAIN = {".": f"[^{_NEVER}]", "^": r"(?<![^\r\n])", "$": r"(?![^\r\n])", "|": "|", ")": ")"}
_GROUP = re.compile(r"\((?:\?:|\?i:)?(?!\?)")
_PUNCTUATION = frozenset(" !\"#$%&'()*+,-./:;=?@[\\]^_`{|}~")
"""What a backslash may stand before without giving it a meaning."""
_REPEAT = re.compile(r"(?:[*+?]|\{(\d{1,3})(?:,(\d{1,3})?)?\})\??(?![*+?{])")


def compile_pattern(pattern: str, *, ignore_case: bool, fixed: bool) -> Any:
    """A compiled pattern of the `regex` package, or None when only ripgrep can tell what is meant."""
    import regex

    translated = regex.escape(pattern) if fixed else _translate(pattern)
    if translated is None:
        return None
    try:
        return regex.compile(translated, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, OverflowError):
        return None


def compile_glob(glob: str) -> re.Pattern[str] | None:
    """A `--glob` of ripgrep, without its `!`, for paths relative to the searched folder."""
    rooted = "/" in glob.removesuffix("/")
    parts = re.split(r"(\*\*/|/\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[{},])", glob.removeprefix("/"))
    out, depth = [] if rooted else ["(?:.*/)?"], 0
    for part in parts:
        match part:
            case "**/":
                out.append("(?:.*/)?")
            case "/**":
                out.append("/.+")
            case "?":
                out.append("[^/]")
            case "{":
                depth += 1
                out.append("(?:")
            case "}" if depth:
                depth -= 1
                out.append(")")
            case "," if depth:
                out.append("|")
            case _ if part and not part.strip("*"):
                out.append("[^/]*")
            case _ if part.startswith("["):
                out.append("(?!/)[" + re.sub(r"^[!^]", "^", part[1:-1]).replace("\\", r"\\") + "]")
            case _:
                out.append(re.escape(part.removeprefix("\\") if len(part) == 2 else part))
    try:
        return re.compile("".join(out))
    except re.error:
        return None


def _translate(pattern: str) -> str | None:
    out: list[str] = []
    at = 0
    if pattern.startswith("(?i)"):
        out, at = ["(?i)"], 4
    repeatable = False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            piece, at = _escape(pattern, at)
        elif character == "[":
            piece, at = _class(pattern, at)
        elif character == "(":
            piece, at = _group(pattern, at)
        elif character in "*+?{":
            piece, at = _repeat(pattern, at) if repeatable else (None, at)
        else:
            piece, at = _PLAIN.get(character) or re.escape(character), at + 1
        if piece is None:
            return None
        out.append(piece)
        repeatable = character not in "(|^$*+?{" and piece != _ESCAPES["b"]
    return "".join(out)


def _escape(pattern: str, at: int) -> tuple[str | None, int]:
    character = pattern[at + 1 : at + 2]
    if character in _ESCAPES:
        return _ESCAPES[character], at + 2
    return (re.escape(character) if character in _PUNCTUATION else None), at + 2


def _group(pattern: str, at: int) -> tuple[str | None, int]:
    found = _GROUP.match(pattern, at)
    return (found.group(), found.end()) if found else (None, at)


def _repeat(pattern: str, at: int) -> tuple[str | None, int]:
    found = _REPEAT.match(pattern, at)
    if not found or (found[2] and int(found[1]) > int(found[2])):
        return None, at
    return found.group(), found.end()


def _class(pattern: str, at: int) -> tuple[str | None, int]:
    """A bracketed class of characters, ranges and simple escapes."""
    negated = pattern.startswith("^", at + 1)
    begin = at = at + 1 + negated
    out: list[str] = []
    while at < len(pattern):
        character = pattern[at]
        if character == "]" and at > begin:
            body = "".join(out)
            return (f"[^{body}{_NEVER}]" if negated else f"[{body}]"), at + 1
        if character == "[" or pattern[at : at + 2] in ("&&", "--", "~~"):
            return None, at
        item, at = _class_item(pattern, at)
        if item is None:
            return None, at
        if pattern.startswith("-", at) and pattern[at + 1 : at + 2] not in ("]", ""):
            if pattern[at + 1] in "[\\" or len(item) > 2 or item.startswith("\\p"):
                return None, at
            last = pattern[at + 1]
            item, at = f"{item}-{re.escape(last)}", at + 2
        out.append(item)
    return None, at


def _class_item(pattern: str, at: int) -> tuple[str | None, int]:
    character = pattern[at]
    if character != "\\":
        return re.escape(character), at + 1
    escaped = pattern[at + 1 : at + 2]
    if escaped in _IN_CLASS:
        return _IN_CLASS[escaped], at + 2
    return (re.escape(escaped) if escaped in _PUNCTUATION else None), at + 2
