"""Slash commands are found by their whole word, completed, and explained in one place."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from chatcli.i18n import speaking
from chatcli.settings import load, table
from chatcli.terminal.completion import PromptCompleter
from chatcli.terminal.fileindex import FileIndex
from chatcli.terminal.fuzzy import best_matches
from chatcli.terminal.look import Look
from chatcli.terminal.slash.config import setting_lines
from chatcli.terminal.slash.registry import COMMANDS

PLAIN = Look(color=False, live=True)


@pytest.mark.parametrize(
    ("line", "name", "rest"),
    [
        ("/agent", "agent", ""),
        ("/agent  do it ", "agent", "do it"),
        ("/agent\ndo\nit", "agent", "do\nit"),
        ("/quit", "exit", ""),
    ],
)
def test_a_line_finds_its_command(line: str, name: str, rest: str) -> None:
    command, arguments = COMMANDS.find(line)
    assert command is not None
    assert (command.name, arguments) == (name, rest)


@pytest.mark.parametrize("line", ["/agentfoo", "/contextfoo", "/runaway", "/", "/ agents", "/Agent"])
def test_only_the_whole_word_counts(line: str) -> None:
    assert COMMANDS.find(line)[0] is None


@pytest.mark.parametrize(
    ("line", "near"),
    [("/agnet", "agent"), ("/costs", "cost"), ("/conf", "config"), ("/xyzzy", ""), ("/", "help")],
)
def test_the_nearest_name_is_suggested(line: str, near: str) -> None:
    assert COMMANDS.nearest(line) == near


def test_every_command_is_explained_and_its_name_is_its_own() -> None:
    names = [name for command in COMMANDS.all for name in (command.name, *command.aliases)]
    assert len(names) == len(set(names))
    assert all(command.help() for command in COMMANDS.all)
    assert {
        "help",
        "agent",
        "coder",
        "chat",
        "run",
        "cost",
        "config",
        "clear",
        "exit",
        "resume",
        "model",
    } <= set(names)


async def complete(text: str, folder: Path) -> list[str]:
    completer = PromptCompleter(COMMANDS, lambda command: ("one", "two"), FileIndex(folder))
    found = completer.get_completions_async(Document(text), CompleteEvent())
    return [completion.text async for completion in found]


async def test_commands_and_their_words_are_completed(tmp_path: Path) -> None:
    assert await complete("/co", tmp_path) == ["/coder", "/cost", "/context", "/compact", "/config"]
    assert await complete("/model t", tmp_path) == ["two"]
    assert await complete("/model one t", tmp_path) == []
    assert await complete("/nothing t", tmp_path) == []
    assert await complete("plain /co", tmp_path) == []
    assert await complete("me@example", tmp_path) == []


async def test_the_last_of_several_words_behind_an_action_is_completed(tmp_path: Path) -> None:
    keys = ("drop", "drop 1d5f", "drop 2a00", "pin 2b11")
    completer = PromptCompleter(COMMANDS, lambda command: keys, FileIndex(tmp_path))
    found = list(completer.get_completions(Document("/context drop 1d5f 2"), CompleteEvent()))
    assert [(completion.text, completion.start_position) for completion in found] == [("2a00", -1)]


async def test_files_are_completed_wherever_their_name_stands(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("src/app.py", "src/my app.txt", "apple.md", "zebra.txt"):
        (tmp_path / name).write_text("")
    assert await complete("see @app", tmp_path) == ["@apple.md", "@src/app.py", '@"src/my app.txt"']
    assert await complete("see @sap", tmp_path) == ["@src/app.py", '@"src/my app.txt"']
    assert await complete('see @"my a', tmp_path) == ['@"src/my app.txt"']
    assert await complete("@", tmp_path) == ["@apple.md", "@zebra.txt", "@src/app.py", '@"src/my app.txt"']
    assert await complete(f"@{tmp_path}/s", tmp_path) == [f"@{tmp_path}/src/"]


async def test_a_walk_takes_the_place_of_ripgrep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatcli.terminal.fileindex.find_ripgrep", lambda: None)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "app.py").write_text("")
    (tmp_path / "app.py").write_text("")
    assert await complete("@app", tmp_path) == ["@app.py"]


async def test_a_huge_tree_is_ranked_in_a_moment() -> None:
    paths = [f"folder{number % 100}/sub/file_{number}.py" for number in range(50_000)]
    assert (await best_matches("file_49999", paths, 5))[0] == "folder99/sub/file_49999.py"
    assert len(await best_matches("fsf9", paths, 40)) == 40


def test_a_setting_is_shown_with_its_source_and_bounds() -> None:
    loaded = load([("environment", {"MAX_RETRIES": "7"})])
    rows = {row.variable: row for row in table()}
    assert setting_lines(rows["MAX_RETRIES"], loaded, 40, PLAIN, explain=False) == [
        "MAX_RETRIES = 7",
        "  environment · 0 … 20 · default 5",
    ]
    lines = setting_lines(rows["CHATCLI_AUTONOMY"], loaded, 60, PLAIN, explain=True)
    assert lines[:2] == ["CHATCLI_AUTONOMY = ask", "  default · plan | ask | edits | all"]


def test_the_password_of_a_proxy_is_not_shown() -> None:
    loaded = load([("environment", {"CHATCLI_WEB_PROXY": "http://ann:s3cretpw@proxy.example:3128"})])
    (row,) = [row for row in table() if row.variable == "CHATCLI_WEB_PROXY"]
    text = " ".join(setting_lines(row, loaded, 100, PLAIN, explain=True))
    assert "@proxy.example:3128" in text
    assert "s3cretpw" not in text


def test_what_is_to_be_filled_in_is_named_in_the_language_of_the_screen() -> None:
    with speaking("pt_BR"):
        usages = {command.name: command.usage() for command in COMMANDS.all}
    assert usages["model"] == "/model [PROVEDOR/ID | refresh]"
    assert usages["compact"] == "/compact [O QUE MANTER | undo]"
    assert usages["results"] == "/results [all | open N | copy N ARQUIVO | delete N]"
