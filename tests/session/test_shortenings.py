"""A session knows what made its requests shorter, and what that was reckoned to save and to cost."""

from __future__ import annotations

from collections.abc import Callable

from chatcli.messages import Presentation, Text, Usage
from chatcli.session.entries import Compacted, Decision, Rewrite, UsageRecord
from chatcli.session.session import Session

SHORT = Presentation(kind="summary")
RENT = Rewrite(reason="rent", saved_tokens=900, price_tokens=200, price_usd=0.0006)
USAGE = UsageRecord(
    provider="P", model="m", purpose="answer", usage=Usage(input=10), cost_usd=None, turn=1, seconds=0.1
)


def compaction(upto_seq: int) -> Compacted:
    return Compacted(
        seq=0, at="", upto_seq=upto_seq, summary="s", reason="asked", before_tokens=5_000, after_tokens=1_000
    )


def test_rewrites_and_summaries_are_listed_with_what_they_save_also_after_a_resume(
    create: Callable[[], Session], resume: Callable[[str], Session]
) -> None:
    session = create()
    asked = session.add_user([Text("hello")])
    session.record_usage(USAGE)
    session.record_decisions([Decision(9, SHORT, "rent", 3_600)], RENT)
    session.record_usage(USAGE)
    session.record_compaction(compaction(asked.seq))
    session.undo_compaction()
    listed = [(s.after_requests, s.reason, s.saved_tokens) for s in session.shortenings]
    assert listed == [(1, "rent", 900), (2, "summary", 4_000), (2, "summary undone", -4_000)]
    before = list(session.shortenings)
    session.close()
    assert resume(session.id).shortenings == before


def test_a_first_presentation_and_a_pin_shorten_nothing(create: Callable[[], Session]) -> None:
    session = create()
    session.add_user([Text("hello")])
    for reason in ("first", "pinned", "released"):
        session.record_decisions([Decision(9, SHORT, reason)])
    assert session.shortenings == []
    assert session.rewritten == {}
