"""Paths into JSON: `a.b[3].c`, `["a key"]`, `[-1]`, `[2:5]`, `[*]`. What they find is verbatim text.

A document is one JSON value, or JSON lines, which count as an array. Other text, such as the last line
of a command's output, is left out.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from chatcli.tools import InvalidArguments, ToolFailed, json_text

Step = str | int | slice

_STEP = re.compile(
    r"""\.?(?: (?P<name>[^\s.\[\]"']+)
            | \[\s*(?: (?P<index>-?\d+) | (?P<all>\*) | (?P<first>-?\d*):(?P<last>-?\d*)
                     | "(?P<quoted>(?:[^"\\]|\\.)*)" | '(?P<single>[^']*)' )\s*\] )""",
    re.VERBOSE,
)
_BEGINNING = re.compile(r"^\ufeff?[ \t]*(?=[\[{])", re.MULTILINE)
_REST_OF_LINE = re.compile(r"[ \t\r]*(?:\n|\Z)")
_BEGINNINGS = 20
"""Lines that look like the beginning of a document and are tried."""
_MAX_NAMED = 20


class Span(NamedTuple):
    """`text[start:end]` is one value; `path` leads there."""

    path: str
    start: int
    end: int


class Document(NamedTuple):
    """Where the JSON in a text is. `lines` are the values of JSON lines; without, it is one value."""

    text: str
    start: int
    end: int
    lines: tuple[Span, ...] = ()


def parse_path(path: str) -> tuple[Step, ...]:
    """Raises `InvalidArguments` for what is no path."""
    steps: list[Step] = []
    at = 1 if path.startswith("$") else 0
    while at < len(path):
        found = _STEP.match(path, at)
        if not found:
            raise InvalidArguments(f"recall: {path[at:]!r} is no JSON path; write a.b[3].c, [2:5], [*]")
        steps.append(_step(found))
        at = found.end()
    return tuple(steps)


def find_document(text: str) -> Document | None:
    """The first object or array that begins a line; where each line is one, all of them."""
    for match in islice(_BEGINNING.finditer(text), _BEGINNINGS):
        if (value := json_text.value_at(text, match.end())) is None:
            continue
        start, end = value.start, value.end
        lines = () if "\n" in text[start:end] else tuple(_lines(text, start))
        return Document(text, start, lines[-1].end, lines) if len(lines) > 1 else Document(text, start, end)
    return None


def select(document: Document, steps: Sequence[Step]) -> Iterator[Span]:
    """All values that a path leads to, in order. Raises `ToolFailed` when it leads nowhere."""
    yield from _select(document, Span("", document.start, document.end), steps)


def children(document: Document, span: Span) -> tuple[str, list[tuple[str | int, Span]]]:
    """`object` or `array` with the members, by key or index; another type has none."""
    text = document.text
    if span.path == "" and document.lines:
        return "array", list(enumerate(document.lines))
    match text[span.start]:
        case "{":
            return "object", list(_members(text, span))
        case "[":
            return "array", list(_items(text, span))
        case '"':
            return "string", []
        case "t" | "f":
            return "boolean", []
        case "n":
            return "null", []
        case _:
            return "number", []


def _step(found: re.Match[str]) -> Step:
    if (index := found["index"]) is not None:
        return int(index)
    if found["all"] or found["name"] == "*":
        return slice(None)
    if found["first"] is not None:
        first, last = found["first"], found["last"]
        return slice(int(first) if first else None, int(last) if last else None)
    if found["quoted"] is not None:
        quoted: str = json.loads(f'"{found["quoted"]}"')
        return quoted
    return found["single"] if found["name"] is None else found["name"]


def _select(document: Document, span: Span, steps: Sequence[Step]) -> Iterator[Span]:
    if not steps:
        yield span
        return
    step, *rest = steps
    kind, members = children(document, span)
    if isinstance(step, slice):
        for _key, member in members[step]:
            yield from _select(document, member, rest)
        return
    if kind == "array" and re.fullmatch(r"-?\d+", str(step)):
        if -len(members) <= int(step) < len(members):
            yield from _select(document, members[int(step)][1], rest)
            return
    # Of a repeated key the last one counts, as for every reader of JSON.
    elif kind == "object" and (named := [member for key, member in members if key == str(step)]):
        yield from _select(document, named[-1], rest)
        return
    raise ToolFailed(_missing(span.path or "the top", step, kind, members))


def _missing(where: str, step: str | int, kind: str, members: list[tuple[str | int, Span]]) -> str:
    if kind == "array":
        return f"{where} is an array of {len(members)} items; there is no {step!r} in it."
    if kind != "object":
        return f"{where} is a {kind}; there is no {step!r} in it."
    keys = [str(key) for key, _member in members]
    near = difflib.get_close_matches(str(step), keys, 3)
    named = ", ".join(near or keys[:_MAX_NAMED])
    return f"{where} has no key {step!r}. {'Similar' if near else f'Its {len(keys)} keys'}: {named}."


def _members(text: str, span: Span) -> Iterator[tuple[str, Span]]:
    for key, written, value in json_text.members(text, span.start):
        plain = re.fullmatch(r"[^\s.\[\]\"'*]+", key)
        path = f"{span.path}.{key}" if plain else f"{span.path}[{written}]"
        yield key, Span(path.removeprefix("."), value.start, value.end)


def _items(text: str, span: Span) -> Iterator[tuple[int, Span]]:
    for index, value in enumerate(json_text.items(text, span.start)):
        yield index, Span(f"{span.path}[{index}]", value.start, value.end)


def _lines(text: str, start: int) -> Iterator[Span]:
    """The lines that are exactly one object or array."""
    index = 0
    for match in _BEGINNING.finditer(text, start):
        value = json_text.value_at(text, match.end())
        if value and _REST_OF_LINE.match(text, value.end):
            yield Span(f"[{index}]", value.start, value.end)
            index += 1
