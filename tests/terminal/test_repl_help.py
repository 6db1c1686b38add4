"""What a newcomer asks first is answered in whole sentences, however narrow the screen."""

from __future__ import annotations

import pytest

from chatcli.terminal.slash.registry import COMMANDS
from tests.terminal.conftest import World


@pytest.mark.parametrize("columns", [80, 40])
def test_the_help_cuts_nothing_off(world: World, columns: int) -> None:
    terminal = world.prompt(columns=columns, rows=100)
    terminal.line("/help")
    terminal.expect("Ctrl+D")
    terminal.expect("leave, on an empty line")
    told = " ".join(terminal.text().split())
    for command in COMMANDS.all:
        assert f"/{command.name} {command.arguments}".rstrip() in told
        assert command.help() in told
    assert "…" not in terminal.text().split("/help [COMMAND]")[1]


def test_the_help_of_memory_names_its_actions(world: World) -> None:
    terminal = world.prompt()
    terminal.line("/help memory")
    terminal.expect("what is remembered beyond this session")
    assert "/memory [list | search | show | add | edit | forget" in terminal.text()


def test_the_menu_of_commands_has_room_for_what_they_do(world: World) -> None:
    terminal = world.prompt()
    terminal.send("/c")
    terminal.expect("what fills the window; drop or pin")
    assert "/context [all | drop KEY... | p…" in terminal.text()


def test_the_first_lines_name_the_way_to_a_model_at_80_columns(world: World) -> None:
    assert "OFFLINE: no model, rules only · chatcli setup · " in world.prompt().text()


def test_trust_shows_rules_too(world: World) -> None:
    (world.project / "AGENTS.md").write_text("Answer in verse.\n")
    terminal = world.start()
    terminal.expect("Trust this folder? [y/N]")
    terminal.line("")
    terminal.expect("❯")
    terminal.line("/trust")
    terminal.expect("let these files take effect? [y/N]")
    assert terminal.text().count("  AGENTS.md") == 2


def test_trust_of_a_folder_that_brings_nothing_says_so(world: World) -> None:
    terminal = world.prompt()
    terminal.line("/trust")
    terminal.expect("It has no settings of its own yet; when some appear, you are asked again.")
    terminal.expect("Trust this folder? [y/N]")
    terminal.line("")
    terminal.expect("· Nothing was changed.")
    terminal.line("/trust")
    terminal.expect("Trust this folder? [y/N]")
    terminal.line("y")
    terminal.expect("Trusted.")


def test_a_question_is_broken_between_words(world: World) -> None:
    (world.project / ".mcp.json").write_text("{}")
    terminal = world.start(columns=60)
    terminal.expect("Trust this folder? [y/N]")
    terminal.line("")
    terminal.expect("❯")
    terminal.line("/trust")
    terminal.expect("Trust this folder and let these files take effect? [y/N]\n?")
    terminal.resize(54, 24)
    terminal.expect("Trust this folder and let these files take effect?\n[y/N]\n?")


def test_all_settings_take_one_row_each_where_there_is_room(world: World) -> None:
    terminal = world.prompt(columns=100, rows=100)
    terminal.line("/config")
    terminal.expect("CHATCLI_HISTORY = on  default")
    assert "CHATCLI_AUTONOMY = ask  default · plan | ask | edits | all" in terminal.text()
