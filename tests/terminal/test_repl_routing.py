"""A question given to the agent in the REPL: a tip, chat, or nothing at all."""

from __future__ import annotations

from tests.terminal.conftest import World
from tests.wire.script import reply


def test_a_question_is_answered_in_chat_and_the_agent_stays(world: World) -> None:
    world.serve([reply("A lock."), reply("Again a lock.")])
    terminal = world.prompt(CHATCLI_AGENT_SMART_ROUTE="auto")
    terminal.line("/agent what is a mutex?")
    terminal.expect("answered in chat")
    terminal.expect("A lock.")
    terminal.line("/run what is a mutex?")
    terminal.expect("Again a lock.")
    assert terminal.text().count("answered in chat") == 1
    notes = [exchange.seen.body["messages"][-1]["content"] for exchange in world.server.exchanges]
    assert ["mode: chat" in notes[0], "mode: agent" in notes[1]] == [True, True]


def test_plain_text_in_agent_mode_gets_the_tip_and_the_loop(world: World) -> None:
    world.serve([reply("A lock.")])
    terminal = world.prompt("--mode", "agent")
    terminal.line("what is a mutex?")
    terminal.expect("Tip: ")
    terminal.expect("A lock.")
    (exchange,) = world.server.exchanges
    assert "mode: agent" in exchange.seen.body["messages"][-1]["content"]
