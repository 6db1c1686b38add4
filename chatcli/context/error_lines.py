"""Lines that look like errors: compiler errors, tracebacks, failed tests.

They are sought in the part of a result that a preview leaves out. Cheap literals find candidates at
the speed of `str.find`; an exact pattern then judges each line. Of a part longer than two windows
only its two ends are searched, so that any preview takes milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from chatcli.context.cuts import safe_before, without_ansi

MAX_LINES = 10
WINDOW_CHARS = 300_000
"""How much of each end of a long part is searched."""
_LINE_MAX_CHARS = 160
_REACH_CHARS = 400  # how far a line is followed to both sides of what was found in it
_CANDIDATES = 100  # of one literal: a file that is full of the word is no log
_LITERALS = (
    *("rror", "ERR", "FAIL", "ailed", "Traceback", "panic", "xception", "atal", "FATAL", "\nE  "),
    *(".go:", "undefined reference", "Segmentation fault", "✕", "● "),
)
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
    | ^\s*(?:✕\ \S|●\ .+\ ›\ ) | \b[1-9]\d*\ failed\b  # jest, and sums of many
    | \*\*\*\ .*\bError\ \d  # make
    | ^\S+\.go:\d+:\d+:\  | \bundefined\ reference\ to\b | \bSegmentation\ fault\b
    """,
    re.VERBOSE,
)


class Piece(NamedTuple):
    """`text[start:stop]`, where `start` stands in this line of the original."""

    text: str
    start: int
    stop: int
    line: int


def find_error_lines(pieces: Iterable[Piece], most_chars: int) -> list[tuple[int, str]]:
    """`(line number, line)` of the first error-looking lines, in order.

    At most `MAX_LINES` lines; with each written as `number: line` behind a newline they have at most
    `most_chars` chars. Long lines are clipped and ANSI sequences left out. A piece that begins in the
    middle of a line is searched from the next line on.
    """
    if most_chars <= 0:
        return []
    found: list[tuple[int, str]] = []
    left_chars = most_chars
    for number, line in _error_lines(pieces):
        prefix_chars = len(f"\n{number}: ")
        if len(found) == MAX_LINES or left_chars < prefix_chars + min(len(line), 20):
            break
        shown = line[: safe_before(line, min(_LINE_MAX_CHARS, left_chars - prefix_chars))]
        found.append((number, shown))
        left_chars -= prefix_chars + len(shown)
    return found


def _error_lines(pieces: Iterable[Piece]) -> Iterator[tuple[int, str]]:
    for piece in pieces:
        counted, number = piece.start, piece.line
        for at, line in _search(piece.text, piece.start, piece.stop):
            number += piece.text.count("\n", counted, at)
            counted = at
            yield number, line


def _search(text: str, start: int, stop: int) -> list[tuple[int, str]]:
    """Position and text of error-looking lines, in order."""
    lines: dict[int, str] = {}
    for literal in _LITERALS:
        at, hits = start, 0
        for _ in range(_CANDIDATES):
            if hits == MAX_LINES or (at := text.find(literal, at, stop)) < 0:
                break
            line_start = text.rfind("\n", max(0, start - 1, at - _REACH_CHARS), at + 1) + 1
            line_end = text.find("\n", at + 1, min(at + _REACH_CHARS, stop))
            at = line_end if line_end >= 0 else min(at + _REACH_CHARS, stop)
            if line_start and _ERROR.search(line := without_ansi(text[line_start:at]).rstrip()):
                lines[line_start] = line
                hits += 1
    return sorted(lines.items())
