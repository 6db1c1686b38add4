"""Money: warned at four fifths, asked at the end, stopped where nobody can be asked."""

import pytest

from chatcli.events import Notice
from tests.wire.script import Tally, by_turn, call, reply

EACH = Tally(plain=1_000, read=90_000, output=1_000)
"""Every request costs the same: 2.1 cents."""
EACH_USD = 0.021
SCRIPT = by_turn(
    *(reply(call("read", file="hello.py", start=1, end=n + 1), usage=EACH) for n in range(4)),
    reply("Done.", usage=EACH),
)


def warnings(talk) -> list[str]:
    return [n.text for n in talk.told(Notice) if n.level == "warning"]


async def test_a_warning_comes_once_at_four_fifths(talk):
    async with talk(SCRIPT, wire="CLAUDEAI", max_cost_usd=EACH_USD * 6.24) as t:
        assert (await t.conversation.run("go")).cost_usd == pytest.approx(5 * EACH_USD)
        assert warnings(t) == []
        await t.conversation.run("again")
        assert warnings(t) == ["This session has cost $0.1050 of the $0.131 that it may."]


async def test_without_a_person_the_run_stops_before_the_request_that_could_exceed_the_limit(talk):
    flags = {"max_cost_usd": EACH_USD * 3.5, "present": False}
    async with talk(SCRIPT, wire="CLAUDEAI", **flags) as t:
        finished = await t.conversation.run("go")
        assert (finished.end, finished.turns) == ("max_cost", 3)
        assert warnings(t) == ["This session has cost $0.0630 of $0.0735; the next request may exceed that."]


async def test_a_person_who_goes_on_is_asked_again_after_the_same_amount(talk):
    async with talk(SCRIPT, wire="CLAUDEAI", max_cost_usd=EACH_USD * 2.5) as t:
        finished = await t.conversation.run("go")
        assert finished.end == "answered"
        assert t.person.asked == 2


@pytest.mark.parametrize(
    ("says", "end"),
    [("Yes", "answered"), (" sim ", "answered"), ("no, stop", "max_cost"), ("não", "max_cost")],
)
async def test_a_yes_in_own_words_is_a_yes(talk, says, end):
    async with talk(SCRIPT, wire="CLAUDEAI", max_cost_usd=EACH_USD * 2.5) as t:
        t.person.says = says
        assert (await t.conversation.run("go")).end == end


async def test_where_the_price_is_unknown_it_is_told_once_that_the_limit_cannot_be_held(talk):
    flags = {"max_cost_usd": 0.01, "model": "a-model-without-price"}
    options = {"models": ("a-model-without-price",)}
    async with talk(SCRIPT, wire="CLAUDEAI", server=options, **flags) as t:
        assert (await t.conversation.run("go")).cost_usd is None
        assert len([text for text in warnings(t) if "unknown" in text]) == 1


async def test_what_an_earlier_model_cost_without_a_price_is_told_not_to_count(talk):
    options = {"models": ("a-model-without-price", "claude-sonnet-5-5")}
    async with talk([reply("One.")], wire="CLAUDEAI", server=options, model="a-model-without-price") as t:
        await t.conversation.run("one")
        known = t.conversation.session.id
    script = [reply("Two.", rewrite=True), reply("Three.")]
    flags = {"model": "claude-sonnet-5-5", "resume": known, "max_cost_usd": 0.5}
    async with talk(script, wire="CLAUDEAI", server=options, **flags) as t:
        await t.conversation.run("two")
        await t.conversation.run("three")
        assert warnings(t) == [
            "What a-model-without-price has cost in this session is unknown: "
            "it does not count against the limit of $0.50."
        ]
