"""Without a key: the real command answers about the folder, and plays scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def filled(cli):
    (cli.project / "README.md").write_text("# Sample\n", encoding="utf-8")
    (cli.project / "main.py").write_text("def main():\n    pass\n", encoding="utf-8")
    return cli


def test_the_first_question_of_a_new_user_is_answered(filled, out) -> None:
    text = out("-p", "what is in this folder?")
    assert "There are 2 files here." in text
    assert "OFFLINE" in text


def test_in_portuguese_too(filled, out) -> None:
    assert "`main.py:1`" in out("-p", "onde está main?")


def test_json_tells_that_it_cost_nothing(filled, out) -> None:
    answer = json.loads(out("-p", "show README.md", "--output", "json"))
    assert answer["cost_usd"] == 0
    assert answer["tool_calls"] == 1
    assert answer["usage"]["input"] > 0


def test_without_anybody_to_ask_a_change_is_denied(filled) -> None:
    ran = filled("-p", "create notes.txt with text hello")
    assert ran.returncode in {0, 5}
    assert "not allowed" in ran.stdout
    assert not (filled.project / "notes.txt").exists()


def test_a_file_that_is_missing_is_told_unless_the_text_was_piped(filled) -> None:
    assert "no such file to attach: no.png" in filled("-p", "/chat see @no.png, @README.md and @ana").stderr
    assert filled("-p", "-", stdin="/chat see @no.png").stderr == ""


def test_chat_names_the_way_to_the_tools(filled, out) -> None:
    assert "/agent what is in this folder?" in out("-p", "/chat what is in this folder?")


def test_a_resumed_session_goes_on_at_the_right_place_of_a_script(filled, out, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    lines = [
        {"calls": [{"name": "read", "arguments": {"file": "README.md"}}]},
        {"text": "first answer"},
        {"text": "second answer"},
    ]
    script.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    variables = {"CHATCLI_OFFLINE_SCRIPT": str(script)}
    assert out("-p", "/agent go", **variables) == "first answer\n"
    assert out("-p", "go on", "--continue", **variables) == "second answer\n"
    over = filled("-p", "and more", "--continue", **variables)
    assert over.returncode == 3
    assert str(script) in over.stderr


def test_a_broken_script_is_named_with_its_line(filled, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"text": "a"}\n{"text": \n', encoding="utf-8")
    ran = filled("-p", "go", CHATCLI_OFFLINE_SCRIPT=str(script))
    assert ran.returncode == 2
    assert f"{script}, line 2" in ran.stderr
