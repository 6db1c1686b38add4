"""/cost in a real terminal: what was spent, why something of the cache was lost, and files of it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.terminal.conftest import World
from tests.terminal.driver import Terminal
from tests.wire.script import Script, Tally, call, reply

LINES = "".join(f"{n:05d} a line of a file that is read again and again\n" for n in range(300))
HAIKU = "claude-haiku-5-5"


def claude(world: World, script: Script) -> None:
    (world.project / "long.txt").write_text(LINES)
    world.serve(script)
    world.environment |= {"LLM_PROVIDER": "CLAUDEAI"}


def say(terminal: Terminal, text: str, answer: str) -> None:
    terminal.line(text)
    terminal.expect(answer)
    terminal.expect("❯")


def test_each_cause_is_named_with_its_tokens_and_its_money(world: World) -> None:
    claude(
        world,
        [
            reply(call("read", file="long.txt", start=1, end=250)),
            reply("First."),
            reply("## Task\nIt was read.", side=True),
            reply("Second.", rewrite=True),
            reply("Third.", rewrite=True),
            reply("Fourth.", usage=Tally(plain=9_000)),
        ],
    )
    terminal = world.prompt(columns=40, rows=30)
    say(terminal, "/cost", "Nothing was sent yet.")
    say(terminal, "/agent read it", "First.")
    say(terminal, "/compact", "/compact undo")
    say(terminal, "and now?", "Second.")
    say(terminal, f"/model CLAUDEAI/{HAIKU}", HAIKU)
    say(terminal, "and then?", "Third.")
    say(terminal, "at last?", "Fourth.")
    terminal.line("/cost why")
    terminal.expect("nothing had changed")
    told = " ".join(" ".join(terminal.text().split("/cost why")[-1].split()).split("❯")[0].split())
    assert "3 requests lost what was cached: 1 rewrite on purpose" in told
    assert "which has saved ~$0.00" in told
    assert "1 that was to be expected" in told
    assert "1 unexpected" in told
    assert "r turn 3 · decided rewritten on purpose: the summary that you asked for" in told
    assert f"x turn 4 · expected another model: CLAUDEAI/claude-sonnet-5-5 → CLAUDEAI/{HAIKU}" in told
    assert "x turn 5 · not expected the service did not find it, though nothing had changed" in told
    assert told.count("more than reading them") == 3
    assert told.count("~$") == 7
    assert world.server.violations == []


def test_what_was_spent_is_told_again_after_a_resume_and_written_to_files(world: World) -> None:
    claude(world, [reply(call("read", file="long.txt")), reply("Read."), reply("Again.")])
    terminal = world.prompt(columns=100, rows=60)
    say(terminal, "/agent read it", "Read.")
    terminal.line("/exit")
    assert terminal.end() == 0
    terminal = world.prompt("--continue", columns=100, rows=60)
    say(terminal, "/cost", "estimated from the price list")
    text = terminal.text()
    assert "CLAUDEAI/claude-sonnet-5-5" in text
    assert "@read ×1" in text
    assert "░ read   █ written" in text
    assert "2 requests" in text
    say(terminal, "/cost --json cost.json", "Written to")
    found = json.loads((world.project / "cost.json").read_text())
    assert found["format"] == 1
    assert len(found["turns"]) == 2
    assert found["total"]["cost"]["sources"] == ["estimated"]
    terminal.line("/cost --json cost.json")
    terminal.expect("[y/N]")
    terminal.line("n")
    terminal.gone("[y/N]")
    say(terminal, "/cost --html", ".html")
    (page,) = world.project.glob("chatcli-cost-*.html")
    assert _starts_like_a_page(page)
    say(terminal, "/cost turns", "prompt")
    say(terminal, "/cost everything", "/cost, /cost why")
    terminal.line("/exit")
    terminal.end()


def _starts_like_a_page(path: Path) -> bool:
    return path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_at_the_cap_a_person_is_asked_and_may_go_on_or_stop(world: World) -> None:
    each = Tally(plain=1_000, read=90_000, output=1_000)  # 2.1 cents
    claude(
        world,
        [
            reply(call("read", file="long.txt", start=1, end=2), usage=each),
            reply(call("read", file="long.txt", start=1, end=3), usage=each),
            reply(call("read", file="long.txt", start=1, end=4), usage=each),
            reply("never", usage=each),
        ],
    )
    terminal = world.prompt("--max-cost", "0.03", columns=60)
    terminal.line("/agent read it")
    terminal.expect("a number, or your own words")
    assert "This session has cost $0.0210 of $0.03" in " ".join(terminal.text().split())
    terminal.line("1")
    terminal.gone("your own words")
    terminal.expect("exceed that.", count=2)
    terminal.expect("a number, or your own words")
    terminal.line("2")
    terminal.expect("Stopped: the limit of money is reached.")
    assert len(world.server.exchanges) == 2
    say(terminal, "/cost", "2 requests")
