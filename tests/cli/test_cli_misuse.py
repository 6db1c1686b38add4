"""A command line that makes no sense: one line, a hint, exit code 2."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("arguments", "told", "hint"),
    [
        (["--nope"], "There is no option --nope. Did you mean --mode?", "chatcli"),
        (["doktor"], "There is no command doktor. Did you mean doctor?", "chatcli"),
        (["zzz"], "There is no command zzz.", "chatcli"),
        (["config", "sett"], "There is no command sett. Did you mean set?", "chatcli config"),
        (["sessions", "--al"], "There is no option --al. Did you mean --all?", "chatcli sessions"),
        (["sessions", "delete"], "ID is missing.", "chatcli sessions delete"),
        (["sessions", "delete", "a", "b"], "This is too much: b", "chatcli sessions delete"),
        (["--mode"], "--mode needs a value.", "chatcli"),
        (["--max-turns", "x"], "--max-turns must be a number, not x.", "chatcli"),
        (["--max-cost", "-1"], "--max-cost must be >=0.0, not -1.0.", "chatcli"),
        (["auth"], "chatcli auth needs one of its commands: login, status, logout.", "chatcli auth"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_it_is_told_in_one_line_with_a_hint(cli, arguments: list[str], told: str, hint: str) -> None:
    ran = cli(*arguments)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"chatcli: {told}\n  {hint} -h shows how it is used.\n"


def test_a_key_on_the_command_line_is_not_told_back(cli) -> None:
    ran = cli("auth", "login", "CLAUDEAI", "any-key-at-all")
    assert ran.returncode == 2
    assert "a key is typed when it is asked for" in ran.stderr
    assert "any-key-at-all" not in ran.stderr


def test_help_and_exit_codes_of_commands_are_as_before(cli) -> None:
    assert cli("sessions", "-h").stdout.startswith("Usage: chatcli sessions")
    assert (cli("-h").returncode, cli("sessions", "delete", "nothing").returncode) == (0, 2)
