"""Breakpoints of a prompt cache, as bodies carry them: never more than four."""

from __future__ import annotations

import logging
from typing import Any

from msgspec import structs

from chatcli.providers.base import Marks
from chatcli.settings import CacheTtl

logger = logging.getLogger(__name__)

MOST_MARKS = 4
"""Services refuse more. Each mark becomes at most one breakpoint of a body."""


def at_most_four(marks: Marks) -> Marks:
    """`marks`, without those that are worth least when there are too many: that is a bug, but no reason
    to lose the request.

    The one of the system block is given up first, then those of the earliest messages.
    """
    messages = tuple(sorted(set(marks.messages)))
    count = marks.last_tool + (marks.system_block is not None) + len(messages)
    if count <= MOST_MARKS:
        return marks
    logger.error("%d cache breakpoints were planned, at most %d are sent", count, MOST_MARKS)
    room = MOST_MARKS - marks.last_tool
    return structs.replace(marks, system_block=None, messages=messages[-room:])


def cache_control(ttl: CacheTtl) -> dict[str, Any]:
    """A breakpoint as Anthropic writes it, who means five minutes when nothing is said."""
    return {"type": "ephemeral"} if ttl == "5m" else {"type": "ephemeral", "ttl": ttl}
