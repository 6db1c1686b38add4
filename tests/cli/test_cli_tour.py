"""`chatcli tour` on a small folder, in a pipe and at a terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pexpect
import pytest


@pytest.fixture
def filled(cli):
    (cli.project / "README.md").write_text("# Sample\n\nAdds numbers.\n", encoding="utf-8")
    (cli.project / "adder.py").write_text("def add_numbers(a, b):\n    return a + b\n", encoding="utf-8")
    return cli


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_in_a_pipe_it_runs_to_its_end_and_changes_nothing(filled, out) -> None:
    before = contents(filled.project)
    text = out("tour")
    assert [f"{n}/5" in text for n in range(1, 6)] == [True] * 5
    assert "There are 2 files here." in text
    assert "`add_numbers` is defined" in text or "add_numbers is defined" in text
    assert "the model sees" in text
    assert "-# Sample\n+# Sample (marked on the tour)\n" in text
    assert contents(filled.project) == before


def test_it_leaves_nothing_behind(filled, out) -> None:
    out("tour")
    assert not (filled.home / "sessions").exists()
    assert list((filled.home.parent / "tmp").iterdir()) == []


def test_it_speaks_portuguese(filled, out) -> None:
    text = out("tour", CHATCLI_LANG="pt_BR")
    assert "Há 2 arquivos aqui." in text
    assert "marcada no passeio" in text


def test_the_settings_of_the_person_do_not_disturb_it(filled, out) -> None:
    text = out(
        "tour", LLM_PROVIDER="nonsense", CHATCLI_TOOL_RESULT_MAX_CHARS="900000", CHATCLI_AUTONOMY="plan"
    )
    assert "5/5" in text


def test_an_empty_folder_will_do(out) -> None:
    assert "This line will be marked. (marked on the tour)" in out("tour")


@pytest.fixture
def at_terminal(filled):
    child = pexpect.spawn(
        sys.executable,
        ["-m", "chatcli", "tour"],
        cwd=str(filled.project),
        env={**filled.environment, "TERM": "xterm", "NO_COLOR": "1"},
        encoding="utf-8",
        timeout=20,
        dimensions=(40, 100),
    )
    yield child
    child.close(force=True)


def test_at_a_terminal_each_stop_waits_and_the_change_is_asked(at_terminal) -> None:
    for number in range(1, 5):
        at_terminal.expect(f"{number}/5")
        at_terminal.expect("Enter goes on")
        at_terminal.sendline("")
    at_terminal.expect("5/5")
    at_terminal.expect("Enter goes on")
    at_terminal.sendline("")
    at_terminal.expect(r"\+# Sample \(marked on the tour\)")
    at_terminal.expect("y once")
    at_terminal.sendline("n")
    at_terminal.expect("Your answer decided")
    at_terminal.expect(pexpect.EOF)
    at_terminal.close()
    assert at_terminal.exitstatus == 0


@pytest.mark.parametrize("answer", ["q", "\x04", "\x03"])
def test_it_can_be_left_at_any_stop(at_terminal, answer) -> None:
    at_terminal.expect("Enter goes on")
    if answer == "q":
        at_terminal.sendline(answer)
    else:
        at_terminal.send(answer)
    at_terminal.expect(pexpect.EOF)
    at_terminal.close()
    assert at_terminal.exitstatus == 0
