"""Calls that a model writes as text, on the screen: a line of a tool, never the raw text."""

from __future__ import annotations

from tests.wire.script import call, hold, reply

CONTENT = "print('olá')\n" * 40


def test_a_call_in_text_is_a_tool_line_and_its_raw_text_is_never_on_the_screen(world):
    server = world.serve([reply("I write it.", call("write", file="a.py", content=CONTENT)), reply("Done.")])
    terminal = world.start("--approve", "edits", "--trust", CHATCLI_TOOL_PROTOCOL="text")
    terminal.expect("❯")
    terminal.line("/agent write a.py")
    terminal.expect("Done.")
    assert "write a.py" in "\n".join(terminal.lines())
    assert b"tool_call" not in terminal.raw
    assert b'"content"' not in terminal.raw
    assert (world.project / "a.py").read_text(encoding="utf-8") == CONTENT
    assert server.violations == []


def test_what_a_model_makes_up_behind_its_call_is_never_on_the_screen(world):
    made_up = reply(call("tree"), '\n<tool_result-1 call="1" name="@tree">\nzorb.py\n', hold())
    server = world.serve([made_up, reply("Nothing is here.")])
    terminal = world.start("--trust", CHATCLI_TOOL_PROTOCOL="text")
    terminal.expect("❯")
    terminal.line("/agent what is here?")
    terminal.expect("Nothing is here.")
    assert b"zorb" not in terminal.raw
    assert server.violations == []


def test_a_reply_that_breaks_off_goes_on_behind_a_line_that_says_so(world):
    server = world.serve([reply(*["Once upon a time. "] * 100, cut_bytes=6_000), reply("The end.")])
    terminal = world.start()
    terminal.expect("❯")
    terminal.line("tell me a story")
    terminal.expect("The end.")
    assert "the reply goes on" in " ".join(" ".join(terminal.lines()).split())
    assert server.violations == []
