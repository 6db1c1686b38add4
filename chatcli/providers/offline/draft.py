"""What the guide and scripts produce before it becomes a stream: text and tool calls."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from chatcli.messages import StopReason, ToolCall, Usage


class Call(Struct, frozen=True):
    """A tool call without its id."""

    name: str
    arguments: dict[str, Any] = {}

    def with_id(self, call_id: str) -> ToolCall:
        return ToolCall(
            id=call_id, name=self.name, arguments_json=msgspec.json.encode(self.arguments).decode()
        )


class Draft(Struct, frozen=True, kw_only=True):
    """One reply. `pieces` are the text deltas; `usage` is None when it shall be estimated."""

    pieces: tuple[str, ...] = ()
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop_reason: StopReason
    usage: Usage | None = None
