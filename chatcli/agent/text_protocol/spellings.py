"""How models spell a call, read one character after the other.

    <tool_call name="@read" args='{"file": "a.py"}' />       and what comes near it:
    <tool ...>, any order, any quotes or none, `>` and quotes in the arguments, \\" and &quot;,
    arguments between the tags or as attributes, an end that is missing
    {"tool_call": "@read", "args": {"file": "a.py"}}         on a line of its own
    [tool: @read {"file": "a.py"}]                           on a line of its own

Each function here is sent the characters behind the first one, an empty one at the end of the text,
and returns the one that comes next and is not its own.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Literal

from msgspec import Struct

Steps = Generator[None, str, str]
_Text = Generator[None, str, tuple[str, str]]
"""Returns what was read, and the character that comes next."""

Verdict = Literal["none", "call", "cut", "result"]
"""`result`: the model begins to write the result of a call, which is not for it to write."""

TAGS = ("tool_call", "tool")
RESULT_TAG = "tool_result"
SPACE = frozenset(" \t\r\n")
NAME_KEYS = ("tool_call", "tool", "name")
ARGUMENTS_KEYS = ("args", "arguments", "parameters", "input")
_ELISIONS = ("...", "…")
_MAX_WORD_CHARS = 24
_BEHIND_KEY = " \t\r\n=/>"
_BEHIND_WORD = " \t\r\n>"
_BEHIND_NAME = " \t\r\n{]"
_ENTITIES = {"quot": '"', "apos": "'", "lt": "<", "gt": ">", "amp": "&", "#34": '"', "#39": "'"}
_ENTITY = re.compile(f"&({'|'.join(_ENTITIES)});")


class Draft(Struct, kw_only=True):
    """What is known about the call that is being read."""

    verdict: Verdict = "none"
    spelling: str = ""
    """`tool_call`, `tool`, `{` or `[`."""
    name: str = ""
    arguments: str | None = None
    """The text of an object, or whatever stands in its place."""
    attributes: dict[str, str] = {}
    """Arguments that were given one by one."""
    growing: list[str] = []
    """Pieces of the arguments that have come since it was emptied, once the name is known."""
    open: bool = False
    """The text ended in the middle of a value."""
    sketched: bool = False
    """Dots stand where arguments would: it tells how calls are written."""
    unclosed: bool = False
    """The text ended where the end of the call should have stood."""


def read_tag(draft: Draft) -> Steps:
    """Behind `<`."""
    word, char = yield from _word((yield))
    if word.startswith(RESULT_TAG):
        draft.verdict = "result"
        return char
    if word not in TAGS or not (char in SPACE or char in "/>"):
        return char
    draft.spelling = word
    closed = False
    while char and char != ">":
        if char == "/":
            closed, char = True, (yield)
        elif char in SPACE:
            char = yield
        else:
            closed, char = yield from _attribute(draft, char)
    if draft.sketched:
        return (yield) if char else char
    given = draft.arguments is not None or bool(draft.attributes)
    if not char:
        draft.unclosed = True
        draft.verdict = "call" if draft.name and given and not draft.open else "cut"
        return char
    char = yield
    if not (closed or given):
        char = yield from _body(draft, char)
    if draft.open:
        draft.verdict = "cut"
    elif draft.name or draft.arguments:
        draft.verdict = "call"
    return char


def read_object(draft: Draft) -> Steps:
    """Behind `{` at the beginning of a line: an object whose first member names a tool."""
    draft.spelling = "{"
    space, char = yield from _space((yield))
    if char != '"':
        return char
    key, char = yield from _word((yield))
    if key not in NAME_KEYS or char != '"':
        return char
    draft.arguments, char = yield from _json(draft, "{" + space + '"' + key, char, quote='"')
    draft.verdict = "cut" if draft.open else "call"
    return char


def read_bracket(draft: Draft) -> Steps:
    """Behind `[` at the beginning of a line."""
    draft.spelling = "["
    word, char = yield from _word((yield))
    if word not in TAGS or char != ":":
        return char
    _blank, char = yield from _space((yield))
    draft.name, char = yield from _until(char, _BEHIND_NAME)
    _blank, char = yield from _space(char)
    if char == "{":
        draft.arguments, char = yield from _json(draft, "{", (yield))
        _blank, char = yield from _space(char)
    else:
        draft.arguments, char = yield from _until(char, "]\n")
    draft.verdict = "cut" if draft.open else "call"
    draft.unclosed = not char
    return (yield) if char == "]" else char


def _attribute(draft: Draft, char: str) -> Generator[None, str, tuple[bool, str]]:
    """Also tells whether a slash at the end of a value without quotes closes the tag."""
    key, char = yield from _until(char, _BEHIND_KEY)
    _blank, char = yield from _space(char)
    if char != "=":
        draft.sketched = draft.sketched or key in _ELISIONS
        return False, char
    _blank, char = yield from _space((yield))
    closed = False
    if char and char in "\"'":
        value, char = yield from _quoted(draft, char, (yield))
    elif char == "{":
        value, char = yield from _json(draft, "{", (yield))
    else:
        value, char = yield from _until(char, _BEHIND_WORD)
        draft.open = not char
        closed = char == ">" and value.endswith("/")
        value = value.removesuffix("/") if closed else value
    _keep(draft, key.lower(), value)
    return closed, char


def _keep(draft: Draft, key: str, value: str) -> None:
    if key == "name":
        draft.name = value.strip()
    elif key in ARGUMENTS_KEYS:
        draft.arguments = value
    elif key:
        draft.attributes[key] = value


def _body(draft: Draft, char: str) -> Steps:
    """Between the tags. Without anything there, and without a closing tag, the call takes no arguments."""
    _blank, char = yield from _space(char)
    if char == "{":
        draft.arguments, char = yield from _json(draft, "{", (yield))
        return char
    draft.unclosed = not char
    if not char or char == "<":
        return char
    pieces: list[str] = []
    while char:
        if char == "<":
            char = yield
            if char == "/":
                draft.arguments = "".join(pieces).strip()
                return char
            pieces.append("<")
        else:
            pieces.append(char)
            char = yield
    draft.open = True
    return char


def _quoted(draft: Draft, quote: str, char: str) -> _Text:
    """A value in quotes. Quotes inside an object do not end it, whichever they are."""
    start, char = yield from _space(char)
    if char != "{":
        return (yield from _plain(draft, quote, start, char))
    space, char = yield from _space((yield))
    if char and char in "\\&":
        return (yield from _plain(draft, quote, "{" + space, char))
    value, char = yield from _json(draft, "{" + space, char)
    _blank, char = yield from _space(char)
    if char == quote:
        return value, (yield)
    if not char or char in "/>":
        return value, char
    return (yield from _plain(draft, quote, value, char))


def _plain(draft: Draft, quote: str, start: str, char: str) -> _Text:
    """Up to the quote. One that never comes is thought to stand before the end of the tag."""
    pieces = [start]
    while char and char != quote:
        if char == "\\":
            escaped = yield
            char = escaped if escaped and escaped in "\"'\\" else "\\" + escaped
        pieces.append(char)
        char = yield
    value = "".join(pieces)
    if not char:
        whole = value.rstrip()
        draft.open = not whole.endswith(">")
        value = whole.removesuffix(">").removesuffix("/").rstrip()
    decoded = _ENTITY.sub(lambda found: _ENTITIES[found[1]], value)
    return decoded, ((yield) if char else char)


def _json(draft: Draft, start: str, char: str, *, quote: str = "") -> _Text:
    """An object to its end; `start` was read before: it opened the object, and the string `quote`."""
    pieces, depth, before = [start], 1, "{"
    draft.growing.extend(start if draft.name else ())
    while char:
        pieces.append(char)
        if draft.name:
            draft.growing.append(char)
        if quote and char == "\\":
            pieces.append(escaped := (yield))
            draft.growing.extend(escaped if draft.name else ())
        elif quote:
            quote = "" if char == quote else quote
        elif char == '"' or (char == "'" and before in "{[,:"):
            quote = char
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if not depth:
                return "".join(pieces), (yield)
        if char not in SPACE:
            before = char
        char = yield
    draft.open = True
    return "".join(pieces), char


def _space(char: str) -> _Text:
    pieces: list[str] = []
    while char and char in SPACE:
        pieces.append(char)
        char = yield
    return "".join(pieces), char


def _until(char: str, ends: str) -> _Text:
    pieces: list[str] = []
    while char and char not in ends:
        pieces.append(char)
        char = yield
    return "".join(pieces), char


def _word(char: str) -> _Text:
    """In lower case; words that are longer than any that matter are not read to their end."""
    word = ""
    while char and (char.isalpha() or char in "_-") and len(word) < _MAX_WORD_CHARS:
        word += char.lower()
        char = yield
    return word, char
