"""Notices a run that goes in circles without repeating one turn: what `stagnation` does not count.

Two signs. A cycle: the same two or three turns, with the same results, again and again. And one
error: a tool that fails the same way with ever other arguments, while nothing else is changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from chatcli.agent.judgement.stagnation import digest, masked, outcome_of
from chatcli.errors import InvalidArguments
from chatcli.messages import ToolCall, ToolResult

Sign = Literal["cycle", "errors"]

_PERIODS = (2, 3)
_ARGUMENT_WORD = re.compile(r"[^\s'\"=,;:()\[\]{}]{3,}")
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`")
_MASKS = re.compile(r"#(?:[\s,/.#]|(?:and|or)\b)*")


class Circling:
    """Looks at the last turns; `turns` is the setting `early_exit_turns`.

    With 3: A, B, A, B is a cycle, and a tool that fails alike in three of its turns is stuck.
    """

    def __init__(self, turns: int) -> None:
        self._turns = turns
        self._repeats = max(2, turns - 1)
        self.forget()

    def forget(self) -> None:
        """Begin anew: after advice, and when somebody said something."""
        self._outcomes: list[str] = []
        self._failing: dict[str, tuple[str, int]] = {}

    def seen(
        self, calls: Sequence[ToolCall], results: Sequence[ToolResult], texts: Sequence[str]
    ) -> Sign | None:
        """Count one turn. `texts` are those of `results`, which answer `calls`."""
        self._outcomes.append(outcome_of(calls, texts))
        self._count_failures(calls, results, texts)
        if self._in_cycle():
            return "cycle"
        if any(count >= self._turns for _error, count in self._failing.values()):
            return "errors"
        return None

    def _in_cycle(self) -> bool:
        for period in _PERIODS:
            tail = self._outcomes[-period * self._repeats :]
            cycle = tail[:period]
            if len(set(cycle)) > 1 and tail == cycle * self._repeats:
                return True
        return False

    def _count_failures(
        self, calls: Sequence[ToolCall], results: Sequence[ToolResult], texts: Sequence[str]
    ) -> None:
        """One count a tool and turn. Whatever changed something may have mended the cause."""
        if any(result.status == "ok" and not result.read_only for result in results):
            self._failing.clear()
        errors: dict[str, set[str]] = defaultdict(set)
        by_id = {call.id: call for call in calls}
        for result, text in zip(results, texts, strict=True):
            call = by_id[result.call_id]
            errors[result.name].add(error_class(call, result, text) if result.is_error else "")
        for tool, classes in errors.items():
            (error, *others) = classes
            if others or not error:
                self._failing.pop(tool, None)
                continue
            known, count = self._failing.get(tool, ("", 0))
            self._failing[tool] = (error, count + 1 if error == known else 1)


def error_class(call: ToolCall, result: ToolResult, text: str) -> str:
    """The same for one complaint about different arguments: their words are masked in its text."""
    bare = _QUOTED.sub("#", text)
    for word in sorted(_words(call), key=len, reverse=True):
        bare = bare.replace(word, "#")
    return digest(result.name, result.status, _MASKS.sub("#", masked(bare)))


def _words(call: ToolCall) -> set[str]:
    try:
        values = call.arguments().values()
    except InvalidArguments:
        return set()
    return {word for value in values if isinstance(value, str) for word in _ARGUMENT_WORD.findall(value)}
