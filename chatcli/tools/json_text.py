"""JSON as it is written: where its values stand in a text, without changing a character of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
# Numbers stay texts: only where they end matters, and none is too long or too exact.
_DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)


class Value(NamedTuple):
    """`text[start:end]`, decoded; numbers as they are written."""

    start: int
    end: int
    decoded: Any


class Member(NamedTuple):
    """A member of an object: its key decoded and, with its quotes, as it is written."""

    key: str
    written: str
    value: Value


def value_at(text: str, start: int) -> Value | None:
    """The value that begins exactly at `start`; None when there is none or it is nested too deep."""
    try:
        return _certain_value(text, start)
    except (ValueError, StopIteration, RecursionError):
        return None


def members(text: str, start: int) -> Iterator[Member]:
    """Of the valid object that begins at `start`, in order, repeated keys too."""
    at = skip_space(text, start + 1)
    while text[at] != "}":
        key, end = scanstring(text, at + 1, False)
        value = _certain_value(text, skip_space(text, skip_space(text, end) + 1))
        yield Member(key, text[at:end], value)
        at = _after(text, value.end)


def items(text: str, start: int) -> Iterator[Value]:
    """Of the valid array that begins at `start`, in order."""
    at = skip_space(text, start + 1)
    while text[at] != "]":
        value = _certain_value(text, at)
        yield value
        at = _after(text, value.end)


def skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _certain_value(text: str, start: int) -> Value:
    decoded, end = _DECODER.scan_once(text, start)  # type: ignore[attr-defined]
    return Value(start, end, decoded)


def _after(text: str, end: int) -> int:
    """Where the next member begins, or the closing bracket stands."""
    at = skip_space(text, end)
    return skip_space(text, at + 1) if text[at] == "," else at
