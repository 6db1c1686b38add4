"""A run that stands still, as the person at the REPL sees it."""

from __future__ import annotations

from tests.terminal.conftest import World
from tests.wire.script import call, reply

READ, TREE = reply(call("read", file="a.py")), reply(call("tree"))


def test_a_run_that_repeats_itself_is_stopped_with_a_word_and_an_answer(world: World) -> None:
    (world.project / "a.py").write_text("x = 1\n", encoding="utf-8")
    world.serve([READ, READ, READ, reply("x is 1."), reply("Still here.")])
    terminal = world.prompt()
    terminal.line("/agent look")
    terminal.expect("The run only repeated itself")
    terminal.expect("x is 1.")
    terminal.line("and now?")
    terminal.expect("Still here.")
    assert world.server.violations == []


def test_a_circle_that_goes_on_is_the_persons_to_decide(world: World) -> None:
    (world.project / "a.py").write_text("x = 1\n", encoding="utf-8")
    world.serve([*[READ, TREE] * 4, reply("x is 1.")])
    terminal = world.prompt()
    terminal.line("/agent look")
    terminal.expect("told to try something else")
    terminal.expect("a number, or your own words")
    terminal.line("2")
    terminal.expect("x is 1.")
    assert world.server.violations == []
