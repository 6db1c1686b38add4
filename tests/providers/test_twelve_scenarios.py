"""What a user goes through, on every row: the whole agent against a service that is strict.

The service refuses what the real one refuses; a conversation that was accepted violated nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chatcli.agent.conversation import Conversation
from chatcli.agent.start import Start, open_conversation
from chatcli.errors import ContextOverflow, NetworkError
from chatcli.events import Retrying, RunEvent, RunFinished, TextDelta
from chatcli.messages import Reasoning, ToolResult
from tests.providers.conversation import receive, request, user
from tests.providers.rows import NAMES, ROWS, WITH_TOOLS, keep_reviewer, provider_of
from tests.wire import script
from tests.wire.server import WireServer, serve

every_row = pytest.mark.parametrize("row", NAMES)
every_row_with_tools = pytest.mark.parametrize("row", WITH_TOOLS)

READ = script.call("read", file="hello.py")
LONG = tuple("Once upon a time. " for _ in range(1_500))


class Nobody:
    """There is no terminal: whatever must be asked is denied."""

    present = False


class Talk:
    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.events: list[RunEvent] = []
        conversation.listeners.append(self.events.append)

    async def say(self, text: str) -> RunFinished:
        return await self.conversation.run(text)

    def told(self, kind: type) -> list[RunEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def results(self) -> list[ToolResult]:
        return [m for m in self.conversation.session.transcript if isinstance(m, ToolResult)]


@pytest.fixture
def open_talk(tmp_path: Path) -> Callable:
    """`with open_talk(row, server) as talk`: a conversation in a small project."""
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    (project / "hello.py").write_text("def hello():\n    return 'olá'\n", encoding="utf-8")
    keep_reviewer(home)

    @contextmanager
    def opened(row: str, server: WireServer, **flags: str) -> Iterator[Talk]:
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "TMPDIR": str(tmp_path),
            "INITIAL_BACKOFF": "0",
            **server.environment(),
            **ROWS[row].variables,
        }
        start = Start(
            provider=ROWS[row].provider,
            model=ROWS[row].model,
            folder=str(project),
            mode="agent",
            autonomy="plan",
            **flags,
        )
        conversation = open_conversation(start, home=home, environment=environment, person=Nobody())
        try:
            yield Talk(conversation)
        finally:
            conversation.session.close()
        assert server.violations == []

    return opened


@every_row
async def test_a_plain_answer(row, open_talk):
    with serve([script.reply("Olá, ", "você.")]) as server, open_talk(row, server) as talk:
        finished = await talk.say("Hi.")
        await talk.conversation.provider.aclose()
    assert (finished.end, finished.text) == ("answered", "Olá, você.")
    assert "".join(event.text for event in talk.told(TextDelta)) == "Olá, você."
    assert finished.usage.context == server.exchanges[0].tally.prompt
    assert finished.usage.output == server.exchanges[0].tally.output


@every_row_with_tools
async def test_one_call(row, open_talk):
    with serve([script.reply(READ), script.reply("It greets.")]) as server, open_talk(row, server) as talk:
        finished = await talk.say("What does it do?")
        await talk.conversation.provider.aclose()
    assert finished.text == "It greets."
    assert "olá" in server.exchanges[1].seen.last_result
    assert [call.arguments for call in server.exchanges[1].seen.calls] == [{"file": "hello.py"}]


@every_row_with_tools
async def test_parallel_calls(row, open_talk):
    both = script.reply("Both.", READ, script.call("search", pattern="hello"), READ)
    with serve([both, script.reply("Seen.")]) as server, open_talk(row, server) as talk:
        finished = await talk.say("Look.")
        await talk.conversation.provider.aclose()
    assert finished.tool_calls == 3
    assert [result.name for result in server.exchanges[1].seen.new_results] == ["read", "search", "read"]


@every_row_with_tools
async def test_a_call_without_arguments(row, open_talk):
    with (
        serve([script.reply(script.call("tree")), script.reply("Seen.")]) as server,
        open_talk(row, server) as talk,
    ):
        await talk.say("What is here?")
        await talk.conversation.provider.aclose()
    assert server.exchanges[1].seen.calls[0].arguments == {}
    assert "hello.py" in server.exchanges[1].seen.last_result


@every_row_with_tools
async def test_thinking_and_a_call(row, open_talk):
    """The thoughts go back as they came, twice; what a service keeps to itself leaves none."""
    steps = [
        script.reply(script.think("Read it first."), READ),
        script.reply(script.think("And once more."), "Again.", READ),
        script.reply(script.think("Enough."), "Done."),
        script.reply("Still done."),
    ]
    with serve(steps) as server, open_talk(row, server) as talk:
        finished = await talk.say("Think.")
        await talk.say("And now?")
        await talk.conversation.provider.aclose()
    assert finished.text == "Done."
    transcript = talk.conversation.session.transcript
    parts = [part for message in transcript for part in getattr(message, "parts", ())]
    assert any(isinstance(part, Reasoning) for part in parts) is (row != "openai-chat")


@every_row
async def test_a_cut_stream_keeps_what_was_seen_and_the_conversation_goes_on(row, open_talk):
    with serve([script.reply(*LONG, cut_bytes=60_000), script.reply("Here I am.")]) as server:
        with open_talk(row, server) as talk:
            with pytest.raises(NetworkError):
                await talk.say("Tell me a story.")
            finished = await talk.say("Go on.")
            await talk.conversation.provider.aclose()
    assert finished.text == "Here I am."
    assert server.exchanges[1].seen.assistant_texts[0].startswith("Once upon a time.")


@every_row
async def test_a_rate_limit_is_waited_for_as_long_as_the_service_says(row, open_talk):
    limit = script.status(429, retry_after_seconds=0.01)
    with serve([limit, script.reply("Now.")]) as server, open_talk(row, server) as talk:
        finished = await talk.say("Hi.")
        await talk.conversation.provider.aclose()
    assert finished.text == "Now."
    assert [event.delay_seconds for event in talk.told(Retrying)] == [0.01]


@every_row
async def test_an_overload_is_tried_again(row, open_talk):
    with serve([script.status(529), script.status(500), script.reply("Now.")]) as server:
        with open_talk(row, server) as talk:
            finished = await talk.say("Hi.")
            await talk.conversation.provider.aclose()
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
async def test_a_refusal(row, open_talk):
    with serve([script.refusal("I cannot help with that."), script.reply("That I can.")]) as server:
        with open_talk(row, server) as talk:
            finished = await talk.say("Do something bad.")
            await talk.say("Then something good.")
            await talk.conversation.provider.aclose()
    assert finished.text == "I cannot help with that."
    assert finished.end == ("answered" if row == "ollama" else "refused")


@every_row
async def test_a_cancel_closes_the_connection_and_the_conversation_goes_on(row, open_talk):
    with serve([script.reply("I ", script.hold(), "never come"), script.reply("Back.")]) as server:
        with open_talk(row, server) as talk:
            running = asyncio.create_task(talk.say("Hi."))
            while not talk.told(TextDelta):
                await asyncio.sleep(0.005)
            talk.conversation.cancel()
            assert (await running).end == "cancelled"
            await asyncio.to_thread(server.wait_for_state, "client_closed", 2.0)
            finished = await talk.say("Again.")
            await talk.conversation.provider.aclose()
    assert finished.text == "Back."


@every_row
async def test_a_resumed_session_extends_the_same_bytes(row, open_talk):
    first = [script.reply(script.think("Hm."), READ)] if ROWS[row].tools else []
    steps = [*first, script.reply("It greets."), script.reply("In Portuguese.")]
    with serve(steps) as server:
        with open_talk(row, server) as talk:
            await talk.say("What does it do?")
            await talk.conversation.provider.aclose()
        with open_talk(row, server, resume=talk.conversation.session.id) as resumed:
            finished = await resumed.say("In which language?")
            await resumed.conversation.provider.aclose()
    assert finished.text == "In Portuguese."
    assert "It greets." in server.exchanges[-1].seen.assistant_texts
