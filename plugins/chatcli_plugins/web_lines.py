"""Which lines of a text are shown: by pattern, by range, as far as there is room."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from chatcli.tools import InvalidArguments, ToolFailed

_PATTERN_SECONDS = 2.0
"""For all lines together."""


class Selection(Struct, frozen=True, kw_only=True):
    """`first` and `last` count the lines that the patterns let through, from 1."""

    filter: str | None
    exclude: str | None
    first: int | None
    last: int | None

    @property
    def is_narrow(self) -> bool:
        return bool(self.filter or self.exclude or self.first or self.last)


class Shown(Struct, frozen=True, kw_only=True):
    text: str
    where: str
    """What part it is, and how to go on; empty for everything."""


def select(text: str, selection: Selection, room_chars: int) -> Shown:
    """Raises `InvalidArguments` for a bad pattern or range, `ToolFailed` for a pattern that is too slow."""
    lines = text.split("\n")
    numbered = [f"{number}: {line}" for number, line in _matching(lines, selection)]
    by_pattern = bool(selection.filter or selection.exclude)
    found = numbered if by_pattern else lines
    first = max(1, selection.first or 1)
    last = min(len(found), selection.last or len(found))
    if found and first > last:
        raise InvalidArguments(f"webfetch: lines {first} to {last}: there are {len(found)}")
    facts = [f"{len(found)} of {len(lines)} lines match"] if by_pattern else []
    shown, end = _fit(found[first - 1 : last], room_chars)
    if selection.first or selection.last or end < last - first + 1:
        facts.append(f"lines {first}-{first + end - 1} of {len(found)}")
    if end < last - first + 1:
        facts.append(f"go on with from_line={first + end}")
    if shown and end == 1 and len(shown) < len(found[first - 1]):
        facts.append(f"the first {len(shown)} of {len(found[first - 1])} characters of the line")
    return Shown(text=shown, where="; ".join(facts))


def _fit(lines: Sequence[str], room_chars: int) -> tuple[str, int]:
    """Whole lines as far as there is room, and how many; of a first one that is too long its beginning."""
    taken, used_chars = 0, 0
    for line in lines:
        used_chars += len(line) + 1
        if used_chars > room_chars + 1 and taken:
            break
        taken += 1
    return "\n".join(lines[:taken])[:room_chars], taken


def _matching(lines: Sequence[str], selection: Selection) -> list[tuple[int, str]]:
    wanted, unwanted = _compiled(selection.filter), _compiled(selection.exclude)
    until = time.monotonic() + _PATTERN_SECONDS

    def found(pattern: Any, line: str) -> bool:
        if (left_seconds := until - time.monotonic()) <= 0:
            raise TimeoutError
        return pattern.search(line, timeout=left_seconds) is not None

    try:
        return [
            (number, line)
            for number, line in enumerate(lines, 1)
            if (wanted is None or found(wanted, line)) and not (unwanted and found(unwanted, line))
        ]
    except TimeoutError:
        raise ToolFailed("the pattern takes too long; try a simpler one") from None


def _compiled(pattern: str | None) -> Any:
    if not pattern:
        return None
    import regex

    try:
        return regex.compile(pattern, regex.IGNORECASE)
    except regex.error as error:
        raise InvalidArguments(f"webfetch: {pattern!r} is no regular expression: {error}") from error
