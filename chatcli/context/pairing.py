"""Every tool call is followed by exactly one result, and every result answers a call.

Services reject a request in which this does not hold, and then every later one. The repair is
positional: an assistant message owns the stretch up to the next assistant message, because some
services use the same ids again in every turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from chatcli.messages import (
    WHOLE,
    Archived,
    AssistantMessage,
    AssistantPart,
    Message,
    ToolCall,
    ToolResult,
)

MISSING_TEXT = (
    "[Tool result missing — the tool execution was interrupted or failed silently. "
    "Do NOT retry this tool call. Analyze what went wrong and try a different approach.]"
)


class PairingReport(Struct, frozen=True, kw_only=True):
    """What had to be repaired."""

    missing: tuple[str, ...] = ()
    """Ids of calls that got a synthetic result."""
    dropped_results: int = 0
    """Results that answer no call of their stretch, or one that was answered already."""
    dropped_calls: int = 0
    """Calls without an id, or with the id of an earlier call of the same message."""
    moved_results: int = 0
    """Results that stood behind something else and were moved next to their call."""


def ensure_tool_result_pairing(messages: Sequence[Message]) -> tuple[Sequence[Message], PairingReport]:
    """The messages with calls and results paired; `messages` itself when nothing is wrong.

    A missing result is replaced by a synthetic one (`seq` 0, status `missing`). An assistant message
    of which nothing is left by the repair is dropped. Takes time linear in the number of messages.
    """
    repair: _Repair | None = None
    start = 0
    for end in range(1, len(messages) + 1):
        if end < len(messages) and not isinstance(messages[end], AssistantMessage):
            continue
        if not _is_paired(messages, start, end):
            repair = repair or _Repair(messages[:start])
            repair.add_broken(messages, start, end)
        elif repair:
            repair.messages.extend(messages[start:end])
        start = end
    return (repair.messages, repair.report()) if repair else (messages, PairingReport())


def _is_paired(messages: Sequence[Message], start: int, end: int) -> bool:
    """Whether nothing is wrong with `messages[start:end]`: one assistant message and what it owns."""
    first, position = messages[start], start
    if isinstance(first, AssistantMessage):
        position += 1
        while position < end and isinstance(messages[position], ToolResult):
            position += 1
        if not _answers(first.calls, messages, start + 1, position):
            return False
    return not any(isinstance(messages[behind], ToolResult) for behind in range(position, end))


def _answers(calls: tuple[ToolCall, ...], messages: Sequence[Message], start: int, end: int) -> bool:
    """Whether `messages[start:end]`, all of them results, answer each call once, in any order."""
    if len(calls) != end - start or not all(call.id for call in calls):
        return False
    wanted = {call.id for call in calls}
    answered = {_call_id(messages[position]) for position in range(start, end)}
    return len(wanted) == len(calls) and wanted == answered


def _call_id(message: Message) -> str:
    return message.call_id if isinstance(message, ToolResult) else ""


class _Repair:
    """The paired messages so far, and what was done to them."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = list(messages)
        self._missing: list[str] = []
        self._dropped_results = 0
        self._dropped_calls = 0
        self._moved_results = 0

    def report(self) -> PairingReport:
        return PairingReport(
            missing=tuple(self._missing),
            dropped_results=self._dropped_results,
            dropped_calls=self._dropped_calls,
            moved_results=self._moved_results,
        )

    def add_broken(self, messages: Sequence[Message], start: int, end: int) -> None:
        """Append `messages[start:end]`: an assistant message and what follows it, or what precedes all."""
        first = messages[start]
        calls: tuple[ToolCall, ...] = ()
        if isinstance(first, AssistantMessage):
            usable = self._without_unusable_calls(first)
            calls = usable.calls
            start += 1
            if usable.parts or usable is first:
                self.messages.append(usable)
        others: list[Message] = []
        results: dict[str, ToolResult] = {}
        wanted = {call.id for call in calls}
        for position in range(start, end):
            message = messages[position]
            if not isinstance(message, ToolResult):
                others.append(message)
            elif message.call_id in wanted and message.call_id not in results:
                results[message.call_id] = message
                self._moved_results += bool(others)
            else:
                self._dropped_results += 1
        for call in calls:
            if call.id not in results:
                self._missing.append(call.id)
            self.messages.append(results.get(call.id) or _missing_result(call))
        self.messages.extend(others)

    def _without_unusable_calls(self, message: AssistantMessage) -> AssistantMessage:
        seen: set[str] = set()
        parts: list[AssistantPart] = []
        for part in message.parts:
            if isinstance(part, ToolCall):
                if not part.id or part.id in seen:
                    continue
                seen.add(part.id)
            parts.append(part)
        dropped = len(message.parts) - len(parts)
        self._dropped_calls += dropped
        return structs.replace(message, parts=tuple(parts)) if dropped else message


def _missing_result(call: ToolCall) -> ToolResult:
    return ToolResult(
        seq=0,
        call_id=call.id,
        name=call.name,
        status="missing",
        original=Archived(
            key="",
            sha256="",
            size_bytes=len(MISSING_TEXT.encode()),
            size_chars=len(MISSING_TEXT),
            lines=1,
        ),
        shown=WHOLE,
        text=MISSING_TEXT,
    )
