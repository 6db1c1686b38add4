"""/model and /switch: a list of which one entry is taken by keys, in any width."""

from __future__ import annotations

import time

import pytest

from tests.terminal.conftest import World
from tests.wire.script import reply

UP, DOWN, ESCAPE, CTRL_C, PAGE_UP = "\x1b[A", "\x1b[B", "\x1b", "\x03", "\x1b[5~"


@pytest.fixture
def claude(world: World) -> World:
    """CLAUDEAI and OPENAI on one scripted server."""
    world.serve([reply("Hello."), reply("Me too.")])
    world.environment["LLM_PROVIDER"] = "CLAUDEAI"
    return world


def marked(terminal) -> str:
    return next((line for line in terminal.lines() if line.startswith("› ")), "")


def test_a_model_is_found_by_typing_and_taken_with_enter(claude: World) -> None:
    terminal = claude.prompt()
    terminal.line("/model")
    terminal.expect("CLAUDEAI: $ in / out")
    terminal.wait(lambda: marked(terminal).startswith("› claude-sonnet-5-5"), "the current one is marked")
    assert "$" in marked(terminal)
    assert "1.0M" in marked(terminal)
    terminal.send("haiku 5-5")
    terminal.wait(lambda: "haiku" in marked(terminal), "filtered")
    terminal.send("\r")
    terminal.expect("From now on CLAUDEAI/claude-haiku-5-5")
    terminal.line("hi")
    terminal.expect("Hello.")
    assert claude.server.exchanges[-1].seen.model.startswith("claude-haiku-5-5")


def test_the_arrow_keys_move_and_escape_leaves_everything_as_it_was(claude: World) -> None:
    terminal = claude.prompt()
    terminal.line("/model")
    terminal.wait(lambda: "sonnet-5-5" in marked(terminal), "open")
    first = marked(terminal)
    terminal.send(UP)
    terminal.wait(lambda: marked(terminal) != first, "moved up")
    terminal.send(DOWN)
    terminal.wait(lambda: marked(terminal) == first, "moved down")
    terminal.send(PAGE_UP)
    terminal.wait(lambda: marked(terminal) != first, "a page up")
    terminal.send(ESCAPE)
    terminal.gone("CLAUDEAI: $ in / out")
    terminal.line("/model xyzzy-none")
    terminal.expect("From now on CLAUDEAI/xyzzy-none")


@pytest.mark.parametrize("key", [ESCAPE, CTRL_C, "\x04"])
def test_the_list_can_be_left_and_the_prompt_is_back(claude: World, key: str) -> None:
    terminal = claude.prompt()
    terminal.line("/model")
    terminal.expect("CLAUDEAI: $ in / out")
    terminal.send(key)
    terminal.gone("CLAUDEAI: $ in / out")
    terminal.line("hi")
    terminal.expect("Hello.")
    assert "From now on" not in terminal.text()


def test_words_that_fit_nothing_take_nothing(claude: World) -> None:
    terminal = claude.prompt()
    terminal.line("/model")
    terminal.expect("CLAUDEAI: $ in / out")
    terminal.send("nothing-like-that\r")
    terminal.expect("nothing is called that")
    terminal.send("\x15")
    terminal.gone("nothing is called that")
    terminal.send(ESCAPE)
    terminal.gone("CLAUDEAI: $ in / out")


def test_in_forty_columns_window_and_price_are_still_there(claude: World) -> None:
    terminal = claude.prompt(columns=40)
    terminal.line("/model")
    terminal.wait(lambda: marked(terminal).endswith("sonnet-5-5   1.0M     $2 /   $10"), "figures")
    assert all(len(line) <= 40 for line in terminal.lines())
    terminal.send("haiku\r")
    terminal.expect("From now on")


def test_switch_lists_the_providers_with_their_keys(claude: World) -> None:
    terminal = claude.prompt(XAI_API_KEY="")
    terminal.line("/switch")
    terminal.expect("Provider, key, usual model")
    terminal.wait(lambda: "CLAUDEAI" in marked(terminal), "the current one is marked")
    assert any("XAI" in line and "no key" in line for line in terminal.lines())
    terminal.send("chatgpt\r")
    terminal.expect("From now on OPENAI/")
    terminal.line("hi")
    terminal.expect("Hello.")


def test_switch_to_a_provider_without_a_key_says_what_is_missing(claude: World) -> None:
    terminal = claude.prompt(XAI_API_KEY="")
    terminal.line("/switch XAI")
    terminal.expect("XAI needs a key")
    terminal.line("hi")
    terminal.expect("Hello.")


def test_the_new_sdk_is_loaded_before_the_first_request(claude: World, tmp_path) -> None:
    """A module of that name in front of the real one leaves a mark when it is imported."""
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "openai.py").write_text(f"open({str(tmp_path / 'loaded')!r}, 'w').close()\nraise ImportError\n")
    terminal = claude.prompt(PYTHONPATH=str(hook))
    terminal.line("/switch OPENAI")
    terminal.expect("From now on OPENAI/")
    until = time.monotonic() + 20
    while not (tmp_path / "loaded").exists() and time.monotonic() < until:
        terminal.read(0.05)
    assert (tmp_path / "loaded").exists()
    assert claude.server.exchanges == []


def test_without_a_cursor_the_list_is_printed(claude: World) -> None:
    terminal = claude.prompt(TERM="dumb")
    terminal.line("/model")
    terminal.expect("* claude-sonnet-5-5")
    terminal.expect("/model PROVIDER/ID")
    terminal.line("/model claude-haiku-5-5")
    terminal.expect("From now on CLAUDEAI/claude-haiku-5-5")
