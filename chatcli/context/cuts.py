"""Where a text may be cut: never inside a grapheme, an ANSI sequence, a CRLF or a surrogate pair.

Every cut is first sought at a natural border, a line end (or the end of a JSON record), and taken
there when that costs less than half of what may be shown. All work is done around the cut, so that
the size of the text does not matter.
"""

from __future__ import annotations

import functools
import re
from typing import Any

_SEQUENCE_MAX_CHARS = 2_100  # an OSC 8 link with the longest URL that browsers take
_CLUSTER_MAX_CHARS = 256  # longer graphemes exist only to do harm
_ANSI = re.compile(
    r"\x1b(?:"
    r"\[[0-?]{0,128}[ -/]{0,8}[@-~]"  # CSI: colours, cursor
    rf"|[\]PX^_][^\x00-\x1f\x7f]{{0,{_SEQUENCE_MAX_CHARS - 4}}}(?:\x07|\x1b\\)"  # OSC and other strings
    r"|[ -/]{0,8}[0-~])"
)
_RECORD_ENDS = ("},", "],")
_Span = tuple[int, int]


def head_end(text: str, most_chars: int, *, records: bool = False) -> int:
    """How much of the beginning to keep: at most `most_chars`. With `records`, JSON is cut after a record."""
    if most_chars >= len(text):
        return len(text)
    end = text.rfind("\n", 0, most_chars) + 1
    if records and 2 * end <= most_chars:
        record = max(text.rfind(close, 0, most_chars) for close in _RECORD_ENDS)
        end = record + len("},") if record >= 0 else 0
    return safe_before(text, end if 2 * end > most_chars else most_chars)


def tail_start(text: str, most_chars: int, *, records: bool = False) -> int:
    """Where the end to keep begins: at most `most_chars` before the end of the text."""
    first = len(text) - most_chars
    if first <= 0:
        return 0
    last = first + (most_chars + 1) // 2
    if (line_end := text.find("\n", first - 1, last - 1)) >= 0:
        return line_end + 1
    ends = [text.find(close, first, last) for close in _RECORD_ENDS] if records else []
    record = min((end for end in ends if end >= 0), default=first - len("},"))
    return safe_after(text, record + len("},"))


def safe_before(text: str, position: int) -> int:
    """The last position up to `position` at which nothing is split."""
    while 0 < position < len(text) and (span := _unit_across(text, position)):
        position = span[0]
    return position


def safe_after(text: str, position: int) -> int:
    """The first position from `position` on at which nothing is split."""
    while 0 < position < len(text) and (span := _unit_across(text, position)):
        position = span[1]
    return position


def without_ansi(text: str) -> str:
    return _ANSI.sub("", text) if "\x1b" in text else text


def _unit_across(text: str, position: int) -> _Span | None:
    """The indivisible piece of text that a cut at `position` would split, if any."""
    before, after = text[position - 1], text[position]
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return position - 1, position + 1
    return _sequence_across(text, position) or _cluster_across(text, position, before, after)


def _sequence_across(text: str, position: int) -> _Span | None:
    escape = text.find("\x1b", max(0, position - _SEQUENCE_MAX_CHARS), position)
    if escape < 0:
        return None
    for match in _ANSI.finditer(text, escape, position + _SEQUENCE_MAX_CHARS):
        if match.start() >= position:
            break
        if match.end() > position:
            return match.span()
    return None


def _cluster_across(text: str, position: int, before: str, after: str) -> _Span | None:
    if before < "\x80" and after < "\x80":
        return (position - 1, position + 1) if before == "\r" and after == "\n" else None
    # Between two ASCII characters there is always a border: begin to count clusters at one.
    start, floor = position - 1, max(0, position - _CLUSTER_MAX_CHARS)
    while start > floor and not (text[start - 1] < "\x80" and text[start] < "\x80"):
        start -= 1
    for match in _clusters().finditer(text, start, position + _CLUSTER_MAX_CHARS):
        span: _Span = match.span()
        if span[0] >= position:
            break
        if span[1] > position:
            return span if span[1] - span[0] < _CLUSTER_MAX_CHARS else None
    return None


@functools.cache
def _clusters() -> Any:
    import regex

    return regex.compile(r"\X")
