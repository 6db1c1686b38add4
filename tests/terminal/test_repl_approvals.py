"""Approvals in the real terminal: only a clear yes, given to this very question, allows anything."""

from __future__ import annotations

from tests.terminal.conftest import World
from tests.terminal.driver import Terminal
from tests.wire.script import call, hold, reply

CTRL_C = "\x03"
TOUCH = call("exec", command="touch made.txt && echo touched")
CHOICES = "y once"


def asked(world: World, *arguments: str, columns: int = 80) -> Terminal:
    """A terminal at the question whether to touch a file; the run then ends with `Finished.`"""
    world.serve([reply("I will touch it.", TOUCH), reply("Finished."), reply("Next answer.")])
    terminal = world.prompt(*arguments, columns=columns)
    terminal.line("/agent touch it")
    terminal.expect(CHOICES)
    return terminal


def told(world: World, request: int = 1) -> str:
    """The result of the call as the model got it."""
    seen = world.server.exchanges[request].seen
    assert seen is not None
    return seen.last_result


def test_yes_runs_what_was_shown(world: World) -> None:
    terminal = asked(world)
    assert "$ touch made.txt && echo touched" in terminal.text()
    terminal.line("y")
    terminal.expect("Finished.")
    assert (world.project / "made.txt").exists()
    assert "→ allowed once" in terminal.text()
    assert "✓ exec touch made.txt" in terminal.text()
    assert world.server.violations == []


def test_enter_alone_denies(world: World) -> None:
    terminal = asked(world)
    terminal.line("")
    terminal.expect("Finished.")
    assert not (world.project / "made.txt").exists()
    assert "→ denied" in terminal.text()


def test_a_reason_goes_to_the_model(world: World) -> None:
    terminal = asked(world)
    terminal.line("não, use another name")
    terminal.expect("Finished.")
    assert "não, use another name" in told(world)


def test_what_was_typed_before_the_question_does_not_answer_it(world: World) -> None:
    world.serve([reply("Wait.\n\n", hold(), TOUCH), reply("Finished.")])
    terminal = world.prompt()
    terminal.line("/agent touch it")
    terminal.expect("Wait.")
    world.server.release()
    terminal.send("y\r" * 3 + "y")
    terminal.expect(CHOICES)
    terminal.line("")
    terminal.expect("→ denied")
    terminal.expect("Finished.")
    assert not (world.project / "made.txt").exists()
    terminal.expect("❯ y")


def test_ctrl_c_at_the_question_cancels_and_the_next_run_works(world: World) -> None:
    terminal = asked(world)
    terminal.send(CTRL_C)
    terminal.expect("Cancelled.")
    assert not (world.project / "made.txt").exists()
    terminal.line("/chat hello again")
    terminal.expect("Finished.")
    assert told(world) == "The user cancelled the run when asked about this call: it did not run."
    assert "– exec touch made.txt" in terminal.text()
    terminal.line("and again")
    terminal.expect("Next answer.")
    assert world.server.violations == []


def test_a_rule_for_the_project_is_shown_stored_used_and_revoked(world: World) -> None:
    write = call("write", file="one.txt", content="one\n")
    world.serve([reply(write), reply("First."), reply(write), reply("Second.")])
    terminal = world.prompt(rows=40)
    terminal.line("/agent write")
    terminal.expect(CHOICES)
    assert "+one" in terminal.text()
    assert "s and p add the rule write:one.txt" in terminal.text()
    terminal.line("p")
    terminal.expect("First.")
    assert (world.project / "one.txt").read_text() == "one\n"
    terminal.line("/permissions")
    terminal.expect("1. write:one.txt · this project")
    terminal.line("/permissions revoke 1")
    terminal.expect("Revoked: write:one.txt")
    terminal.line("/undo")
    terminal.expect("as it was")
    assert not (world.project / "one.txt").exists()


def test_escapes_in_what_is_written_are_shown_not_run(world: World) -> None:
    evil = "one\x1b[2J\x1b]52;c;aGk=\x07\u202etwo\r\n"
    world.serve([reply(call("write", file="a.txt", content=evil)), reply("Finished.")])
    terminal = world.prompt()
    terminal.line("/agent go")
    terminal.expect(CHOICES)
    assert "+one␛[2J␛]52;c;aGk=␇<U+202E>two" in terminal.text()
    terminal.line("n")
    terminal.expect("Finished.")
    for bad in (b"\x1b[2J", b"\x1b]52", b"\x07", "\u202e".encode()):
        assert bad not in terminal.raw


def test_a_long_command_is_shown_whole_in_forty_columns(world: World) -> None:
    words = " ".join(f"file{number}.txt" for number in range(40))
    world.serve([reply(call("exec", command=f"touch {words}")), reply("Finished.")])
    terminal = world.prompt(columns=40)
    terminal.line("/agent go")
    terminal.expect("n no")
    joined = "".join(line[2:] for line in terminal.scrollback() if line[:2] in ("$ ", "  "))
    assert words.replace(" ", "") in joined.replace(" ", "")


def test_a_long_diff_is_limited_and_seen_whole_in_the_pager(world: World) -> None:
    content = "".join(f"line {number}\n" for number in range(200))
    world.serve([reply(call("write", file="long.txt", content=content)), reply("Finished.")])
    pager = world.home / "pager.sh"
    pager.write_text(f'#!/bin/sh\ncat > "{world.home}/paged"\necho PAGED\n')
    pager.chmod(0o700)
    terminal = world.prompt(PAGER=str(pager))
    terminal.line("/agent go")
    terminal.expect("more lines")
    terminal.expect("v view all")
    assert "line 150" not in terminal.text()
    terminal.line("v")
    terminal.expect("PAGED")
    terminal.expect("v view all")
    terminal.line("y")
    terminal.expect("Finished.")
    assert "+line 199" in (world.home / "paged").read_text()
    assert (world.project / "long.txt").read_text() == content


def test_a_question_of_the_agent_is_answered_by_number_or_in_words(world: World) -> None:
    ask = call("ask", question="Which colour?", options=["red", "green"])
    world.serve([reply(ask), reply("Thanks."), reply(ask), reply("Fine.")])
    terminal = world.prompt()
    terminal.line("/agent ask me")
    terminal.expect("2. green")
    terminal.expect("or your own words")
    terminal.line("2")
    terminal.expect("Thanks.")
    assert "green" in told(world)
    terminal.line("again")
    terminal.expect("2. green", 2)
    terminal.expect("or your own words")
    terminal.line("azul")
    terminal.expect("Fine.")
    assert "azul" in told(world, 3)


def test_ctrl_c_at_a_question_of_the_agent_is_no_answer_and_ends_the_run(world: World) -> None:
    world.serve([reply(call("ask", question="Which colour?")), reply("Fine.")])
    terminal = world.prompt()
    terminal.line("/agent ask me")
    terminal.expect("your answer")
    terminal.send(CTRL_C)
    terminal.expect("Cancelled.")
    terminal.line("/chat go on")
    terminal.expect("Fine.")
    assert told(world) == "The user did not want to answer. Go on without, or stop."
    assert world.server.violations == []
