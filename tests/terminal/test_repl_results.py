"""/results in a real terminal: what was archived is listed, opened, copied and deleted."""

from __future__ import annotations

import json

import pytest

from tests.providers.pictures import png
from tests.terminal.conftest import World
from tests.tools.zoo import HTML, zoo
from tests.wire.script import call, reply

NUMBERS = "".join(f"{n}\n" for n in range(1, 9_001))


def journal(world: World) -> list[dict]:
    (path,) = world.home.rglob("journal.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def originals(world: World) -> list[bytes]:
    return [path.read_bytes() for path in world.home.glob("sessions/*/archive/*")]


def test_results_are_listed_copied_and_deleted(world: World) -> None:
    (world.project / "a.txt").write_text("a short file\n")
    world.serve(
        [
            reply(call("exec", command="seq 1 9000"), call("read", file="a.txt")),
            reply("Done."),
            lambda seen: reply("Gone: " + seen.results[0].text, rewrite=True),
        ]
    )
    terminal = world.prompt("--approve", "all", columns=150)
    terminal.line("/results")
    terminal.expect("No result yet.")
    terminal.line("/agent count")
    terminal.expect("Done.")
    terminal.line("/results")
    terminal.expect("until you leave")
    shown = terminal.text()
    assert "1. exec · 44K chars · 1 turn old · beginning and end shown ·" in shown
    assert "budget_" in shown
    assert "2. read · 13 chars · 1 turn old · shown whole ·" in shown
    assert "7 days after its last use" in shown

    terminal.line("/results copy 1 all.txt")
    terminal.expect("Copied to")
    copied = world.project / "all.txt"
    assert copied.read_text().startswith(NUMBERS)
    assert copied.stat().st_mode & 0o777 == 0o600
    terminal.line("/results copy 1 all.txt")
    terminal.expect("Replace it?")
    terminal.line("n")
    terminal.gone("Replace it?")

    terminal.line("/results delete 1")
    terminal.expect("for good?")
    terminal.line("n")
    terminal.gone("for good?")
    assert any(b"8999" in original for original in originals(world))
    terminal.line("/results delete 1")
    terminal.expect("for good?")
    terminal.line("y")
    terminal.expect("Deleted.")
    terminal.expect("is deleted with that one")
    assert all(b"8999" not in original for original in originals(world))
    assert [entry for entry in journal(world) if entry["type"] == "result_deleted"]
    assert not list(world.tmp.glob("chatcli-agent-*/tool-results/budget_*"))
    terminal.line("/results open 1")
    terminal.expect("not there any more")
    terminal.line("and now?")
    terminal.expect("Gone: [Tool result deleted by the user — 9001 lines")
    assert world.server.violations == []


@pytest.mark.parametrize("columns", [80, 40])
def test_a_narrow_terminal_loses_nothing_of_a_row(world: World, columns: int) -> None:
    world.serve([reply(call("exec", command="seq 1 9000")), reply("Done.")])
    terminal = world.prompt("--approve", "all", columns=columns)
    terminal.line("/agent count")
    terminal.expect("Done.")
    terminal.line("/results")
    terminal.expect("Originals stay")
    (file,) = world.tmp.glob("chatcli-agent-*/tool-results/budget_*")
    (result,) = (entry["message"] for entry in journal(world) if entry.get("message", {}).get("call_id"))
    shown = "".join(line.strip() + " " for line in terminal.text().splitlines())
    assert "1. exec · 44K chars · 1 turn old · beginning and end shown ·" in shown
    assert result["original"]["sha256"][:16] in shown
    assert file.name in shown.replace(" ", "")


def test_a_result_is_opened_in_the_pager_with_nothing_that_moves_the_cursor(world: World) -> None:
    (world.project / "odd.txt").write_bytes(b"before \x1b[2J after\n")
    world.serve([reply(call("read", file="odd.txt")), reply("Done.")])
    terminal = world.prompt(PAGER="cat")
    terminal.line("/agent look")
    terminal.expect("Done.")
    terminal.line("/results open 1")
    terminal.expect("before ␛[2J after")


def test_what_cannot_be_done_is_said(world: World) -> None:
    terminal = world.prompt(columns=120)
    for line in ("/results open 1", "/results eat 1", "/results open x"):
        terminal.line(line)
    terminal.expect("/results copy N FILE or /results delete N", count=3)


def test_a_copy_in_a_folder_ends_as_what_it_is_a_copy_of(world: World) -> None:
    (world.project / "a.png").write_bytes(png())
    (world.project / "notes.md").write_text("notes\n")
    (world.project / "seen").mkdir()
    world.serve([reply("A picture."), reply(call("exec", command="seq 3")), reply("Done.")])
    terminal = world.prompt("--approve", "all", columns=150)
    terminal.line("what are @a.png and @notes.md?")
    terminal.expect("A picture.")
    terminal.line("/agent count")
    terminal.expect("Done.")
    for number in (1, 2, 3):
        terminal.line(f"/results copy {number} seen")
        terminal.expect("Copied to", count=number)
    copies = {path.suffix: path.read_bytes() for path in (world.project / "seen").iterdir()}
    assert copies.pop(".txt").startswith(b"1\n2\n3\n")
    assert copies == {".png": png(), ".md": b"notes\n"}
    terminal.line("/results copy 3 ~nobody-of-this-name/x")
    terminal.expect("Cannot use")
    terminal.line("/cost --json seen")
    terminal.expect("Written to")
    assert len(list((world.project / "seen").glob("chatcli-cost-*.json"))) == 1


def test_deleting_a_page_deletes_the_file_that_was_saved_of_it_too(world: World) -> None:
    page = "<p>" + "the word is xyzzy-plugh. " * 800 + "</p>"
    with zoo() as web:
        web.pages["/private"] = (HTML, page.encode())
        world.serve(
            [
                reply(call("webfetch", url=web.url + "/private")),
                reply("Done."),
                reply(call("webfetch", url=web.url + "/private", filter="plugh"), rewrite=True),
                reply("Again."),
            ]
        )
        terminal = world.prompt("--allow", "network:127.0.0.1", columns=150)
        terminal.line("/agent read it")
        terminal.expect("Done.")
        assert list(world.tmp.glob("chatcli-agent-*/tool-results/webfetch_*"))
        terminal.line("/results delete 1")
        terminal.expect("for good?")
        terminal.line("y")
        terminal.expect("Deleted.")
        assert not list(world.tmp.glob("chatcli-agent-*/tool-results/webfetch_*"))
        assert all(b"xyzzy-plugh" not in original for original in originals(world))
        came = len(web.seen)
        terminal.line("once more")
        terminal.expect("Again.")
        assert len(web.seen) == came + 1, "nothing was kept of the page"
    assert world.server.violations == []


def test_an_attached_image_is_listed_as_what_it_is_and_can_be_copied(world: World) -> None:
    (world.project / "a.png").write_bytes(png())
    world.serve([reply("I cannot see it.")])
    terminal = world.prompt()
    terminal.line("what is @a.png ?")
    terminal.expect("I cannot see it.")
    terminal.line("/results")
    terminal.expect("a.png · image, 45 bytes")
    terminal.expect("attached")
    terminal.line("/results open 1")
    terminal.expect("/results copy N FILE")
    terminal.line("/results copy 1 b.png")
    terminal.expect("Copied to")
    assert (world.project / "b.png").read_bytes() == png()
