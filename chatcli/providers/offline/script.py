"""Scripts: a fixed list of replies, one JSON object a line, for tests and for the tour.

    {"text": "Let me look.", "calls": [{"name": "tree", "arguments": {"path": "."}}]}
    {"text": ["Three ", "files."], "usage": {"input": 10, "output": 2}}

The next reply is found by counting the replies in the request, so that a resumed session goes on
at the right place. Blank lines and lines that start with `#` are skipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from chatcli.errors import BadRequest, UsageError
from chatcli.i18n import _
from chatcli.messages import AssistantMessage, StopReason, ToolCall, Usage
from chatcli.providers.base import Request
from chatcli.providers.offline.draft import Draft


class ScriptedCall(Struct, frozen=True, forbid_unknown_fields=True):
    """`arguments` is an object, or a string that is sent as it is, valid JSON or not."""

    name: str
    arguments: dict[str, Any] | str = {}
    id: str = ""


class ScriptedReply(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a script. `text` may be given in the pieces in which it is streamed."""

    text: str | tuple[str, ...] = ()
    reasoning: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    stop_reason: StopReason | None = None
    usage: Usage | None = None


class Script(Struct, frozen=True):
    """Replies in the order in which they are played; `first` replies were there before them."""

    source: str
    replies: tuple[ScriptedReply, ...]
    first: int = 0

    def reply_to(self, request: Request) -> Draft:
        """Raises BadRequest when the script is over."""
        count = sum(isinstance(message, AssistantMessage) for message in request.messages)
        number = count - self.first
        if not 0 <= number < len(self.replies):
            raise BadRequest(
                _("the script {file} has {n} replies and another one was asked for").format(
                    file=self.source, n=len(self.replies)
                ),
                provider="OFFLINE",
            )
        return _draft(self.replies[number], request.messages[-1].seq)


def _draft(reply: ScriptedReply, last_seq: int) -> Draft:
    calls = tuple(_tool_call(call, f"offline_{last_seq}_{i}") for i, call in enumerate(reply.calls))
    return Draft(
        pieces=(reply.text,) if isinstance(reply.text, str) else reply.text,
        reasoning=reply.reasoning,
        calls=calls,
        stop_reason=reply.stop_reason or ("tool_calls" if calls else "end"),
        usage=reply.usage,
    )


def _tool_call(call: ScriptedCall, fallback_id: str) -> ToolCall:
    arguments = call.arguments
    text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
    return ToolCall(id=call.id or fallback_id, name=call.name, arguments_json=text)


def read_script(path: Path) -> Script:
    """Raises UsageError, naming the line, when the file is not a script."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            _("cannot read the script {file}: {why}").format(file=path, why=error),
            hint=_("It is named by CHATCLI_OFFLINE_SCRIPT or by the model `script:FILE`."),
        ) from error
    replies = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            replies.append(msgspec.json.decode(line, type=ScriptedReply))
        except msgspec.DecodeError as error:
            raise UsageError(
                _("{file}, line {n}: not a scripted reply: {why}").format(file=path, n=number, why=error)
            ) from error
    return Script(str(path), tuple(replies))
