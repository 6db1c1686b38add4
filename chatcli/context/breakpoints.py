"""Where an explicit prompt cache is asked to remember the request: at most four marks.

Such a cache stores a prefix at each mark, and finds one by looking back from a mark over at most 20
blocks. So the last block is always marked, for the next request to find; and when many blocks are
new, marks in between keep the last stored prefix within reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chatcli.messages import Message, ToolResult, ToolSchema
from chatcli.providers.base import Block, Marks
from chatcli.providers.marks import MOST_MARKS
from chatcli.settings import CacheTtl

_REACH_BLOCKS = 15  # of the 20, the rest is for blocks that an adapter adds


def plan_marks(
    messages: Sequence[Message],
    *,
    system: Sequence[Block],
    tools: Sequence[ToolSchema],
    settled_messages: int,
    unchanged_messages: int = 0,
    previous: Sequence[int] = (),
    ttl: CacheTtl = "5m",
) -> Marks:
    """The marks of one request, by what they are worth.

    Behind the last tool, behind the last system block, behind the last message that no rewrite will
    change (`settled_messages` counts those), behind the last message. `previous` are the
    `stored_marks` of the request before, `unchanged_messages` tells how many messages the two
    requests have in common: from the last mark among those on, no more than 15 blocks go without a
    mark. For marks in between, the one of the system block is given up first, then the one of the
    messages that are settled.
    """
    if not messages:
        return Marks(last_tool=bool(tools), system_block=len(system) - 1 if system else None, ttl=ttl)
    last = len(messages) - 1
    anchor = settled_messages - 1 if 0 < settled_messages <= last else None
    system_block = len(system) - 1 if system else None
    stored = max((mark for mark in previous if mark < unchanged_messages), default=None)
    marks = {last} if anchor is None else {anchor, last}
    for between in _between(messages, stored, marks):
        count = bool(tools) + (system_block is not None) + len(marks)
        if count == MOST_MARKS and system_block is not None:
            system_block = None
        elif count == MOST_MARKS and anchor is not None:
            marks.remove(anchor)
            anchor = None
        elif count == MOST_MARKS:
            break
        marks.add(between)
    return Marks(last_tool=bool(tools), system_block=system_block, messages=tuple(sorted(marks)), ttl=ttl)


def stored_marks(previous: Sequence[int], unchanged_messages: int, marks: Marks) -> tuple[int, ...]:
    """All marks of a session, after a request with `marks`, behind which the cache has what it holds now.

    `previous` is what this gave for the request before, of whose messages `unchanged_messages` were
    sent again as they were.
    """
    kept = (mark for mark in previous if mark < unchanged_messages)
    return tuple(sorted({*kept, *marks.messages}))


def _between(messages: Sequence[Message], stored: int | None, marks: set[int]) -> Iterator[int]:
    """Messages behind which a mark is missing: from `stored` on, 15 blocks after the mark before."""
    if stored is None:
        return
    new_blocks = 0
    for position in range(stored + 1, len(messages)):
        blocks = _wire_blocks(messages[position])
        if new_blocks + blocks > _REACH_BLOCKS and new_blocks:
            yield position - 1
            new_blocks = 0
        new_blocks = 0 if position in marks else new_blocks + blocks


def _wire_blocks(message: Message) -> int:
    return 1 if isinstance(message, ToolResult) else len(message.parts)
