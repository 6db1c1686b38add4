"""What a session has cost: figures by hand, sums that add up, and nothing unknown counted as nothing."""

from __future__ import annotations

import time
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chatcli.agent.cost.attribution import Share, shares
from chatcli.agent.cost.money import add_up, bills_of
from chatcli.agent.cost.report import CostReport, cost_report
from chatcli.messages import Archived, AssistantMessage, Text, ToolResult, Usage, UserMessage
from chatcli.providers.prices import OwnPrice, cost_usd, use_own_prices
from chatcli.session.entries import (
    CacheMiss,
    Compacted,
    CompactionUndone,
    Opened,
    Rewrite,
    Shown,
    UsageAdded,
    UsageRecord,
)
from chatcli.session.sent import Part, Row
from chatcli.session.state import State
from chatcli.terminal.cost.as_json import cost_object
from tests.providers.usage_recordings import RECORDINGS

ORIGINAL = Archived(key="", sha256="", size_bytes=0, size_chars=0, lines=0)
TRANSCRIPT = (
    UserMessage(seq=2, parts=(Text("Read it."),)),
    AssistantMessage(seq=3, parts=(Text("I do."),), provider="CLAUDEAI", model="m"),
    ToolResult(seq=4, call_id="1", name="read", original=ORIGINAL),
    ToolResult(seq=5, call_id="2", name="search", original=ORIGINAL),
)
BLOCK = Part("block", "core", "d", 100)
TOOL = Part("tool", "read", "d", 200)


def message(seq: int, tokens: int) -> Part:
    return Part("message", str(seq), f"m{seq}", tokens)


def record(usage: Usage, *, row: Row | None = None, **changes) -> UsageRecord:
    given = {"provider": "CLAUDEAI", "model": "claude-sonnet-5-5", "purpose": "answer", **changes}
    usd = given.pop("cost_usd", cost_usd(given["provider"], given["model"], usage))
    return UsageRecord(usage=usage, cost_usd=usd, turn=given.pop("turn", 1), seconds=0.5, row=row, **given)


def row(same: int, *added: Part) -> Row:
    return Row(same=same, added=added, marks=())


def reported(*records: UsageRecord, before: tuple = ()) -> CostReport:
    numbers = count(2)
    opened = Opened(seq=1, at="", session_id="s", folder="/f", workspace="/w", version="0")
    state = State(opened)
    for entry in before:
        state.apply(entry)
    for one in records:
        state.apply(UsageAdded(seq=next(numbers), at="2026-11-30T09:00:00+00:00", record=one))
    return cost_report(state)


def named(found: tuple[Share, ...]) -> dict[str, Share]:
    return {share.name or share.kind: share for share in found}


# --- figures by hand ----------------------------------------------------------------------------


def test_the_recorded_answers_of_all_wires_come_to_what_was_computed_by_hand() -> None:
    records = [
        record(
            one.usage,
            provider=one.provider,
            model=one.model,
            sent_at=one.at.isoformat(),
            cost_usd=cost_usd(one.provider, one.model, one.usage, one.at),
            turn=turn,
        )
        for turn, one in enumerate(RECORDINGS, start=1)
    ]
    found = cost_object(reported(*records))
    total = found["total"]
    for name in ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning"):
        assert total["usage"][name] == sum(getattr(one.usage, name) for one in RECORDINGS)
    known = [one.usd for one in RECORDINGS if one.usd is not None]
    assert len(known) < len(RECORDINGS), "some have no known price"
    assert total["cost"]["usd"] is None
    assert total["cost"]["known_usd"] == pytest.approx(sum(known))
    assert {"estimated", "reported", "unknown"} <= set(total["cost"]["sources"])
    for one, turn in zip(RECORDINGS, found["turns"], strict=True):
        assert turn["cost"]["usd"] == (None if one.usd is None else pytest.approx(one.usd, abs=1e-9))


def test_each_class_costs_what_the_list_says() -> None:
    usage = Usage(input=1_000, cache_read=20_000, cache_write_5m=500, cache_write_1h=100, output=200)
    money = bills_of([record(usage)])[0].by_class
    found = [part.usd for part in (money.input, money.cache_read, money.cache_write, money.output)]
    assert found == pytest.approx(
        [1_000 * 2 / 1e6, 20_000 * 0.1 / 1e6, (500 * 2.5 + 100 * 4) / 1e6, 200 * 10 / 1e6]
    )


def test_what_the_service_charged_is_split_as_the_list_would() -> None:
    usage = Usage(input=1_000, output=100, cost_usd=0.006)  # twice what the list says
    charged = record(usage, provider="OPENROUTER", model="anthropic/claude-sonnet-5.5")
    money = bills_of([charged])[0].by_class
    assert (money.input.usd, money.output.usd) == pytest.approx((0.004, 0.002))


def test_a_price_that_was_set_since_changes_no_sum() -> None:
    recorded = record(Usage(input=1_000, output=100))
    use_own_prices({"claude-sonnet-5-5": OwnPrice(input=300, output=100)})
    try:
        money = bills_of([recorded])[0].by_class
    finally:
        use_own_prices({})
    assert (money.input.usd, money.output.usd) == pytest.approx((0.003 * 30 / 31, 0.003 / 31))


def test_a_result_pays_for_where_it_stands_in_each_request() -> None:
    """100 + 200 + 50 tokens first; then a result of 1,000 behind them; then that is read."""
    first = record(Usage(cache_write_5m=350, output=10), row=row(0, TOOL, BLOCK, message(2, 50)))
    second = record(
        Usage(cache_read=350, cache_write_5m=1_010, output=10),
        row=row(3, message(3, 10), message(4, 1_000)),
        turn=2,
    )
    third = record(Usage(cache_read=1_360, input=40, output=10), row=row(5, message(3, 40)), turn=3)
    found = named(shares(bills_of((first, second, third)), TRANSCRIPT))
    assert found["read"].money.usd == pytest.approx((1_000 * 2.5 + 1_000 * 0.1) / 1e6)
    assert found["system"].money.usd == pytest.approx((100 * 2.5 + 2 * 100 * 0.1) / 1e6)
    assert found["tools"].carried_tokens == 600
    assert (found["read"].count, found["read"].tokens, found["read"].carried_tokens) == (1, 1_000, 2_000)
    assert found["replies"].money.usd == pytest.approx((30 * 10 + 10 * 2.5 + 10 * 0.1 + 40 * 2) / 1e6)


def test_sizes_are_scaled_to_what_was_billed() -> None:
    one = record(Usage(input=700), row=row(0, TOOL, BLOCK, message(2, 50)))
    found = named(shares(bills_of([one]), TRANSCRIPT))
    assert [found[name].tokens for name in ("tools", "system", "words")] == [400, 200, 100]


def test_what_is_shown_shorter_later_is_still_one_result() -> None:
    long, short = message(4, 1_000), Part("message", "4", "shorter", 50)
    records = (record(Usage(input=1_000), row=row(0, long)), record(Usage(input=50), row=row(0, short)))
    share = named(shares(bills_of(records), TRANSCRIPT))["read"]
    assert (share.count, share.tokens, share.carried_tokens) == (1, 1_000, 1_050)


def test_a_request_that_was_cut_off_counts_like_the_one_before() -> None:
    records = (
        record(Usage(input=1_000), row=row(0, message(4, 1_000))),
        record(Usage(cache_read=1_000, estimated=True)),
    )
    assert named(shares(bills_of(records), TRANSCRIPT))["read"].carried_tokens == 2_000


PARTS = st.lists(st.sampled_from([TOOL, BLOCK, *(message(n, n * 30) for n in range(2, 7))]), max_size=5)
USAGES = st.builds(
    Usage,
    input=st.integers(0, 9_000),
    cache_read=st.integers(0, 9_000),
    cache_write_5m=st.integers(0, 9_000),
    output=st.integers(0, 500),
)
PURPOSES = st.sampled_from(["answer", "answer", "summary", "memory", "subagent"])


@given(st.lists(st.tuples(USAGES, PARTS, st.integers(0, 3), PURPOSES), max_size=6))
def test_the_contents_add_up_to_what_was_spent(drawn: list) -> None:
    records = [record(usage, row=row(same, *added), purpose=purpose) for usage, added, same, purpose in drawn]
    found = shares(bills_of(records), TRANSCRIPT)
    total = sum(share.money.known_usd for share in found)
    assert total == pytest.approx(sum(r.cost_usd for r in records))
    assert all(share.money.known_usd >= -1e-12 for share in found)


# --- what is unknown ----------------------------------------------------------------------------


def test_a_sum_with_an_unknown_part_is_not_known_but_says_what_is() -> None:
    known, unknown = record(Usage(input=1_000)), record(Usage(input=1_000), model="nobody-knows-it")
    money = add_up([known, unknown]).money
    assert (money.usd, money.known_usd, money.sources) == (None, 0.002, ("estimated", "unknown"))
    classes = cost_object(reported(known, unknown))["total"]["cost_by_class"]
    assert classes["input"]["usd"] is None
    assert classes["input"]["known_usd"] == pytest.approx(0.002)


def test_nothing_is_spent_before_the_first_request() -> None:
    report = reported()
    assert (report.total.usd, report.turns, report.by_content) == (0.0, (), ())


# --- turns, purposes, cache ---------------------------------------------------------------------


def test_a_retry_belongs_to_the_turn_and_so_does_a_side_call() -> None:
    at = "2026-11-30T09:00:00+00:00"
    records = (
        record(Usage(input=10), sent_at=at),
        record(Usage(input=10), sent_at=at),
        record(Usage(input=10), sent_at=at.replace(":00+", ":07+"), purpose="summary"),
        record(Usage(input=10), sent_at=at.replace(":00+", ":09+")),
    )
    report = reported(*records)
    assert [turn.spent.requests for turn in report.turns] == [3, 1]
    assert [(p.purpose, p.spent.requests) for p in report.by_purpose] == [("answer", 3), ("summary", 1)]


def test_how_well_the_cache_works() -> None:
    report = reported(
        record(Usage(cache_write_5m=1_000), turn=1), record(Usage(cache_read=900, input=200), turn=2)
    )
    assert report.cache.hit_ratio == pytest.approx(900 / 2_100)
    assert report.cache.write_factor == pytest.approx(1_200 / 1_100)
    assert report.cache.largest_context_tokens == 1_100


def test_shortening_saves_what_later_requests_would_have_read_and_pays_for_what_was_lost() -> None:
    rewrite = Shown(
        seq=2, at="", decisions=(), rewrite=Rewrite(reason="rent", saved_tokens=500, price_tokens=0)
    )
    summary = Compacted(
        seq=3, at="", upto_seq=1, summary="", reason="asked", before_tokens=900, after_tokens=400
    )
    miss = CacheMiss(cause="rewrite", detail="message 4: rent", lost_tokens=9, expected=True, lost_usd=0.25)
    report = reported(
        record(Usage(cache_read=2_000), estimated_tokens=1_000, miss=miss),
        record(Usage(input=1_000), purpose="summary"),
        before=(rewrite, summary),
    )
    short = report.shortening
    assert (short.times, short.saved_tokens) == (2, (2 * 500 + 500) + (500 + 500))
    assert short.saved.usd == pytest.approx(2_500 * 0.1 / 1e6)
    assert short.paid.usd == pytest.approx(0.25 + 1_000 * 2 / 1e6)


def test_a_summary_that_was_undone_saves_nothing_more() -> None:
    opened = Opened(seq=1, at="", session_id="s", folder="/f", workspace="/w", version="0")
    state = State(opened)
    usage = UsageAdded(seq=3, at="2026-11-30T09:00:00+00:00", record=record(Usage(cache_read=1_000)))
    for entry in (
        Compacted(seq=2, at="", upto_seq=1, summary="", reason="asked", before_tokens=900, after_tokens=400),
        usage,
        CompactionUndone(seq=4, at=""),
        usage,
    ):
        state.apply(entry)
    assert (cost_report(state).shortening.times, cost_report(state).shortening.saved_tokens) == (1, 500)


def test_a_service_that_never_speaks_of_a_cache_has_lost_none() -> None:
    """Ollama keeps a prefix and does not say what it read of it."""
    miss = CacheMiss(cause="service", detail="", lost_tokens=900, expected=False)
    silent = record(Usage(input=1_000), provider="OLLAMA", model="m", miss=miss, turn=1)
    other = record(Usage(cache_read=50, input=950), miss=miss, turn=2)
    small = structs.replace(silent, miss=structs.replace(miss, cause="minimum"), turn=3)
    assert [loss.turn for loss in reported(silent, other, small).losses] == [2, 3]


def test_a_session_of_thousands_of_requests_is_reported_at_once() -> None:
    """The report takes time with each request, not with each pair of a request and what it is shorter by."""
    opened = Opened(seq=1, at="", session_id="s", folder="/f", workspace="/w", version="0")
    state = State(opened)
    shorter = Rewrite(reason="age", saved_tokens=500, price_tokens=0)
    for number in range(3_000):
        usage = Usage(cache_read=1_000 * number, cache_write_5m=1_000, output=100)
        added = row(number, message(number, 1_000))
        one = record(usage, row=added, turn=number, estimated_tokens=usage.context)
        state.apply(Shown(seq=2, at="", decisions=(), rewrite=shorter))
        state.apply(UsageAdded(seq=3, at="2026-11-30T09:00:00+00:00", record=one))
    began = time.process_time()
    short = cost_report(state).shortening
    assert time.process_time() - began < 1.0  # 0.15 s on a machine that does nothing else
    assert short.saved_tokens == sum(500 * (number + 1) for number in range(3_000))
