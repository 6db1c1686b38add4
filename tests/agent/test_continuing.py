"""Replies that break off when something of them was seen: never asked for again in silence."""

from __future__ import annotations

import pytest

from chatcli.errors import NetworkError, Overloaded
from chatcli.events import Notice, Retrying
from chatcli.messages import AssistantMessage, Text
from tests.wire.script import break_off, call, overflow, reply, status, think

LONG = "Once upon a time. " * 40


async def test_what_was_said_is_kept_and_the_model_goes_on_behind_it(talk):
    async with talk([reply("Once upon ", break_off()), reply("a time.")], wire="CLAUDEAI") as t:
        finished = await t.conversation.run("Tell me a story.")
        assert (finished.text, finished.turns) == ("Once upon a time.", 2)
        (notice,) = t.told(Notice)
        assert "goes on" in notice.text
        assert t.told(Retrying) == []
        _first, second = t.server.exchanges
        assert second.seen.assistant_texts == ("Once upon ",)
        assert "without repeating" in second.seen.user_texts[-1]


async def test_thoughts_and_half_a_call_are_dropped_and_the_reply_begins_anew(talk):
    script = [reply(think("Hm."), break_off()), reply(call("read", file="hello.py"), break_off())]
    async with talk([*script, reply("It greets.")], wire="CLAUDEAI") as t:
        finished = await t.conversation.run("What does it do?")
        assert finished.text == "It greets."
        assert ["begins anew" in notice.text for notice in t.told(Notice)] == [True, True]
        transcript = t.conversation.session.transcript
        assert [message.text for message in transcript if isinstance(message, AssistantMessage)] == [
            "It greets."
        ]
        assert t.results() == []


async def test_it_ends_when_it_breaks_off_again_and_again(talk):
    broken = reply("Once ", break_off())
    async with talk([broken] * 3, wire="CLAUDEAI") as t:
        with pytest.raises(Overloaded):
            await t.conversation.run("Tell me a story.")
        said = [m.parts for m in t.conversation.session.transcript if isinstance(m, AssistantMessage)]
        assert said == [(Text("Once "),)] * 3


async def test_a_service_that_is_gone_is_first_tried_again_as_ever(talk):
    script = [reply("Once ", LONG, cut_bytes=900), *[status(529)] * 2]
    async with talk(script, wire="CLAUDEAI", variables={"MAX_RETRIES": "1"}) as t:
        with pytest.raises((NetworkError, Overloaded)):
            await t.conversation.run("Tell me a story.")
        assert len(t.told(Retrying)) == 1


async def test_an_overflow_before_a_word_is_no_break(talk):
    async with talk([overflow()], wire="CLAUDEAI") as t:
        with pytest.raises(Exception, match=r"window|fit"):
            await t.conversation.run("x" * 100)
        assert not any("goes on" in notice.text for notice in t.told(Notice))
