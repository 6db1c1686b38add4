"""Old results in few characters: first their ends, later one line. The original stays in the archive.

The age of a result is the number of assistant messages after the one whose call it answers. When a
request is prepared, what has just arrived has age 0 and the results of the turn before age 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from chatcli.context.limits import Ageing
from chatcli.context.present import is_stored, present
from chatcli.context.store import ResultStore
from chatcli.errors import StorageError
from chatcli.messages import AssistantMessage, Message, Presentation, ToolResult
from chatcli.session.entries import Decision


class MicrocompactReport(Struct, frozen=True):
    """Rewrites, to be recorded before the request is sent."""

    decisions: tuple[Decision, ...] = ()


def apply_microcompact(
    messages: Sequence[Message],
    ageing: Ageing,
    store: ResultStore,
    *,
    later_turns: int = 0,
    reason: str = "age",
) -> tuple[Sequence[Message], MicrocompactReport]:
    """The view with its old results shortened; `messages` itself when none is.

    `messages` are results as the budget left them, `later_turns` counts the assistant messages that
    follow them. A rewrite is only made when the text becomes shorter by it.
    """
    out: list[Message] | None = None
    decisions: list[Decision] = []
    age = later_turns
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, AssistantMessage):
            age += 1
        if not isinstance(message, ToolResult) or (wanted := due(message, age, ageing)) is None:
            continue
        try:
            shorter = present(message, wanted, store)
        except StorageError:
            continue  # what is in the view is all that is left
        if len(shorter.text) >= len(message.text):
            continue
        if out is None:
            out = list(messages)
        out[position] = shorter
        decisions.append(Decision(message.seq, wanted, reason, len(message.text) - len(shorter.text)))
    return messages if out is None else out, MicrocompactReport(tuple(reversed(decisions)))


def due(result: ToolResult, age_turns: int, ageing: Ageing) -> Presentation | None:
    """The presentation that a result has come of age for, if it is not shown so already."""
    if not may_change(result, ageing):
        return None
    wanted = ageing.presentation(age_turns)
    if wanted is None or (result.shown is not None and result.shown.kind == wanted.kind):
        return None
    return wanted


def may_change(result: ToolResult, ageing: Ageing) -> bool:
    """Whether a result is, or will be one day, shortened for its age.

    Only what a reading call returned without an error and what can be opened again; never a result
    that is one line already.
    """
    return (
        result.read_only
        and result.status == "ok"
        and is_stored(result)
        and result.original.size_chars > ageing.min_content_chars
        and (result.shown is None or result.shown.kind != "summary")
    )
