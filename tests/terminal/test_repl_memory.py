"""/memory and learning in a real terminal."""

from __future__ import annotations

import json
import re

import pytest

from tests.terminal.conftest import World
from tests.terminal.driver import Terminal
from tests.wire.script import reply

SAID = "I prefer tabs over spaces in Go"
POINTED = json.dumps({"fact": "Prefers tabs over spaces in Go.", "category": "preference", "quote": SAID})


def id_of(terminal: Terminal, word: str) -> str:
    found = re.search(rf"^([a-z2-9]{{6}})  .*{word}", "\n".join(terminal.lines()), re.MULTILINE)
    assert found
    return found[1]


def test_facts_are_added_looked_at_changed_and_forgotten(world: World) -> None:
    terminal = world.prompt(columns=80)
    terminal.line("/memory")
    terminal.expect("Nothing is remembered yet.")
    terminal.line("/memory add [gotcha] The build needs GNU make. #build")
    terminal.expect("gotcha · #build")
    fact_id = id_of(terminal, "GNU make")
    terminal.line(f"/memory show {fact_id}")
    terminal.expect("holds for:")
    terminal.line(f"/memory edit {fact_id} The build needs GNU make 4.")
    terminal.expect("needs GNU make 4")
    terminal.line("/memory search make")
    terminal.expect("GNU make 4")
    terminal.line("/memory search zebra")
    terminal.expect("has to do with it")
    terminal.line("/memory add password: correcthorse1")
    terminal.expect("password or a key")
    terminal.line("/memory where")
    terminal.expect("To read and edit:")
    terminal.line("/memory export out.json")
    terminal.expect("1 fact in")
    terminal.line(f"/memory forget {fact_id}")
    terminal.expect("Forget it for good")
    terminal.line("y")
    terminal.expect("gone from the disk")
    terminal.line("/memory import out.json")
    terminal.expect("1 fact is new")
    terminal.line("/memory undo")
    terminal.expect("1 fact is taken back")
    terminal.line("/memory nonsense")
    terminal.expect("list | search")


def test_what_stays_in_a_copy_is_not_said_to_be_gone(world: World) -> None:
    terminal = world.prompt(columns=200)
    terminal.line("/memory add [gotcha] The build needs GNU make.")
    terminal.expect("gotcha ·")
    fact_id = id_of(terminal, "GNU make")
    (document,) = world.home.rglob("MEMORY.md")
    with document.open("a", encoding="utf-8") as file:
        file.write("\n<!-- ask Bob -->\n")
    terminal.line("/memory list")
    terminal.expect("is kept in")
    terminal.line(f"/memory forget {fact_id}")
    terminal.expect("Forget it for good")
    terminal.line("y")
    terminal.expect("still stands in")
    assert "gone from the disk" not in "\n".join(terminal.lines())


def test_forty_columns_are_enough(world: World) -> None:
    terminal = world.prompt(columns=40, LANG="pt_BR.UTF-8")
    terminal.line("/memory add [preference] Prefiro respostas curtas, sem introdução e sem elogios. #estilo")
    terminal.expect("preference · #estilo ·")
    terminal.line("/memory where")
    terminal.expect("(/config memory)")
    assert all(len(line.rstrip()) <= 40 for line in terminal.lines())


def test_it_asks_once_learns_shows_the_source_and_takes_it_back(world: World) -> None:
    world.serve(
        [reply("Noted."), reply(POINTED, side=True), reply("Sure."), reply("none", side=True), reply("Bye.")]
    )
    terminal = world.prompt(columns=100)
    terminal.line(SAID)
    terminal.expect("chatcli can remember facts")
    terminal.line("/memory learn on")
    terminal.expect("you said: “I prefer tabs")
    terminal.expect("/memory undo takes it back")
    terminal.line("I always work late")
    terminal.expect("Sure.")
    world.server.wait_for(lambda server: len(server.exchanges) == 4)
    terminal.line("/memory undo")
    terminal.expect("2 facts are taken back")
    terminal.line("/memory learn off")
    terminal.expect("you say: off")
    terminal.line("I always say bye")
    terminal.expect("Bye.")
    assert world.server.violations == []


def test_who_says_nothing_to_it_is_asked_once_a_session(world: World) -> None:
    world.serve([reply("Noted."), reply("Again.")])
    terminal = world.prompt(columns=100)
    terminal.line(SAID)
    terminal.expect("chatcli can remember")
    terminal.line(SAID)
    terminal.expect("Again.")
    terminal.line("/memory")
    terminal.expect("Nothing is remembered yet.")
    assert "\n".join(terminal.lines()).count("chatcli can remember") == 1
    assert world.server.violations == []


def test_who_declines_is_not_asked_again(world: World) -> None:
    world.serve([reply("Noted."), reply("Again.")])
    terminal = world.prompt(columns=100)
    terminal.line(SAID)
    terminal.expect("chatcli can remember")
    terminal.line("/memory learn off")
    terminal.expect("you say: off")
    terminal.line(SAID)
    terminal.expect("Again.")
    terminal.line("/memory")
    terminal.expect("Nothing is remembered yet.")
    assert world.server.violations == []


@pytest.mark.parametrize("mode", ["index", "off"])
def test_config_memory_shows_the_mode(world: World, mode: str) -> None:
    terminal = world.prompt(CHATCLI_MEMORY_MODE=mode)
    terminal.line("/config memory")
    terminal.expect(f"CHATCLI_MEMORY_MODE = {mode}")
    terminal.expect("CHATCLI_MEMORY_RETRIEVAL_BUDGET = 4000")
