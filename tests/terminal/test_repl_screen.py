"""What a person sees: every width, no colours, dumb terminals, pipes, resizing, hostile text."""

from __future__ import annotations

import re
import signal
import sys

import pytest

from tests.terminal.conftest import World
from tests.terminal.driver import Terminal
from tests.wire.script import call, hold, reply

CTRL_D = "\x04"
ANSWER = """## Título – 标题

Um parágrafo com acentos (ação, coração), 中文字符 and emoji 🎉, long enough to be wrapped at forty
columns and e\u0301.

- item **one**
- item two with `code`

```python
def greet(name: str) -> str:
    return f"olá {name}"
```

| nome | tamanho |
|---|--:|
| 文件.py | 18 |

The end.
"""
HOSTILE = (
    "a\x1b]52;c;aGk=\x07b\x1b[2J\x1b[3;1Hc\x1b]8;;http://evil\x1b\\d\x9b31me\x1b]0;title\x07f\u202eg\u2066h"
    "\x1b[6n\x1bP+q544e\x1b\\i\x08\x08j\rk&#27;[2J&#x202e;"
)
_FORBIDDEN = (
    b"\x1b]",
    b"\x1b[2J",
    b"\x1b[3;1H",
    b"\x1b[6n",
    b"\x1bP",
    b"\x07",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
    b"\xe2\x81\xa6",
)


def play(world: World, columns: int = 80, rows: int = 50, **variables: str) -> Terminal:
    (world.project / "文件.py").write_text("x = 1\n")
    pieces = [ANSWER[start : start + 9] for start in range(0, len(ANSWER), 9)]
    world.serve([reply("Vou ler.", call("read", file="文件.py")), reply(*pieces)])
    terminal = world.prompt(columns=columns, rows=rows, **variables)
    terminal.line("/agent olá 中文")
    terminal.expect("The end.")
    terminal.expect("↓")
    return terminal


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_every_width_shows_the_whole_answer_once(world: World, columns: int) -> None:
    terminal = play(world, columns)
    shown = terminal.text()
    for text in (
        "❯ /agent olá 中文",
        "Vou ler.",
        "✓ read 文件.py",
        "Título – 标题",
        "• item one",
        "    return f",
        "文件.py",
    ):
        assert text in shown
    assert shown.count("The end.") == 1
    assert shown.count("emoji 🎉") == 1
    assert "**" not in shown
    assert "agent" in terminal.lines()[terminal.screen.cursor.y + 1]


def test_without_colours_no_colour_is_written(world: World) -> None:
    terminal = play(world, NO_COLOR="1")
    assert "Título" in terminal.text()
    assert not re.search(rb"\x1b\[[0-9;]*(3[0-7]|9[0-7]|4[0-7])[0-9;]*m", terminal.raw)


def test_a_dumb_terminal_gets_plain_text(world: World) -> None:
    terminal = play(world, TERM="dumb")
    assert b"\x1b" not in terminal.raw
    terminal.line("/todo")
    terminal.expect("The list is empty.")
    assert terminal.text().count("❯ /todo") == 1
    assert "The end." in terminal.text()
    terminal.send(CTRL_D)
    assert terminal.end() == 0
    assert world.workspaces() == []


def test_output_in_a_pipe_is_plain_text(world: World) -> None:
    world.serve([reply(ANSWER), reply("Second.")])
    out = world.home / "out.txt"
    terminal = Terminal(
        [f'"{sys.executable}" -m chatcli > "{out}"'],
        environment=world.environment,
        folder=world.project,
        program=("/bin/sh", "-c"),
    )
    terminal.expect("❯")
    terminal.line("hello")
    world.server.wait_for_state("sent")
    terminal.expect("❯", 2)
    terminal.line("more")
    terminal.expect("❯", 3)
    terminal.send(CTRL_D)
    assert terminal.end() == 0
    written = out.read_text(encoding="utf-8")
    assert "\x1b" not in written
    assert "Título – 标题" in written
    assert "Second." in written
    assert b"\x1b" not in terminal.raw


def test_a_dumb_terminal_asks_and_can_be_interrupted(world: World) -> None:
    touch = call("exec", command="touch made.txt")
    world.serve([reply(touch), reply("One."), reply(touch), reply("Two."), reply("x", hold())])
    terminal = world.prompt(TERM="dumb")
    terminal.line("/agent go")
    terminal.expect("y once")
    terminal.line("")
    terminal.expect("One.")
    terminal.line("again")
    terminal.expect("y once", 2)
    terminal.line("y")
    terminal.expect("Two.")
    assert (world.project / "made.txt").exists()
    terminal.line("more")
    world.server.wait_for(lambda server: len(server.exchanges) == 5)
    terminal.send("\x03")
    terminal.expect("Cancelled.")
    terminal.send(CTRL_D)
    assert terminal.end() == 0


def test_nothing_hostile_reaches_the_terminal(world: World) -> None:
    (world.project / "evil.txt").write_text(HOSTILE)
    world.serve(
        [
            reply(HOSTILE + "\n\n", call("read", file="evil.txt"), call("exec", command="cat evil.txt")),
            reply(call("no\x1b]52;c;eA==\x07such", **{"x\x1b[2J": HOSTILE})),
            reply("```\n" + HOSTILE + "\n```\n"),
        ]
    )
    terminal = world.prompt("--approve", "all")
    terminal.line("/agent go")
    terminal.expect("```", 2)
    terminal.expect("↓")
    for bad in _FORBIDDEN:
        assert bad not in terminal.raw, bad


def test_a_long_reply_leaves_each_line_once_in_the_scrollback(world: World) -> None:
    lines = [f"- line number {number}" for number in range(150)]
    text = "\n".join(lines)
    pieces = [text[start : start + 40] for start in range(0, len(text), 40)]
    world.serve([reply(*pieces)])
    terminal = world.prompt(rows=10)
    terminal.line("count")
    terminal.expect("line number 149")
    terminal.expect("↓")
    shown = [line for line in terminal.scrollback() if line.startswith("• line number")]
    assert shown == [line.replace("- ", "• ", 1) for line in lines]


def test_nothing_is_erased_but_within_one_whole_update(world: World) -> None:
    words = [f"word {number} " + "\n\n" * (number % 9 == 0) for number in range(120)]
    world.serve([reply(*words)])
    terminal = world.prompt(rows=12)
    terminal.line("go")
    terminal.expect("word 119")
    terminal.expect("↓")
    outside = re.sub(rb"\x1b\[\?2026h.*?\x1b\[\?2026l", b"", terminal.raw, flags=re.DOTALL)
    assert terminal.raw.count(b"\x1b[J") > 10
    assert outside.count(b"\x1b[J") <= 1, "only the very first frame finds the screen as it is"
    assert b"\x1b[2J" not in terminal.raw
    assert b"\x1b[H" not in terminal.raw


def test_a_resize_in_the_middle_keeps_what_was_printed(world: World) -> None:
    world.serve([reply("First paragraph.\n\nSecond par", hold(), "agraph ends.\n\nThird.")])
    terminal = world.prompt(columns=100)
    terminal.line("go")
    terminal.expect("Second par")
    terminal.resize(50, 24)
    terminal.expect("chat (ask)")
    world.server.release()
    terminal.expect("Third.")
    terminal.expect("↓")
    shown = terminal.text()
    assert shown.count("First paragraph.") == 1
    assert shown.count("Second paragraph ends.") == 1
    assert all(len(line) <= 50 for line in terminal.lines())


def test_a_file_that_is_named_goes_along(world: World) -> None:
    (world.project / "notas ação.txt").write_text("the magic word is xyzzy\n")
    world.serve([reply("I read it.")])
    terminal = world.prompt()
    terminal.line('what does @"notas ação.txt" say?')
    terminal.expect("+ notas ação.txt")
    terminal.expect("I read it.")
    seen = world.server.exchanges[0].seen
    assert seen is not None
    assert "the magic word is xyzzy" in "\n".join(seen.user_texts)


def test_slash_commands_in_the_terminal(world: World) -> None:
    world.serve([reply("Hello.")])
    terminal = world.prompt(rows=60)
    terminal.line("/contextfoo")
    terminal.expect("There is no command /contextfoo. Did you mean /context?")
    terminal.line("/help nope")
    terminal.expect("There is no command /nope. /help lists them.")
    terminal.line("/help cots")
    terminal.expect("There is no command /cots. Did you mean /cost?")
    terminal.line("/clear now")
    terminal.expect("/clear stands alone: now means nothing to it.")
    terminal.line("/undo all")
    terminal.expect("/undo, or /undo force")
    terminal.line("/config retires")
    terminal.expect("No setting is called retires. Did you mean MAX_RETRIES?")
    terminal.line("/usr/bin/env is a path")
    terminal.expect("Hello.")
    terminal.line("/cost")
    terminal.expect("of it reasoning")
    terminal.line("/config retries")
    terminal.expect("0 … 20")
    terminal.line("/coder")
    terminal.expect("coder (ask)")
    terminal.line("/model OFFLINE")
    terminal.expect("OFFLINE/")
    terminal.line("/clear")
    terminal.expect("A new session.")
    terminal.line("/resume")
    terminal.expect("/usr/bin/env is a path", 2)
    terminal.expect("which one?")
    terminal.line("1")
    terminal.expect("Hello.", 2)
    terminal.line("/exit")
    assert terminal.end() == 0
    assert world.workspaces() == []


def test_trust_is_asked_for_and_not_given_by_enter(world: World) -> None:
    (world.project / ".chatcli").mkdir()
    (world.project / ".chatcli" / "settings.toml").write_text('autonomy = "all"\n')
    terminal = world.start()
    terminal.expect("Trust this folder? [y/N]")
    terminal.line("")
    terminal.expect("(ask)")
    terminal.send(CTRL_D)
    terminal.end()
    again = world.start()
    again.expect("Trust this folder? [y/N]")
    again.line("y")
    again.expect("(all)")


def test_rules_of_an_untrusted_folder_are_asked_for_once(world: World) -> None:
    (world.project / "AGENTS.md").write_text("Answer in verse.\n")
    terminal = world.start()
    terminal.expect("This folder brings rules for agents.")
    terminal.expect("  AGENTS.md")
    terminal.expect("Trust this folder? [y/N]")
    terminal.line("")
    terminal.expect("Not followed, because this folder is not trusted: AGENTS.md.")
    terminal.expect("(ask)")
    terminal.send(CTRL_D)
    terminal.end()
    assert "Trust this folder?" not in world.prompt().text()
    (world.project / "CLAUDE.md").write_text("Be brief.\n")
    world.start().expect("Trust this folder? [y/N]")


def test_setup_is_offered_once(world: World) -> None:
    del world.environment["LLM_PROVIDER"]
    first = world.start(OLLAMA_BASE_URL="http://127.0.0.1:9")
    first.expect("Set one up now?")
    first.line("")
    first.expect("OFFLINE: no model, rules only")
    first.expect("❯")
    first.send(CTRL_D)
    assert first.end() == 0
    second = world.prompt(OLLAMA_BASE_URL="http://127.0.0.1:9")
    assert "Set one up" not in second.text()


def test_a_session_in_use_is_gone_on_with_in_a_copy(world: World) -> None:
    world.serve([reply("Mine."), reply("Copy.")])
    first = world.prompt()
    first.line("hello")
    first.expect("Mine.")
    first.expect("↓")
    second = world.start("--continue")
    second.expect("[y/N]")
    second.line("y")
    second.expect("Mine.")
    second.line("go on")
    second.expect("Copy.")
    first.kill(signal.SIGTERM)
    assert first.end() == 143
