"""Old results in few characters: first their ends, later one line. The original stays in the archive.

The age of a result is the number of assistant messages after the one whose call it answers. When a
request is prepared, what has just arrived has age 0 and the results of the turn before age 1.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from msgspec import Struct

from chatcli.context.limits import ONE_LINE, Ageing
from chatcli.context.present import is_stored, present
from chatcli.context.previews import longest_chars
from chatcli.context.scheduler import Candidate, Choice, Occasion, choose
from chatcli.context.store import ResultStore
from chatcli.context.tokens import estimate_message_tokens
from chatcli.errors import StorageError
from chatcli.messages import AssistantMessage, Message, Presentation, ToolResult
from chatcli.session.entries import DROPPED, Decision, Rewrite

_CLEARED_CHARS = 110
_MARKER_CHARS = 100


class _Due(NamedTuple):
    """A result that has come of age."""

    position: int
    result: ToolResult
    """As it is shown."""
    wanted: Presentation
    waited_turns: int


class MicrocompactReport(Struct, frozen=True):
    """Rewrites, to be recorded before the request is sent."""

    decisions: tuple[Decision, ...] = ()
    rewrite: Rewrite | None = None
    """What they save and cost, if there are any."""


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
    due = _due(messages, ageing) if occasion.schedule != "off" or occasion.overflow else []
    choice: Choice | None = None
    if due and (reason := occasion.reason_to_rewrite_all()):
        choice = Choice(due[0].position, reason)
    elif due:
        choice = choose(_candidates(messages, due, tokens_of), occasion)
    if choice is None:
        return messages, MicrocompactReport()
    out = list(messages)
    decisions: list[Decision] = []
    for position, result, wanted, _ in due:
        if position < choice.start:
            continue
        try:
            out[position] = shorter = present(result, wanted, store)
        except StorageError:
            continue  # what is in the view is all that is left
        saved_chars = len(result.text) - len(shorter.text)
        decisions.append(Decision(result.seq, wanted, choice.reason, saved_chars))
    if not decisions:
        return messages, MicrocompactReport()
    rewrite = _priced(messages, out, occasion, choice.reason, tokens_of)
    return out, MicrocompactReport(tuple(decisions), rewrite)


def clear(
    messages: Sequence[Message],
    seqs: Collection[int],
    store: ResultStore,
    occasion: Occasion,
    *,
    tokens_of: Callable[[Message], int] = estimate_message_tokens,
) -> MicrocompactReport:
    """These results in one line because the user wants it, whatever their age, where that is shorter.

    Raises `StorageError` when an original is gone.
    """
    out = list(messages)
    decisions: list[Decision] = []
    for position, message in enumerate(messages):
        if not isinstance(message, ToolResult) or message.seq not in seqs or not is_stored(message):
            continue
        shorter = present(message, ONE_LINE, store)
        if (saved_chars := len(message.text) - len(shorter.text)) > 0:
            out[position] = shorter
            decisions.append(Decision(message.seq, ONE_LINE, DROPPED, saved_chars))
    if not decisions:
        return MicrocompactReport()
    return MicrocompactReport(tuple(decisions), _priced(messages, out, occasion, DROPPED, tokens_of))


def _priced(
    before: Sequence[Message],
    after: Sequence[Message],
    occasion: Occasion,
    reason: str,
    tokens_of: Callable[[Message], int],
) -> Rewrite:
    """What it saves to send `after` instead of `before`, and what it costs more this once."""
    changed = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one is not other]
    saved_tokens = sum(tokens_of(before[at]) - tokens_of(after[at]) for at in changed)
    dearer = occasion.price_of_losing_a_token()
    lost = after[changed[0] : _last_reply(after)] if dearer else ()
    price_tokens = round(dearer * sum(map(tokens_of, lost)))
    return Rewrite(reason=reason, saved_tokens=saved_tokens, price_tokens=price_tokens)


def _last_reply(messages: Sequence[Message]) -> int:
    """Where the last assistant message stands: it and what follows were never sent before."""
    return max(at for at, message in enumerate(messages) if isinstance(message, AssistantMessage))


def may_change(result: ToolResult, ageing: Ageing) -> bool:
    """Whether a result is, or will be one day, shortened for its age.

    Only what a reading call returned without an error and what can be opened again; never a result
    that is one line already, or deleted.
    """
    return (
        result.read_only
        and result.status == "ok"
        and is_stored(result)
        and result.original.size_chars > ageing.min_content_chars
        and (result.shown is None or _can_be_shortened(result.shown))
    )


def _can_be_shortened(shown: Presentation) -> bool:
    return not shown.pinned and shown.kind not in ("summary", "deleted")


def _due(messages: Sequence[Message], ageing: Ageing) -> list[_Due]:
    """The results that have come of age and become shorter by it, in order."""
    due: list[_Due] = []
    age_turns = 0
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, AssistantMessage):
            age_turns += 1
        elif isinstance(message, ToolResult) and may_change(message, ageing):
            wanted = ageing.presentation(age_turns)
            if wanted and _is_shorter(message, wanted):
                waited_turns = 1 + age_turns - _due_age(message, ageing)
                due.append(_Due(position, message, wanted, waited_turns))
    due.reverse()
    return due


def _is_shorter(result: ToolResult, wanted: Presentation) -> bool:
    """Whether `wanted` is a step further and certainly takes less than what is shown."""
    if result.shown is not None and result.shown.kind == wanted.kind:
        return False
    return longest_chars(wanted, result.original) < len(result.text)


def _due_age(result: ToolResult, ageing: Ageing) -> int:
    """The age at which the next step was due."""
    if result.shown is not None and result.shown.kind == "truncated":
        return ageing.summarize_turns
    return min(ageing.truncate_turns, ageing.summarize_turns)


def _candidates(
    messages: Sequence[Message], due: Sequence[_Due], tokens_of: Callable[[Message], int]
) -> list[Candidate]:
    candidates: list[Candidate] = []
    counted, tokens_from_here = len(messages), 0
    for position, result, wanted, waited_turns in reversed(due):
        tokens_from_here += sum(tokens_of(messages[at]) for at in range(position, counted))
        counted = position
        left = min(1.0, _likely_chars(wanted) / len(result.text))
        saved_tokens = int((1 - left) * tokens_of(result))
        candidates.append(Candidate(position, saved_tokens, waited_turns, tokens_from_here))
    candidates.reverse()
    return candidates


def _likely_chars(wanted: Presentation) -> int:
    if wanted.kind == "summary":
        return _CLEARED_CHARS
    return wanted.head_chars + wanted.tail_chars + _MARKER_CHARS
