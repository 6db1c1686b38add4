"""The real command in a real terminal: lines go in, runs come out, and one can always leave."""

from __future__ import annotations

import json
import signal

import pytest

from tests.terminal.conftest import World
from tests.wire.script import call, hold, reply

ENTER, CTRL_C, CTRL_D = "\r", "\x03", "\x04"


def test_a_line_is_answered_and_nothing_is_left_behind(world: World) -> None:
    world.serve([reply("The answer is **42**.")])
    terminal = world.prompt()
    before = terminal.modes()
    assert f"OLLAMA/{world.environment['OLLAMA_MODEL']}" in terminal.text()
    assert len(world.workspaces()) == 1
    terminal.line("what is the answer?")
    terminal.expect("The answer is 42.")
    terminal.expect("↓")
    terminal.send(CTRL_D)
    assert terminal.end() == 0
    assert terminal.modes() != before
    assert world.workspaces() == []
    assert world.server.violations == []
    history = world.home / "history"
    assert history.stat().st_mode & 0o777 == 0o600
    assert json.loads(history.read_text()) == "what is the answer?"


def test_the_terminal_is_as_it_was(world: World) -> None:
    terminal = world.start()
    before = terminal.modes()
    terminal.expect("❯")
    terminal.send(CTRL_D)
    terminal.end()
    assert terminal.modes() == before
    assert terminal.raw.rstrip().endswith(b"\x1b[?2004l\x1b[?25h") or b"\x1b[?2004l" in terminal.raw[-80:]


def test_what_is_typed_meanwhile_is_delivered_at_the_next_turn(world: World) -> None:
    (world.project / "a.txt").write_text("hello\n")
    world.serve([reply("Working.\n\n", hold(), call("read", file="a.txt")), reply("Done.")])
    terminal = world.prompt()
    terminal.line("/agent look")
    terminal.expect("Working.")
    terminal.line("and be quick")
    terminal.expect("… and be quick")
    terminal.expect("1 queued")
    world.server.release()
    terminal.expect("❯ and be quick")
    terminal.expect("Done.")
    terminal.gone("queued")
    assert "✓ read a.txt" in terminal.text()
    assert world.server.violations == []


def test_ctrl_c_cancels_and_the_next_run_works(world: World) -> None:
    world.serve([reply("Thinking about it", hold()), reply("Second answer.")])
    terminal = world.prompt()
    terminal.line("first")
    terminal.expect("Thinking about it")
    terminal.line("queued words")
    terminal.expect("1 queued")
    terminal.send(CTRL_C)
    terminal.expect("Cancelled.")
    world.server.wait_for(lambda server: server.exchanges[0].state == "client_closed")
    terminal.expect("❯ queued words")
    terminal.send(ENTER)
    terminal.expect("Second answer.")
    assert world.server.violations == []


def test_a_command_that_has_to_wait_is_not_lost(world: World) -> None:
    world.serve([reply("Thinking about it", hold()), reply("Second answer.")])
    terminal = world.prompt()
    terminal.line("first")
    terminal.expect("Thinking about it")
    terminal.line("/agent go on")
    terminal.expect("/agent has to wait: Ctrl-C cancels what runs.")
    terminal.expect("❯ /agent go on", 2)
    terminal.send(CTRL_C)
    terminal.expect("Cancelled.")
    terminal.send(ENTER)
    terminal.expect("Second answer.")


def test_ctrl_c_clears_the_line_and_twice_leaves(world: World) -> None:
    terminal = world.prompt()
    terminal.send("half a thought")
    terminal.expect("half a thought")
    terminal.send(CTRL_C)
    terminal.gone("half a thought")
    terminal.send(CTRL_C)
    terminal.expect("again")
    terminal.send(CTRL_C)
    assert terminal.end() == 0


def test_ctrl_c_twice_leaves_while_it_works(world: World) -> None:
    world.serve([reply("Endless", hold())])
    terminal = world.prompt()
    terminal.line("go")
    terminal.expect("Endless")
    terminal.send(CTRL_C + CTRL_C)
    assert terminal.end() == 0
    assert world.workspaces() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(world: World, number: signal.Signals) -> None:
    world.serve([reply("Endless", hold())])
    terminal = world.prompt()
    terminal.line("go")
    terminal.expect("Endless")
    terminal.kill(number)
    assert terminal.end() == 128 + number
    assert world.workspaces() == []


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_a_closed_window_leaves_nothing_behind(world: World, term: str) -> None:
    world.serve([reply("Endless\n\n", hold())])
    terminal = world.prompt(TERM=term)
    terminal.line("go")
    terminal.expect("Endless")
    terminal.hang_up()
    # The end of the input may be seen before the signal.
    assert terminal.wait_for_end() in (0, 128 + signal.SIGHUP)
    assert world.workspaces() == []


def test_after_a_kill_the_session_goes_on(world: World) -> None:
    world.serve([reply("I remember **everything**."), reply("Still here.")])
    terminal = world.prompt()
    terminal.line("first words")
    terminal.expect("I remember everything.")
    terminal.expect("↓")
    terminal.kill(signal.SIGKILL)
    terminal.end()
    again = world.prompt("--continue")
    again.expect("❯ first words")
    again.expect("I remember everything.")
    again.line("and now?")
    again.expect("Still here.")
    assert world.server.violations == []


def test_after_a_kill_an_answer_that_was_cut_off_is_told(world: World) -> None:
    world.serve([reply("Endless", hold())])
    terminal = world.prompt()
    terminal.line("first words")
    terminal.expect("Endless")
    terminal.kill(signal.SIGKILL)
    terminal.end()
    again = world.prompt("--continue")
    again.expect("❯ first words")
    again.expect("Not answered: it was cut off.")


def test_a_failure_is_one_line_and_a_hint(world: World) -> None:
    world.serve([reply("unused")])
    terminal = world.prompt(OLLAMA_BASE_URL="http://127.0.0.1:9", MAX_RETRIES="0")
    terminal.line("hello")
    terminal.expect("✗ ")
    assert "Traceback" not in terminal.text()
    terminal.send(CTRL_D)
    assert terminal.end() == 0


def test_a_file_named_in_what_is_typed_meanwhile_goes_along(world: World) -> None:
    (world.project / "a.txt").write_text("hello\n")
    (world.project / "notes.txt").write_text("the secret word is papaya\n")
    (world.project / "void.bin").write_bytes(b"\0\1\2" * 50)
    world.serve([reply("Working.\n\n", hold(), call("read", file="a.txt")), reply("Done.")])
    terminal = world.prompt()
    terminal.line("/agent look")
    terminal.expect("Working.")
    terminal.line("and see @notes.txt")
    terminal.line("or @void.bin")
    terminal.expect("2 queued")
    world.server.release()
    terminal.expect("❯ and see @notes.txt")
    terminal.expect("  + notes.txt")
    terminal.expect("void.bin is not text: it cannot be attached.")
    terminal.expect("Done.")
    sent = str(world.server.exchanges[1].seen)
    assert "papaya" in sent
    assert "or @void.bin" in sent
    assert world.server.violations == []


def test_a_file_that_is_missing_is_told(world: World) -> None:
    world.serve([reply("Which picture?", hold(), " That."), reply("None.")])
    terminal = world.prompt()
    terminal.line("what is in @missing.png?")
    terminal.expect("There is no such file to attach: missing.png")
    terminal.expect("Which picture?")
    terminal.line("that one: @gone/b.txt, says @ana")
    terminal.expect("There is no such file to attach: gone/b.txt")
    world.server.release()
    terminal.expect("None.")
    assert "@missing.png" in str(world.server.exchanges[0].seen)


def test_a_file_named_too_late_for_the_run_goes_along_with_the_next(world: World) -> None:
    (world.project / "notes.txt").write_text("the secret word is papaya\n")
    world.serve([reply("First.\n\n", hold(), "End."), reply("Second.")])
    terminal = world.prompt()
    terminal.line("/chat look")
    terminal.expect("First.")
    terminal.line("see @notes.txt")
    terminal.expect("1 queued")
    world.server.release()
    terminal.expect("Second.")
    assert "papaya" in str(world.server.exchanges[1].seen)
