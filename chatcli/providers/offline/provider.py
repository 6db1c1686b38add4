"""The provider that needs nothing: every reply is computed from the request alone.

It keeps no state, so that a resumed session goes on exactly where it stopped. Tokens are estimated
and cost nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import msgspec

from chatcli.events import ReasoningDelta, Reply, ReplyEvent, TextDelta, ToolCallDelta, UsageSeen
from chatcli.messages import AssistantMessage, AssistantPart, Reasoning, Text, ToolResult, Usage, UserMessage
from chatcli.providers.base import CacheClass, Request
from chatcli.providers.offline.draft import Draft
from chatcli.providers.offline.guide import answer
from chatcli.providers.offline.script import Script, read_script

SCRIPT_VARIABLE = "CHATCLI_OFFLINE_SCRIPT"
SCRIPT_PREFIX = "script:"
_CHARS_PER_TOKEN = 4


class Offline:
    """`model` is `rules`, or `script:FILE`; `CHATCLI_OFFLINE_SCRIPT=FILE` says the same, `script` is one.

    Raises UsageError when the script cannot be read, naming file and line.
    """

    name = "OFFLINE"
    cache: CacheClass = "none"
    window_tokens = 1_000_000

    def __init__(
        self,
        model: str = "rules",
        environment: Mapping[str, str] | None = None,
        *,
        script: Script | None = None,
    ) -> None:
        script_file = (environment or {}).get(SCRIPT_VARIABLE, "")
        if model.startswith(SCRIPT_PREFIX):
            script_file = model.removeprefix(SCRIPT_PREFIX)
        self._script = script or (read_script(Path(script_file)) if script_file else None)
        # Another model's name may be left over in the settings of somebody who has no key now.
        self.model = SCRIPT_PREFIX + self._script.source if self._script else "rules"

    async def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        draft = self._script.reply_to(request) if self._script else answer(request)
        parts: list[AssistantPart] = []
        if draft.reasoning:
            yield ReasoningDelta(draft.reasoning)
            parts.append(Reasoning(text=draft.reasoning))
        for piece in draft.pieces:
            yield TextDelta(piece)
            await asyncio.sleep(0)  # lets the screen paint and a cancel arrive
        if text := "".join(draft.pieces):
            parts.append(Text(text))
        for call in draft.calls:
            yield ToolCallDelta(call.id, call.name, call.arguments_json)
        parts.extend(draft.calls)
        usage = draft.usage or _estimate(request, draft)
        yield UsageSeen(usage)
        yield Reply(parts=tuple(parts), stop_reason=draft.stop_reason, usage=usage, model=self.model)

    async def aclose(self) -> None:
        """Nothing is open."""


def _estimate(request: Request, draft: Draft) -> Usage:
    read_chars = sum(len(block.text) for block in request.system)
    read_chars += sum(len(msgspec.json.encode(schema)) for schema in request.tools)
    for message in request.messages:
        match message:
            case ToolResult(text=text):
                read_chars += len(text)
            case UserMessage(parts=parts):
                read_chars += sum(len(part.text) for part in parts)
            case AssistantMessage():
                read_chars += len(message.text) + sum(len(call.arguments_json) for call in message.calls)
    written_chars = sum(map(len, draft.pieces)) + sum(len(call.arguments_json) for call in draft.calls)
    return Usage(
        input=read_chars // _CHARS_PER_TOKEN,
        output=written_chars // _CHARS_PER_TOKEN,
        cost_usd=0.0,
        estimated=True,
    )
