"""Sessions that never were, as `/cost` would tell them."""

from __future__ import annotations

from chatcli.agent.cost.report import CostReport, cost_report
from chatcli.messages import Archived, Text, ToolResult, Usage, UserMessage
from chatcli.providers.prices import cost_usd
from chatcli.session.entries import CacheMiss, MessageAdded, Opened, UsageAdded, UsageRecord
from chatcli.session.sent import Part, Row
from chatcli.session.state import State

EVIL = '<script>alert("x")</script>\x1b[2J'
MISSES = (
    CacheMiss(cause="rewrite", detail="message 3: rent", lost_tokens=7_300, expected=True, lost_usd=0.0175),
    CacheMiss(cause="expired", detail="idle for 20 min", lost_tokens=9_738, expected=True, lost_usd=0.0234),
    CacheMiss(cause="tools", detail=f"+hum, -{EVIL}", lost_tokens=5_000, expected=False, lost_usd=None),
    CacheMiss(cause="many_blocks", detail="22 blocks", lost_tokens=1_234_567, expected=False, lost_usd=2.5),
)


def report(turns: int, *, evil: bool = False, unknown: bool = False, misses: bool = True) -> CostReport:
    """Each turn adds 900 tokens to what is read from the cache; some of them lost a part of it."""
    state = State(
        Opened(seq=1, at="", session_id="20261130-0912-ab12cd", folder="/f", workspace="/w", version="0")
    )
    result = ToolResult(
        seq=3,
        call_id="1",
        name=EVIL if evil else "read",
        original=Archived(key="", sha256="", size_bytes=0, size_chars=0, lines=0),
    )
    for message in (UserMessage(seq=2, parts=(Text("Read."),)), result):
        state.apply(MessageAdded(seq=message.seq, at="", message=message, number=message.seq - 1))
    parts = Part("tool", "read", "t", 500), Part("block", "core", "b", 300), Part("message", "3", "m", 900)
    for number in range(1, turns + 1):
        model = "no-price" if unknown and number % 5 == 0 else EVIL if evil else "claude-sonnet-5-5"
        usage = Usage(
            input=3 if number % 4 else 700,
            cache_read=number * 900,
            cache_write_5m=900,
            output=100 + 37 * (number % 7),
            reasoning=11,
        )
        record = UsageRecord(
            provider="CLAUDEAI",
            model=model,
            purpose="summary" if number % 10 == 9 else "answer",
            usage=usage,
            cost_usd=cost_usd("CLAUDEAI", model, usage),
            turn=number,
            seconds=1.5,
            miss=MISSES[number // 3 % 4] if misses and number % 3 == 2 else None,
            row=Row(same=0 if number == 1 else 3, added=parts if number == 1 else (), marks=()),
        )
        state.apply(UsageAdded(seq=number + 3, at="2026-11-30T09:00:00+00:00", record=record))
    return cost_report(state)
