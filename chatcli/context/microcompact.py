"""Old results in few characters: first their ends, later one line. The original stays in the archive.

The age of a result is the number of assistant messages after the one whose call it answers. When a
request is prepared, what has just arrived has age 0 and the results of the turn before age 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from chatcli.context.limits import Ageing
from chatcli.context.present import is_stored, present
from chatcli.context.previews import longest_chars
from chatcli.context.scheduler import Candidate, Occasion, choose
from chatcli.context.store import ResultStore
from chatcli.context.tokens import estimate_message_tokens
from chatcli.errors import StorageError
from chatcli.messages import AssistantMessage, Message, Presentation, ToolResult
from chatcli.session.entries import Decision

_Due = tuple[int, ToolResult, Presentation]
"""Position, the result as it is shown, and how it may be shown now."""


class MicrocompactReport(Struct, frozen=True, kw_only=True):
    """Rewrites, to be recorded before the request is sent."""

    decisions: tuple[Decision, ...] = ()
    rent: float = 0.0
    """What the next occasion goes on with."""


def apply_microcompact(
    messages: Sequence[Message],
    ageing: Ageing,
    store: ResultStore,
    occasion: Occasion | None = None,
    *,
    tokens_of: Callable[[Message], int] = estimate_message_tokens,
) -> tuple[Sequence[Message], MicrocompactReport]:
    """The view with its old results shortened; `messages` itself when none is.

    `messages` are as the budget left them: the end of a view, from any message on before which
    nothing may change any more. `occasion` decides when what is old is shortened; without one, at once.
    """
    occasion = occasion or Occasion()
    due = _due(messages, ageing)
    weighed = _weighed(messages, due, tokens_of) if occasion.schedule == "auto" else _unweighed(due)
    choice = choose(weighed, occasion)
    if choice.start is None:
        return messages, MicrocompactReport(rent=choice.rent)
    out = list(messages)
    decisions: list[Decision] = []
    for position, result, wanted in due:
        if position < choice.start:
            continue
        try:
            out[position] = shorter = present(result, wanted, store)
        except StorageError:
            continue  # what is in the view is all that is left
        decisions.append(Decision(result.seq, wanted, choice.reason, len(result.text) - len(shorter.text)))
    if not decisions:
        return messages, MicrocompactReport(rent=choice.rent)
    return out, MicrocompactReport(decisions=tuple(decisions), rent=choice.rent)


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


def _due(messages: Sequence[Message], ageing: Ageing) -> list[_Due]:
    """The results that have come of age and become shorter by it."""
    due: list[_Due] = []
    age_turns = 0
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, AssistantMessage):
            age_turns += 1
        elif isinstance(message, ToolResult) and may_change(message, ageing):
            wanted = ageing.presentation(age_turns)
            if wanted and _is_shorter(message, wanted):
                due.append((position, message, wanted))
    due.reverse()
    return due


def _is_shorter(result: ToolResult, wanted: Presentation) -> bool:
    """Whether `wanted` is a step further and certainly takes less than what is shown."""
    if result.shown is not None and result.shown.kind == wanted.kind:
        return False
    return longest_chars(wanted, result.original) < len(result.text)


def _unweighed(due: Sequence[_Due]) -> list[Candidate]:
    return [Candidate(position, 1, 1) for position, _, _ in due]


def _weighed(
    messages: Sequence[Message], due: Sequence[_Due], tokens_of: Callable[[Message], int]
) -> list[Candidate]:
    """What each rewrite saves at least, and what stands behind it, in tokens."""
    candidates: list[Candidate] = []
    counted, tokens_from_here = len(messages), 0
    for position, result, wanted in reversed(due):
        tokens_from_here += sum(tokens_of(messages[at]) for at in range(position, counted))
        counted = position
        saved = 1 - longest_chars(wanted, result.original) / len(result.text)
        saved_tokens = max(1, int(saved * tokens_of(result)))
        candidates.append(Candidate(position, saved_tokens, tokens_from_here))
    candidates.reverse()
    return candidates
