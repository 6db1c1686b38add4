"""Names of calls that a service would not take back.

A model may call what was never offered, in any spelling (`functions.read`, an empty name). The name
goes into the history, and every later request that holds it would be refused. Journals of others, and
old ones, hold such names: so they are cured where they are kept, and once more where they are sent.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import structs

from chatcli.messages import AssistantPart, ToolCall

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_CHARS = 64
"""Bedrock's and OpenAI's limit; the others take as much or more."""
_NAMELESS = "nameless"


def with_sendable_names(parts: tuple[AssistantPart, ...]) -> tuple[AssistantPart, ...]:
    """The parts; a call whose name no service takes has the nearest one that all take."""
    if all(sendable(part.name) == part.name for part in parts if isinstance(part, ToolCall)):
        return parts
    return tuple(
        structs.replace(part, name=sendable(part.name)) if isinstance(part, ToolCall) else part
        for part in parts
    )


@lru_cache(maxsize=1_000)
def sendable(name: str) -> str:
    """The same name for the same name, always."""
    # People and documents write `@read`.
    return _FOREIGN.sub("_", name.removeprefix("@"))[:_MAX_CHARS] or _NAMELESS
