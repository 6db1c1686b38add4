"""Typing: new lines, pastes, history, completion, keys."""

from __future__ import annotations

import base64

import pytest

from tests.providers.pictures import png
from tests.terminal.conftest import MODEL, World
from tests.wire.script import reply

PASTE = "\x1b[200~{}\x1b[201~"
CTRL_C, CTRL_R, ALT_ENTER, SHIFT_TAB, UP, TAB, ESCAPE = (
    "\x03",
    "\x12",
    "\x1b\r",
    "\x1b[Z",
    "\x1b[A",
    "\t",
    "\x1b",
)


def last_words(world: World) -> str:
    """What the model was told last."""
    seen = world.server.exchanges[-1].seen
    assert seen is not None
    return "\n".join(seen.user_texts)


def test_alt_enter_and_a_backslash_make_new_lines(world: World) -> None:
    world.serve([reply("All right.")])
    terminal = world.prompt()
    terminal.send("one" + ALT_ENTER)
    terminal.send("two\\\r")
    terminal.line("three")
    terminal.expect("All right.")
    assert "one\ntwo\nthree" in last_words(world)


def test_a_large_paste_is_one_word_until_it_is_sent(world: World) -> None:
    world.serve([reply("All right.")])
    terminal = world.prompt()
    text = "\r\n".join(f"line {number} – ação" for number in range(2_000))
    terminal.send("look: " + PASTE.format(text))
    terminal.expect("look: [pasted 2000 lines]")
    terminal.send("x\x7f\r")
    terminal.expect("All right.")
    assert text.replace("\r\n", "\n") in last_words(world)
    assert "line 1999" not in terminal.text()


def test_files_named_in_a_paste_do_not_go_along(world: World) -> None:
    (world.project / "secret.txt").write_text("the magic word is xyzzy")
    world.serve([reply("All right.")])
    terminal = world.prompt()
    terminal.send("/agent " + PASTE.format("see @secret.txt\n" * 10))
    terminal.expect("[pasted 11 lines]")
    terminal.line("")
    terminal.expect("All right.")
    assert "xyzzy" not in last_words(world)
    assert "❯ /agent [pasted 11 lines]" in terminal.text()


def test_a_pasted_placeholder_is_deleted_as_a_whole(world: World) -> None:
    terminal = world.prompt()
    terminal.send(PASTE.format("a\n" * 50))
    terminal.expect("[pasted 51 lines]")
    terminal.send("\x7f")
    terminal.gone("[pasted")


def test_a_small_paste_is_text_without_control_characters(world: World) -> None:
    terminal = world.prompt()
    terminal.send(PASTE.format("a\x1b[31mb\x07c"))
    terminal.expect("❯ a[31mbc")


def test_the_history_survives_and_can_be_searched(world: World) -> None:
    (world.home / "history").write_text('"first entry"\n"two\\nlines"\n', encoding="utf-8")
    terminal = world.prompt()
    terminal.send(UP)
    terminal.expect("❯ two")
    terminal.expect("lines")
    terminal.send(CTRL_C)
    terminal.gone("lines")
    terminal.send(CTRL_R + "firs")
    terminal.expect("❯ first entry")


def test_commands_and_files_are_completed(world: World) -> None:
    (world.project / "src").mkdir()
    (world.project / "src" / "módulo um.py").write_text("")
    (world.project / ".gitignore").write_text("hidden.log\n")
    (world.project / "hidden.log").write_text("")
    (world.project / ".git").mkdir()
    terminal = world.prompt()
    terminal.send("/perm")
    terminal.expect("what runs without asking")
    terminal.send(TAB)
    terminal.expect("❯ /permissions")
    terminal.send(CTRL_C)
    terminal.send("see @dulo")
    terminal.expect("src/módulo um.py")
    terminal.send(TAB)
    terminal.expect('❯ see @"src/módulo um.py"')
    terminal.send(CTRL_C)
    terminal.send("see @hid")
    terminal.expect("❯ see @hid")
    assert "hidden.log" not in terminal.text()


def test_shift_tab_cycles_through_the_levels_of_autonomy(world: World) -> None:
    terminal = world.prompt()
    for level in ("edits", "all", "plan", "ask"):
        terminal.send(SHIFT_TAB)
        terminal.expect(f"({level})")


def test_the_external_editor_gives_its_text_back(world: World) -> None:
    editor = world.home / "editor.sh"
    editor.write_text('#!/bin/sh\nprintf "\\nfrom the editor" >> "$1"\n')
    editor.chmod(0o700)
    terminal = world.prompt(EDITOR=str(editor), VISUAL="")
    terminal.send("draft")
    terminal.send("\x18\x05")
    terminal.expect("from the editor")
    terminal.expect("❯ draft")


@pytest.mark.parametrize("columns", [40, 120])
def test_wide_letters_are_edited_where_they_stand(world: World, columns: int) -> None:
    terminal = world.prompt(columns=columns)
    terminal.send("olá 中文 🎉")
    terminal.expect("❯ olá 中文 🎉")
    terminal.send("\x1b[D\x1b[DX")
    terminal.expect("文X 🎉")


def test_an_image_that_is_dropped_on_the_terminal_is_shown_to_the_model(world: World) -> None:
    shot = world.home.parent / "my shot.png"
    shot.write_bytes(png())
    (world.home / "settings.toml").write_text(f'[models."{MODEL}"]\nvision = true\n')
    world.serve([reply("A cat.")])
    terminal = world.prompt()
    terminal.send("what is" + PASTE.format(str(shot).replace(" ", "\\ ")))
    terminal.expect("❯ what is @")
    terminal.line("?")
    terminal.expect("A cat.")
    body = world.server.exchanges[-1].seen.body
    assert body["messages"][-1]["images"] == [base64.b64encode(png()).decode()]
