"""Names of calls that a service would not take back.

A model may call what was never offered, in any spelling (`functions.read`, an empty name). The name
goes into the history, and every later request that holds it would be refused.
"""

from __future__ import annotations

import re

from msgspec import structs

from chatcli.messages import AssistantPart, ToolCall

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_CHARS = 64
"""Bedrock's and OpenAI's limit; the others take as much or more."""
_NAMELESS = "nameless"


def with_sendable_names(parts: tuple[AssistantPart, ...]) -> tuple[AssistantPart, ...]:
    """The same parts; a call whose name no service takes has the nearest one that all take."""
    return tuple(
        structs.replace(part, name=_sendable(part.name)) if isinstance(part, ToolCall) else part
        for part in parts
    )


def _sendable(name: str) -> str:
    # People and documents write `@read`.
    return _FOREIGN.sub("_", name.removeprefix("@"))[:_MAX_CHARS] or _NAMELESS
