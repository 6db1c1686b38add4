"""/context in a real terminal: the window is shown, results are dropped and pinned by their keys."""

from __future__ import annotations

import json

import pytest

from chatcli.terminal.cells import width_cells
from tests.terminal.conftest import World
from tests.wire.script import call, hold, reply

LINE = "    name, size = entry.name, entry.size_bytes\n"


def write_files(world: World, count: int = 4) -> None:
    for number in range(count):
        (world.project / f"{number}.py").write_text(f"# {number}\n" + LINE * (100 + 20 * number))


def reasons(world: World) -> list[str]:
    (path,) = world.home.rglob("journal.jsonl")
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    shown = [entry for entry in entries if entry["type"] == "shown"]
    return [decision["reason"] for entry in shown for decision in entry["decisions"]]


def keys(world: World) -> list[str]:
    (path,) = world.home.rglob("journal.jsonl")
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    return [message["original"]["key"] for message in messages if "original" in message]


def test_the_window_is_shown_and_results_are_dropped_pinned_and_released(world: World) -> None:
    write_files(world)
    reads = [call("read", file=f"{number}.py") for number in range(4)]
    world.serve(
        [
            reply(*reads),
            reply("All read."),
            lambda seen: reply("Gone: " + seen.results[0].text, rewrite=True),
        ]
    )
    terminal = world.prompt(columns=120, rows=60, CHATCLI_OLLAMA_NUM_CTX="32000")
    terminal.line("/context")
    terminal.expect("room is made past")
    terminal.line("/agent read")
    terminal.expect("All read.")
    terminal.line("/context")
    first, second, third, _last = keys(world)
    terminal.expect(first[:8])  # the smallest is listed last
    shown = terminal.text()
    for text in ("(estimated)", "(billed)", "■ results, whole", "core prompt", "fixed", "4 results, whole"):
        assert text in shown
    assert "read  shown whole · 1 turn old · may shrink" in shown

    terminal.line(f"/context drop <<ccr:{first.upper()}>>")
    terminal.expect("1 result is one line from now on")
    terminal.line(f"/context pin {second[:8]} {third[:8]}")
    terminal.expect("2 results stay as they are shown now")
    terminal.line(f"/context unpin {second[:8]}")
    terminal.expect("1 result may be shortened again.")
    terminal.line("/context")
    terminal.expect("turn old · pinned")
    assert "one line shown · 1 turn old" in terminal.text()
    assert reasons(world) == ["first"] * 4 + ["user", "pinned", "pinned", "released"]
    terminal.line("and now?")
    terminal.expect("Gone: [Old tool result cleared — 101 lines")
    assert world.server.violations == []


def test_another_process_knows_what_was_dropped_and_pinned(world: World) -> None:
    write_files(world, 2)
    world.serve([reply(call("read", file="0.py"), call("read", file="1.py")), reply("All read.")])
    terminal = world.prompt(columns=100, rows=60)
    terminal.line("/agent read")
    terminal.expect("All read.")
    first, second = keys(world)
    terminal.line(f"/context drop {first}")
    terminal.expect("one line from now on")
    terminal.line(f"/context pin {second}")
    terminal.expect("until you unpin it")
    terminal.line("/exit")
    assert terminal.end() == 0
    again = world.prompt("--continue", columns=100, rows=60)
    again.line("/context all")
    again.expect("pinned")
    assert f"{first[:8]}" in again.text()
    assert "one line shown · 1 turn old" in again.text()


def test_keys_are_completed_also_the_second_one(world: World) -> None:
    write_files(world, 2)
    world.serve([reply(call("read", file="0.py"), call("read", file="1.py")), reply("All read.")])
    terminal = world.prompt(columns=100)
    terminal.line("/agent read")
    terminal.expect("All read.")
    first, second = keys(world)
    terminal.send(f"/context drop {first[:6]}\t")
    terminal.expect(f"drop {first}")
    terminal.send(f" {second[:6]}\t")
    terminal.expect(f"drop {second}")


@pytest.mark.parametrize("given", ["drop", "drop 123", "drop zzzzzzzz", "eat 1234", "all 1234"])
def test_what_cannot_be_done_is_said(world: World, given: str) -> None:
    terminal = world.prompt(columns=120)
    terminal.line(f"/context {given}")
    terminal.expect("! ")


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_it_is_right_at_any_width_without_colours(world: World, columns: int) -> None:
    write_files(world)
    world.serve([reply(call("read", file="3.py")), reply("Read.")])
    terminal = world.prompt(columns=columns, rows=60, NO_COLOR="1", CHATCLI_OLLAMA_NUM_CTX="8000")
    terminal.line("/agent read")
    terminal.expect("Read.")
    terminal.line("/context")
    terminal.expect("shown")
    rows = terminal.text().splitlines()
    assert max(map(width_cells, rows)) <= columns
    assert sum(row.startswith(("▤ ▤", "■ ■", "· ·")) for row in rows) >= 3
    assert any("● replies and calls" in row for row in rows)


def test_while_the_agent_works_results_are_pinned_but_not_dropped(
    world: World,
) -> None:
    write_files(world, 1)
    world.serve([reply(call("read", file="0.py")), reply("Working on it", hold(), " and done.")])
    terminal = world.prompt(columns=100, rows=60)
    terminal.line("/agent read")
    terminal.expect("Working on it")
    (key,) = keys(world)
    terminal.line(f"/context drop {key}")
    terminal.expect("Dropping has to wait")
    terminal.line(f"/context pin {key}")
    terminal.expect("1 result stays as it is shown now")
    world.server.release()
    terminal.expect("and done.")
    assert reasons(world) == ["first", "pinned"]
