"""Notices a run that only repeats itself.

A turn's fingerprint is what it asked (names and canonical arguments, in any order) together with
what it got back. The same batch with the same results, N turns in a row, is stagnation; so is the
same batch 2 N times whatever the results. Results that change (polling, paging) reset the first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

import msgspec

from chatcli.errors import InvalidArguments
from chatcli.messages import ToolCall

_TEMPORARY = r"/(?:private/)?(?:tmp|var/tmp|var/folders|dev/shm|run/user)(?:/[^\s'\"<>:,;)\]]*)?"
_FOLDERS = r"(?<![\w.~/])~?(?:/[^\s/'\"<>:,;)\]]+)+(?=/)"
_PROGRESS = r"\d+(?:[.,]\d+)?\s?%|\d+\s?/\s?\d+|\d+\s(?:of|de|out of)\s\d+"
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_CLOCK = r"\d+:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp][Mm]\b|Z\b|\s?[+-]\d\d:?\d\d\b)?"
_DAY = (
    rf"\d{{4}}[-/]\d\d[-/]\d\d(?:[T ](?={_CLOCK}))?"
    rf"|(?:{_WEEKDAY},? )?(?:{_MONTH} +\d+|\d+ {_MONTH})(?:,? \d{{4}})?"
)
_SPAN = r"(?:\d+(?:[.,]\d+)?\s?(?:ns|us|µs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b\s?)+"
_DRAWN = r"\b(?=[0-9a-f-]*\d)[0-9a-f]{7,}(?:-[0-9a-f]{4,})*\b"

_VOLATILE = re.compile(
    rf"(?P<path>{_TEMPORARY}|{_FOLDERS})|(?:{_DAY}|{_CLOCK})+|(?P<progress>{_PROGRESS})|{_SPAN}|{_DRAWN}|\d+"
)


class Stagnation:
    """Counts equal turns in a row; `turns` is the setting `early_exit_turns`."""

    def __init__(self, turns: int) -> None:
        self._turns = turns
        self.forget()

    def forget(self) -> None:
        """Begin anew: something came that no call had asked for."""
        self._batch = self._outcome = ""
        self._equal_batches = self._equal_outcomes = 0

    def seen(self, calls: Sequence[ToolCall], results: Iterable[str]) -> bool:
        """Count one turn: its calls and the texts of its results. True when the run should stop."""
        batch = fingerprint(calls)
        outcome = outcome_of(calls, results)
        self._equal_batches = self._equal_batches + 1 if batch == self._batch else 1
        self._equal_outcomes = self._equal_outcomes + 1 if outcome == self._outcome else 1
        self._batch, self._outcome = batch, outcome
        return self._equal_outcomes >= self._turns or self._equal_batches >= 2 * self._turns


def fingerprint(calls: Sequence[ToolCall]) -> str:
    """The same for `[read A, read B]` and `[read B, read A]`, whatever order keys were written in."""
    return digest(*sorted(map(_spelled, calls)))


def outcome_of(calls: Sequence[ToolCall], results: Iterable[str]) -> str:
    """A turn as a whole: what was asked and, apart from what ticks, what came back; in any order."""
    pairs = zip(map(_spelled, calls), map(masked, results), strict=False)
    return digest(*sorted("\0".join(pair) for pair in pairs))


def masked(text: str) -> str:
    """The text without what differs each time: numbers, times, drawn names, the folders of paths.

    A number that counts towards something (40 %, 3/10, 3 of 10) is progress, and stays.
    """
    return _VOLATILE.sub(lambda found: found[0] if found["progress"] else "#", text)


def digest(*parts: str) -> str:
    """The first 16 hex digits of the SHA-256."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _spelled(call: ToolCall) -> str:
    return f"{call.name.removeprefix('@')}|{_canonical(call)}"


def _canonical(call: ToolCall) -> str:
    try:
        return msgspec.json.encode(call.arguments(), order="deterministic").decode()
    except InvalidArguments:
        return " ".join(call.arguments_json.split())
