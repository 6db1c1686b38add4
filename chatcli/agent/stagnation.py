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

_VOLATILE = re.compile(r"\d+|/(?:tmp|var/folders)/\S+")


class Stagnation:
    """Counts equal turns in a row; `turns` is the setting `early_exit_turns`."""

    def __init__(self, turns: int) -> None:
        self._turns = turns
        self._batch = self._outcome = ""
        self._equal_batches = self._equal_outcomes = 0

    def seen(self, calls: Sequence[ToolCall], results: Iterable[str]) -> bool:
        """Count one turn: its calls and the texts of its results. True when the run should stop."""
        batch = fingerprint(calls)
        outcome = _digest(batch, *(_VOLATILE.sub("#", text) for text in results))
        self._equal_batches = self._equal_batches + 1 if batch == self._batch else 1
        self._equal_outcomes = self._equal_outcomes + 1 if outcome == self._outcome else 1
        self._batch, self._outcome = batch, outcome
        return self._equal_outcomes >= self._turns or self._equal_batches >= 2 * self._turns


def fingerprint(calls: Sequence[ToolCall]) -> str:
    """The same for `[read A, read B]` and `[read B, read A]`, whatever order keys were written in."""
    return _digest(*sorted(f"{call.name}|{_canonical(call)}" for call in calls))


def _canonical(call: ToolCall) -> str:
    try:
        return msgspec.json.encode(call.arguments(), order="deterministic").decode()
    except InvalidArguments:
        return " ".join(call.arguments_json.split())


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
