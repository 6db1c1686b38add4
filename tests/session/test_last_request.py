"""When the conversation was last sent: what a cache may still hold."""

from __future__ import annotations

import pytest

from chatcli.events import Purpose
from chatcli.messages import Usage
from chatcli.session.entries import Opened, UsageAdded, UsageRecord
from chatcli.session.sent import Row
from chatcli.session.state import State

FIRST, SECOND = "2026-01-01T00:00:00.000+00:00", "2026-01-01T09:00:00.000+00:00"


def usage(seq: int, purpose: Purpose, sent_at: str, same: int) -> UsageAdded:
    record = UsageRecord(
        provider="OLLAMA",
        model="m",
        purpose=purpose,
        usage=Usage(input=9),
        cost_usd=None,
        turn=1,
        seconds=0.1,
        sent_at=sent_at,
        row=Row(same=same, added=(), marks=()),
    )
    return UsageAdded(seq=seq, at=sent_at, record=record)


@pytest.mark.parametrize(
    ("purpose", "same", "last"), [("answer", 0, SECOND), ("summary", 3, SECOND), ("memory", 0, FIRST)]
)
def test_only_what_sends_the_conversation_counts(purpose: Purpose, same: int, last: str) -> None:
    state = State(Opened(seq=1, at=FIRST, session_id="s", folder="/p", workspace="/w", version="1"))
    state.apply(usage(2, "answer", FIRST, 0))
    state.apply(usage(3, purpose, SECOND, same))
    assert state.last_request_at == last
