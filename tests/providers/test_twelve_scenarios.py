"""What a user goes through, on every row: the whole agent against a service that is strict.

The service refuses what the real one refuses; a conversation that was accepted violated nothing.
"""

from __future__ import annotations

import asyncio

import pytest

from chatcli.errors import ContextOverflow, NetworkError
from chatcli.events import Notice, Retrying, TextDelta
from chatcli.messages import Reasoning
from tests.providers.conversation import receive, request, user
from tests.providers.rows import ROWS, provider_of
from tests.wire import script
from tests.wire.server import serve

every_row = pytest.mark.parametrize("row", ROWS)

READ = script.call("read", file="hello.py")
_SILENT = ("openai-chat", "stackspot")
LONG = tuple("Once upon a time. " for _ in range(1_500))


@every_row
async def test_a_plain_answer(row, play):
    async with play(row, script.reply("Olá, ", "você.")) as open_talk:
        talk = open_talk()
        finished = await talk.say("Hi.")
    assert (finished.end, finished.text) == ("answered", "Olá, você.")
    assert "".join(event.text for event in talk.told(TextDelta)) == "Olá, você."
    tally = talk.server.exchanges[0].tally
    assert (finished.usage.context, finished.usage.output) == (tally.prompt, tally.output)


@every_row
async def test_one_call(row, play):
    async with play(row, script.reply(READ), script.reply("It greets.")) as open_talk:
        talk = open_talk()
        finished = await talk.say("What does it do?")
    assert finished.text == "It greets."
    assert "olá" in talk.seen.last_result
    assert [call.arguments for call in talk.seen.calls] == [{"file": "hello.py"}]


@every_row
async def test_parallel_calls(row, play):
    both = script.reply("Both.", READ, script.call("search", pattern="hello"), READ)
    async with play(row, both, script.reply("Seen.")) as open_talk:
        talk = open_talk()
        finished = await talk.say("Look.")
    assert finished.tool_calls == 3
    assert [result.name for result in talk.seen.new_results] == ["read", "search", "read"]


@every_row
async def test_a_call_without_arguments(row, play):
    async with play(row, script.reply(script.call("tree")), script.reply("Seen.")) as open_talk:
        talk = open_talk()
        await talk.say("What is here?")
    assert talk.seen.calls[0].arguments == {}
    assert "hello.py" in talk.seen.last_result


@every_row
async def test_thinking_and_a_call(row, play):
    """The thoughts go back as they came, twice; a service that keeps them to itself leaves none.

    Where calls are text, no service asks for thoughts again.
    """
    steps = (
        script.reply(script.think("Read it first."), READ),
        script.reply(script.think("And once more."), "Again.", READ),
        script.reply(script.think("Enough."), "Done."),
        script.reply("Still done."),
    )
    async with play(row, *steps) as open_talk:
        talk = open_talk()
        finished = await talk.say("Think.")
        await talk.say("And now?")
        transcript = talk.conversation.session.transcript
    assert finished.text == "Done."
    parts = [part for message in transcript for part in getattr(message, "parts", ())]
    assert any(isinstance(part, Reasoning) for part in parts) is (not row.startswith(_SILENT))


@every_row
async def test_a_cut_stream_is_visibly_gone_on_with_and_in_the_end_keeps_what_was_seen(row, play):
    cut = script.reply(*LONG, cut_bytes=60_000)
    steps = (cut, script.reply("The end."), cut, cut, cut, script.reply("Here I am."))
    async with play(row, *steps) as open_talk:
        talk = open_talk()
        finished = await talk.say("Tell me a story.")
        assert finished.text.startswith("Once upon a time.")
        assert finished.text.endswith("The end.")
        with pytest.raises(NetworkError):
            await talk.say("Another one.")
        last = await talk.say("Go on.")
    assert last.text == "Here I am."
    assert len(talk.told(Notice)) == 3
    assert [text[:17] for text in talk.seen.assistant_texts] == ["Once upon a time.", "The end."] + [
        "Once upon a time."
    ] * 3


@every_row
async def test_a_rate_limit_is_waited_for_as_long_as_the_service_says(row, play):
    async with play(row, script.status(429, retry_after_seconds=0.01), script.reply("Now.")) as open_talk:
        talk = open_talk()
        finished = await talk.say("Hi.")
    assert finished.text == "Now."
    assert [event.delay_seconds for event in talk.told(Retrying)] == [0.01]


@every_row
async def test_an_overload_is_tried_again(row, play):
    async with play(row, script.status(529), script.status(500), script.reply("Now.")) as open_talk:
        talk = open_talk()
        finished = await talk.say("Hi.")
    assert finished.text == "Now."
    assert [event.attempt for event in talk.told(Retrying)] == [1, 2]


@every_row
async def test_a_conversation_that_does_not_fit_is_told_from_a_wrong_request(row, tmp_path):
    with serve([script.overflow()]) as server:
        asked = provider_of(row, server, tmp_path, context_window_tokens=8_000, ollama_num_ctx=8_000)
        with pytest.raises(ContextOverflow):
            await receive(asked, request(user(1, "x" * 40_000), model=asked.model))
    assert server.violations == []


@every_row
async def test_a_refusal(row, play):
    steps = (script.refusal("I cannot help with that."), script.reply("That I can."))
    async with play(row, *steps) as open_talk:
        talk = open_talk()
        finished = await talk.say("Do something bad.")
        await talk.say("Then something good.")
    assert finished.text == "I cannot help with that."
    assert finished.end == ("answered" if "ollama" in row else "refused")  # Ollama has no word for it


@every_row
async def test_a_cancel_closes_the_connection_and_the_conversation_goes_on(row, play):
    steps = (script.reply("I ", script.hold(), "never come"), script.reply("Back."))
    async with play(row, *steps) as open_talk:
        talk = open_talk()
        running = asyncio.create_task(talk.say("Hi."))
        await talk.spoke.wait()
        talk.conversation.cancel()
        assert (await running).end == "cancelled"
        await asyncio.to_thread(talk.server.wait_for_state, "client_closed", 2.0)
        finished = await talk.say("Again.")
    assert finished.text == "Back."


@every_row
async def test_a_resumed_session_extends_the_same_bytes(row, play):
    first = script.reply(script.think("Hm."), READ)
    async with play(row, first, script.reply("It greets."), script.reply("In Portuguese.")) as open_talk:
        talk = open_talk()
        await talk.say("What does it do?")
        finished = await open_talk(resume=talk.conversation.session.id).say("In which language?")
    assert finished.text == "In Portuguese."
    assert "It greets." in talk.seen.assistant_texts
