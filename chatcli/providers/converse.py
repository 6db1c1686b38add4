"""Reads Bedrock's ConverseStream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chatcli.events import ReplyEvent
from chatcli.messages import StopReason, Usage
from chatcli.providers.complaints import unreadable_call, window_full
from chatcli.providers.replies import Chunk
from chatcli.providers.usage import converse_usage
from chatcli.providers.wire_reader import WireReader

_STOP_REASONS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "max_tokens",
    "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
}
_UNREADABLE = frozenset({"malformed_model_output", "malformed_tool_use"})
_WINDOW_FULL = "model_context_window_exceeded"


class ConverseReader(WireReader):
    """Each object has one member, named after the event. A text block begins with its first delta."""

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        match chunk:
            case {"contentBlockStart": {"contentBlockIndex": key, "start": {"toolUse": use}}}:
                call_id, name = use.get("toolUseId") or "", use.get("name") or ""
                yield from self._assembly.call(key, call_id=call_id, name=name)
            case {"contentBlockDelta": {"contentBlockIndex": key, "delta": delta}}:
                yield from self._delta(key, delta)
            case {"contentBlockStop": {"contentBlockIndex": key}}:
                self._assembly.close(key)
            case {"messageStop": {"stopReason": reason}}:
                self._finish(reason)
            case {"metadata": {"usage": usage}}:
                self._reported = usage

    def _usage_of(self, reported: dict[str, Any]) -> Usage:
        return converse_usage(reported)

    def _delta(self, key: int, delta: dict[str, Any]) -> Iterator[ReplyEvent]:
        match delta:
            case {"text": text}:
                yield from self._assembly.text(key, text)
            case {"toolUse": use}:
                yield from self._assembly.call(key, arguments=use.get("input") or "")
            case {"reasoningContent": {"text": text}}:
                yield from self._assembly.reasoning(key, text)
            case {"reasoningContent": sealed}:
                self._assembly.seal(key, **sealed)

    def _finish(self, reason: str) -> None:
        if reason == _WINDOW_FULL:
            raise window_full(self._service)
        if reason in _UNREADABLE:
            raise unreadable_call(self._service)
        self.complete = True
        self._stop_reason = _STOP_REASONS.get(reason, "end")
