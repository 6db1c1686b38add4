"""What can be given up when the window is full: where to cut, what to say of it, what to shorten.

Pure: nothing is recorded and nobody is asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile

from msgspec import structs

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.compaction import may_begin
from chatcli.context.limits import ONE_LINE, SMALLEST_TOKENS, Limits
from chatcli.context.present import is_stored, present
from chatcli.context.store import ResultStore
from chatcli.context.tokens import estimate_tokens
from chatcli.messages import (
    WHOLE,
    AssistantMessage,
    Message,
    Presentation,
    ToolCall,
    ToolResult,
    UserMessage,
)

_LINE_CHARS = 160
_RECORD_TOKENS = 2_000
_RECORD = "No summary could be made. From the record, what was called, oldest first:"
_OLDER = "({count} earlier calls)"


def last_cut(messages: Sequence[Message], after_seq: int = 0) -> int | None:
    """The latest position from which a view may go on, so that something is left out; None: there is none.

    Here and below `after_seq` is up to where a summary stands already: that is not cut again.
    """
    return next(cuts(messages, after_seq), None)


def cut_for(
    messages: Sequence[Message],
    keep_tokens: int,
    tokens_of: Callable[[Message], int],
    after_seq: int = 0,
) -> int | None:
    """The earliest position from which on `messages` take at most `keep_tokens`, else the latest.

    None when nothing would be left out by any.
    """
    found: int | None = None
    tokens, counted = 0, len(messages)
    for cut in cuts(messages, after_seq):
        tokens += sum(map(tokens_of, messages[cut:counted]))
        counted = cut
        if found is not None and tokens > keep_tokens:
            break
        found = cut
    return found


def cuts(messages: Sequence[Message], after_seq: int = 0) -> Iterator[int]:
    """The positions from which a view may go on and before which a reply stands, latest first."""
    replies = (at for at, m in enumerate(messages) if isinstance(m, AssistantMessage) and m.seq > after_seq)
    first_reply = next(replies, len(messages))
    return (at for at in range(len(messages) - 1, first_reply, -1) if may_begin(messages[at]))


def words_that_fit(messages: Sequence[Message], most_tokens: int) -> int:
    """The `seq` from which on all that the user said takes at most `most_tokens`."""
    from_seq = messages[-1].seq + 1 if messages else 0
    for message in reversed(messages):
        if isinstance(message, UserMessage):
            most_tokens -= estimate_tokens(message.text)
            if most_tokens < 0:
                return from_seq
        from_seq = message.seq
    return 0


def record_of(messages: Sequence[Message]) -> str:
    """What was called and how it ended, a line each, the newest that fit in 2,000 tokens."""
    calls = list(_calls(messages))
    lines: list[str] = []
    left_tokens = _RECORD_TOKENS
    for call, result in reversed(calls):
        line = _line(call, result)
        left_tokens -= estimate_tokens(line)
        if left_tokens < 0:
            break
        lines.append(line)
    older = len(calls) - len(lines)
    lines += [_OLDER.format(count=older)] if older else []
    return "\n".join([_RECORD, *reversed(lines)])


def _calls(messages: Sequence[Message]) -> Iterator[tuple[ToolCall, ToolResult | None]]:
    """Each call with its result; ids may come again in every turn."""
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            stretch = takewhile(lambda m: not isinstance(m, AssistantMessage), messages[at + 1 :])
            results = {m.call_id: m for m in stretch if isinstance(m, ToolResult)}
            yield from ((call, results.get(call.id)) for call in message.calls)


def _line(call: ToolCall, result: ToolResult | None) -> str:
    arguments = " ".join(call.arguments_json.split())
    shown = arguments if len(arguments) <= _LINE_CHARS else f"{arguments[:_LINE_CHARS]}…"
    ended = f": {result.status}, {result.original.lines} lines" if result else ""
    key = f" <<ccr:{result.original.key}>>" if result and is_stored(result) else ""
    return f"- {call.name} {shown}{ended}{key}"


def squeezed(
    messages: Sequence[Message], budget_tokens: int, limits: Limits, store: ResultStore
) -> Mapping[int, Presentation]:
    """How the results of each turn are shown so that they take at most `budget_tokens`, where that is less.

    By `seq`. Whether something was asked for verbatim, or changed something, makes no difference.
    """
    budget_tokens = max(SMALLEST_TOKENS, budget_tokens)
    tight = structs.replace(limits, max_tokens=budget_tokens, budget_tokens=budget_tokens)
    anew = [_as_new(message) for message in messages]
    shorter, _report = enforce_tool_result_budget(anew, {}, tight, store)
    shortest = _one_line_each(shorter, budget_tokens, store)
    return {
        after.seq: after.shown
        for before, after in zip(messages, shortest, strict=True)
        if isinstance(before, ToolResult) and isinstance(after, ToolResult)
        if after.shown not in (None, WHOLE) and after.seq and len(after.text) <= len(before.text)
    }


def _one_line_each(messages: Sequence[Message], budget_tokens: int, store: ResultStore) -> Sequence[Message]:
    """Two hundred short results are too long as well: the longest become a line, as far as needed."""
    results = {at: m for at, m in enumerate(messages) if isinstance(m, ToolResult)}
    sizes = {at: estimate_tokens(result.text) for at, result in results.items()}
    excess = sum(sizes.values()) - budget_tokens
    lines: dict[int, Message] = {}
    for at in sorted(sizes, key=lambda at: -sizes[at]):
        if excess > 0 and is_stored(results[at]):
            lines[at] = line = present(results[at], ONE_LINE, store)
            excess -= sizes[at] - estimate_tokens(line.text)
    return [lines.get(at, message) for at, message in enumerate(messages)]


def _as_new(message: Message) -> Message:
    if not isinstance(message, ToolResult) or not is_stored(message):
        return message
    return structs.replace(message, shown=None, text="", verbatim=False, self_limited=False)
