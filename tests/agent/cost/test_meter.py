"""Every billed request is recorded once, whatever became of it; estimates learn from each bill."""

from __future__ import annotations

import asyncio

import pytest

from chatcli.agent.cost.purse import MoneyLimit
from chatcli.events import TextDelta, TurnStarted, UsageRecorded
from tests.wire.script import Tally, break_off, by_turn, call, hold, reply, status, think

LONG = "a line that is long enough to count for something\n" * 200
BILL = Tally(plain=1_000, read=20_000, write_5m=500, output=200, reasoning=50)
BILL_USD = (1_000 * 2 + 20_000 * 0.1 + 500 * 2.5 + 200 * 10) / 1e6


def records(talk) -> list:
    return talk.conversation.session.usage


async def test_a_finished_request_is_recorded_with_all_its_figures(talk):
    async with talk([reply("Hi.", usage=BILL)], wire="CLAUDEAI") as t:
        finished = await t.conversation.run("hello")
        (record,) = records(t)
        usage = record.usage
        assert (usage.input, usage.cache_read, usage.cache_write_5m) == (1_000, 20_000, 500)
        assert (usage.output, usage.reasoning, usage.estimated) == (200, 50, False)
        assert record.cost_usd == finished.cost_usd == pytest.approx(BILL_USD)
        assert t.conversation.context_tokens == 21_500
        assert record.purpose == "answer"
        assert record.row is not None


async def test_a_stream_that_breaks_is_billed_for_what_it_had_read_and_written(talk):
    broken = reply("Some words. " * 100, break_off(), usage=BILL)
    async with talk([broken, reply("The rest.")], wire="CLAUDEAI") as t:
        await t.conversation.run("hello")
        record, _next = records(t)
        assert record.usage.context == 21_500
        assert record.usage.output > 100
        assert record.usage.estimated
        assert record.cost_usd > 0


async def test_an_attempt_that_failed_before_a_word_and_the_next_one_both_count(talk):
    script = [reply(break_off(), usage=BILL), reply("Hi.", usage=BILL)]
    async with talk(script, wire="CLAUDEAI") as t:
        finished = await t.conversation.run("hello")
        assert len(records(t)) == 2
        assert finished.usage.context == 2 * 21_500
        assert finished.cost_usd == pytest.approx(sum(record.cost_usd for record in records(t)))


async def test_a_refused_request_costs_nothing(talk):
    async with talk([status(529), status(500), reply("Hi.", usage=BILL)], wire="CLAUDEAI") as t:
        await t.conversation.run("hello")
        assert len(records(t)) == 1


async def test_a_cut_connection_is_billed(talk):
    script = [reply("Well, ", LONG, usage=BILL, cut_bytes=3_000), reply("The rest.")]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("hello")
        assert records(t)[0].usage.context == 21_500


async def test_a_cancelled_request_is_billed(talk):
    async with talk([reply("I begin", hold(), usage=BILL)], wire="CLAUDEAI") as t:
        running = asyncio.create_task(t.conversation.run("hello"))
        await t.until(lambda event: isinstance(event, TextDelta))
        t.conversation.cancel()
        assert (await running).end == "cancelled"
        (record,) = records(t)
        assert record.usage.context == 21_500


async def test_a_cancelled_request_of_a_service_that_tells_its_usage_last_is_estimated_as_read(talk):
    """Its prompt was in the cache but for a few tokens: it is not counted as if all of it were new."""
    script = [reply(LONG), reply("I begin", hold())]
    async with talk(script, wire="XAI") as t:
        await t.conversation.run(LONG)
        first = records(t)[0].usage
        running = asyncio.create_task(t.conversation.run("and now?"))
        await t.until(lambda event: event == TextDelta("I begin"))
        t.conversation.cancel()
        await running
        usage = records(t)[1].usage
        assert usage.estimated
        assert usage.cache_read == first.context
        assert usage.context == pytest.approx(first.context + first.output, rel=0.1)


async def test_a_summary_counts_as_a_side_call(talk):
    script = [
        reply(call("read", file="hello.py")),
        reply(LONG),
        reply("Well."),
        reply("## Task\nNone.", usage=BILL, side=True),
        reply("Yes.", rewrite=True),
    ]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run(LONG)
        await t.conversation.run("And then?")
        before = t.conversation.spent
        await t.conversation.compact()
        after = t.conversation.spent
        assert [record.purpose for record in records(t)] == [*["answer"] * 3, "summary"]
        assert after.usd - before.usd == pytest.approx(BILL_USD)
        assert t.told(UsageRecorded)[-1].purpose == "summary"


async def test_a_summary_is_not_made_when_there_is_no_money_for_it(talk):
    script = [
        reply(call("read", file="hello.py"), usage=BILL),
        reply(LONG, usage=BILL),
        reply("Well.", usage=Tally(plain=1_000_000)),
    ]
    async with talk(script, wire="CLAUDEAI", max_cost_usd=BILL_USD * 20, present=False) as t:
        await t.conversation.run("hello")
        await t.conversation.run("And then?")
        with pytest.raises(MoneyLimit):
            await t.conversation.compact()
        assert len(t.server.exchanges) == 3


async def test_a_first_request_that_would_exceed_the_limit_is_not_sent(talk):
    async with talk([reply("never")], wire="CLAUDEAI", max_cost_usd=0.000001, present=False) as t:
        finished = await t.conversation.run("hello")
        assert (finished.end, finished.turns, finished.cost_usd) == ("max_cost", 0, 0.0)
        assert t.server.exchanges == []


async def test_while_a_request_is_out_the_context_is_what_is_expected(talk):
    seen = []
    async with talk([reply("One."), reply(LONG), reply("Three.")], wire="CLAUDEAI") as t:
        t.conversation.listeners.append(lambda event: seen.append((event, t.conversation.context_tokens)))
        await t.conversation.run("hello")
        await t.conversation.run(LONG)
        await t.conversation.run(LONG)
    out = [tokens for event, tokens in seen if isinstance(event, TextDelta)]
    billed = [tokens for event, tokens in seen if isinstance(event, UsageRecorded)]
    first_out, last_out = out[0], out[-1]
    assert first_out > 1_000, "before the first answer there is an estimate"
    assert last_out == pytest.approx(billed[-1], rel=0.2)
    assert abs(last_out / billed[-1] - 1) < abs(first_out / billed[0] - 1), "it has learned"


async def test_what_was_learned_follows_from_the_journal(talk):
    async with talk([reply(LONG, usage=BILL)], wire="CLAUDEAI") as t:
        await t.conversation.run("hello")
        known = t.conversation.session.id
        record = records(t)[0]
    async with talk([reply(think("Hm."), "Hi.", usage=BILL)], wire="CLAUDEAI", resume=known) as t:
        out = []
        t.conversation.listeners.append(lambda event: out.append(t.conversation.context_tokens))
        await t.conversation.run("again")
        ratio = record.usage.context / record.estimated_tokens
        added = records(t)[1].estimated_tokens - record.estimated_tokens
        assert 21_500 + round(added * ratio) in out


async def test_turns_that_were_not_paid_for_are_not_counted(talk):
    script = by_turn(
        *(reply(call("read", file="hello.py", start=1, end=n + 1), usage=BILL) for n in range(9))
    )
    async with talk(script, wire="CLAUDEAI", max_cost_usd=BILL_USD * 3.5, present=False) as t:
        finished = await t.conversation.run("go")
        assert (finished.end, finished.turns) == ("max_cost", 3)
        assert len(t.told(TurnStarted)) == 4
