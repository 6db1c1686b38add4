"""A reply that reaches its output limit, on every row: nothing runs by halves, and the run goes on."""

from __future__ import annotations

import pytest

from chatcli.events import Notice, RunFinished, ToolStarted
from chatcli.messages import ToolResult
from tests.providers.rows import ROWS
from tests.wire import script
from tests.wire.script import Tally

every_row = pytest.mark.parametrize("row", ROWS)
WHOLE_CALLS_ALONE = ("ollama", "googleai")
"""What they cut of a call does not arrive."""

CUT = script.reply("I read.", script.broken_call("read", '{"file": "hel'), stop="max_tokens")
READ = script.call("read", file="hello.py")


def statuses(talk) -> list[str]:
    return [m.status for m in talk.conversation.session.transcript if isinstance(m, ToolResult)]


@every_row
async def test_a_call_that_was_cut_is_not_run_and_is_made_again(row, play):
    async with play(row, CUT, script.reply(READ), script.reply("It greets.")) as open_talk:
        talk = open_talk()
        finished = await talk.say("What does it do?")
    assert (finished.end, finished.text) == ("answered", "It greets.")
    assert [event.name for event in talk.told(ToolStarted)] == ["read"]
    assert statuses(talk) == (["ok"] if row in WHOLE_CALLS_ALONE else ["not_executed", "ok"])
    (notice,) = talk.told(Notice)
    assert "output limit" in notice.text
    told = talk.server.exchanges[1].seen
    assert "reached its output limit" in (told.last_result if told.results else told.user_texts[-1])


@every_row
async def test_what_stood_before_the_cut_call_has_run(row, play):
    cut = script.reply(READ, script.broken_call("read", '{"file": "hel'), stop="max_tokens")
    async with play(row, cut, script.reply("It greets.")) as open_talk:
        talk = open_talk()
        finished = await talk.say("What does it do?")
    assert finished.text == "It greets."
    assert statuses(talk)[0] == "ok"
    assert "olá" in talk.seen.results[0].text


@every_row
async def test_words_that_were_cut_go_on_behind_a_notice(row, play):
    cut = script.reply("The end of the st", stop="max_tokens")
    async with play(row, cut, script.reply("ory."), script.reply("Yes.")) as open_talk:
        talk = open_talk()
        finished = await talk.say("Tell me a story.")
        await talk.say("Is that all?")
    assert (finished.end, finished.text, finished.turns) == ("answered", "The end of the story.", 2)
    (notice,) = talk.told(Notice)
    assert "output limit" in notice.text
    assert talk.seen.assistant_texts == ("The end of the st", "ory.")


@pytest.mark.parametrize("row", ["claudeai", "openai-chat", "claudeai-in-text", "stackspot-flat"])
async def test_a_model_that_is_cut_again_and_again_ends_the_run(row, play):
    async with play(row, CUT, CUT, CUT) as open_talk:
        talk = open_talk()
        finished = await talk.say("What does it do?")
        assert (finished.end, finished.turns) == ("output_limit", 3)
        assert statuses(talk) == ["not_executed"] * 3
    async with play(row, *[script.reply("On and on. ", stop="max_tokens")] * 3) as open_talk:
        finished = await open_talk().say("Tell me a story.")
        assert (finished.end, finished.turns) == ("output_limit", 3)


async def test_a_limit_that_the_user_has_set_is_raised_for_a_call_and_kept_for_words(play):
    limit = {"CHATCLI_MAX_OUTPUT_TOKENS": "1000"}
    usage = Tally(plain=50, output=1_000)
    cut = script.reply(script.broken_call("read", '{"file": "hel'), stop="max_tokens", usage=usage)
    async with play("claudeai", cut, script.reply(READ), script.reply("It greets."), **limit) as open_talk:
        talk = open_talk()
        await talk.say("What does it do?")
    assert [e.seen.body["max_tokens"] for e in talk.server.exchanges] == [1_000, 128_000, 128_000]
    async with play("claudeai", script.reply("Once", stop="max_tokens", usage=usage), **limit) as open_talk:
        talk = open_talk()
        await talk.say("Tell me a story.")
    assert [event.end for event in talk.told(RunFinished)] == ["output_limit"]


async def test_where_the_model_can_write_no_more_the_call_is_asked_for_in_parts(play):
    cut = script.reply(
        script.broken_call("read", '{"file": "hel'), stop="max_tokens", usage=Tally(plain=50, output=128_000)
    )
    async with play("claudeai", cut, script.reply("Then not.")) as open_talk:
        talk = open_talk()
        await talk.say("What does it do?")
    assert "in parts" in talk.seen.last_result
    assert "in parts" in talk.told(Notice)[0].text
