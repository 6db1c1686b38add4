"""Lines that look like errors: compiler errors, tracebacks, failed tests.

They are sought in the part of a result that a preview leaves out. Cheap literals find candidates at
the speed of `str.find`; an exact pattern then judges each line. Of a part longer than 800,000 chars
only the first and the last half of that are searched, so that any preview takes milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatcli.context.cuts import safe_before, without_ansi

MAX_LINES = 10
_LINE_MAX_CHARS = 160
_WINDOW_CHARS = 400_000
_REACH_CHARS = 400  # how far a line is followed to both sides of what was found in it
_CANDIDATES = 100  # of one literal: a file that is full of the word is no log
_LITERALS = ("rror", "ERR", "FAIL", "ailed", "Traceback", "panic", "xception", "atal", "FATAL", "\nE  ")
_ERROR = re.compile(
    r"""
      \b(?:error|Error|fatal|Fatal)(?:\[\w+\]|\s+[A-Z]+\d+)?\s*(?::\ |[]|])  # error[E0308]: ...
    | (?<![\w"'.])(?:ERROR|FATAL)(?:[\s\]:|]|$)
    | ^\s*(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b(?::|$)  # ValueError: ...
    | ^Traceback\ \(most\ recent\ call\ last\)
    | ^\s*(?:FAILED|FAIL)\b | \.\.\.\s*FAILED\b | ---\ FAIL:
    | \bpanic(?:ked\ at|:) | \bException\ in\ thread\b | ^Caused\ by:
    | \bnpm\ (?:ERR!|error) | \b[Ff]ailed\ (?:to|with)\b | \b[Ff]ailed$
    | ^E\ \ +\S  # pytest
    """,
    re.VERBOSE,
)


def find_error_lines(text: str, start: int, end: int, most_chars: int) -> list[tuple[int, str]]:
    """`(line number, line)` of the first error-looking lines of `text[start:end]`, in order.

    At most `MAX_LINES` lines; written as `number: line` and joined by newlines they have at most
    `most_chars` chars. Long lines are clipped and ANSI sequences left out. `start` itself is taken
    for the middle of a line: what stands before the next line end is no candidate.
    """
    if most_chars <= 0:
        return []
    found: list[tuple[int, str]] = []
    left_chars = most_chars
    counted, line_number = 0, 1
    for at, line in _error_lines(text, start, end):
        line_number += text.count("\n", counted, at)
        counted = at
        prefix_chars = len(f"\n{line_number}: ")
        if left_chars < prefix_chars + min(len(line), 20):
            break
        shown = line[: safe_before(line, min(_LINE_MAX_CHARS, left_chars - prefix_chars))]
        found.append((line_number, shown))
        left_chars -= prefix_chars + len(shown)
        if len(found) == MAX_LINES:
            break
    return found


def _error_lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Position and text of error-looking lines, in order."""
    if end - start <= 2 * _WINDOW_CHARS:
        yield from _search(text, start, end, end)
    else:
        yield from _search(text, start, start + _WINDOW_CHARS, end)
        yield from _search(text, end - _WINDOW_CHARS, end, end)


def _search(text: str, start: int, stop: int, end: int) -> list[tuple[int, str]]:
    """The same for lines with a literal in `text[start:stop]`; the last one may go on up to `end`."""
    lines: dict[int, str] = {}
    for literal in _LITERALS:
        at, hits = start, 0
        for _ in range(_CANDIDATES):
            if hits == MAX_LINES or (at := text.find(literal, at, stop)) < 0:
                break
            line_start = text.rfind("\n", max(0, start - 1, at - _REACH_CHARS), at + 1) + 1
            line_end = text.find("\n", at + 1, min(at + _REACH_CHARS, end))
            at = line_end if line_end >= 0 else min(at + _REACH_CHARS, end)
            if line_start and _ERROR.search(line := without_ansi(text[line_start:at]).rstrip()):
                lines[line_start] = line
                hits += 1
    return sorted(lines.items())
