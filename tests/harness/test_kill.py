"""SIGKILL at random moments: whatever was said or done before is still there, and accepted.

A session is killed several times in a row, then brought to its end. Its work leaves traces outside:
each command appends its own name to a file. So three witnesses are compared: the file, the journal
and archive on disk, and what the strict server sees in the next request.

`pytest -m soak tests/harness` is the long run, of `CHATCLI_SOAK_KILLS` kills.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from tests.harness.disk import OnDisk, read_sessions
from tests.harness.driver import Place, finish
from tests.wire.script import Reply, call, reply, think
from tests.wire.seen import Seen
from tests.wire.server import WireServer, serve

KILLS_A_SESSION = 5
TURNS = 10
OTHER_WIRES = ("anthropic", "responses", "chat", "openrouter")
FIRST_SOAK_SEED = 1000
SOAK_KILLS = int(os.environ.get("CHATCLI_SOAK_KILLS", "1000"))


def work(seen: Seen) -> Reply:
    """Each turn reads, leaves a trace with a command, and writes a file."""
    turn = seen.assistant_turns
    if turn >= TURNS:
        return reply(f"All done after {len(seen.results)} results.")
    return reply(
        think(f"Turn {turn}."),
        *(f"Step {turn}, ", "olá ", "mundo. "),
        call("read", file="notes.txt", head=turn + 1),
        call("exec", command=f"echo trace-{turn} >> traces.txt; echo made {turn}"),
        call("write", file=f"made-{turn}.txt", content=f"made in turn {turn}\n" * 20),
        pace_seconds=0.002,
    )


def make_place(folder: Path) -> Place:
    place = Place.make(folder)
    (place.project / "notes.txt").write_text("".join(f"line {i}\n" for i in range(30)), encoding="utf-8")
    return place


def kill_somewhere(
    process: subprocess.Popen[bytes], server: WireServer, chance: random.Random, first: int
) -> bool:
    """Kill the command: at any time, or shortly after the server got one of its first requests.

    False when it came to its end before.
    """
    wanted = first + chance.randrange(1, 5)
    if chance.random() < 0.7:
        server.wait_for(lambda s: len(s.exchanges) >= wanted or process.poll() is not None)
        delay_seconds = chance.uniform(0, 0.12)
    else:
        delay_seconds = chance.uniform(0, 1.0)
    try:
        process.wait(timeout=delay_seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def check_nothing_lost(before: OnDisk, seen: Seen) -> None:
    """`before` is what was on disk after a kill, `seen` the request that came next."""
    assert all(text in "\n".join(seen.user_texts) for text in before.user_texts)
    assert list(seen.assistant_texts) == before.assistant_texts
    assert [(c.name, c.arguments) for c in seen.calls] == [(c.name, c.arguments) for c in before.calls]
    for known, shown in zip(before.calls, seen.results, strict=True):
        if known.result:
            assert shown.text == known.result.text
        else:
            assert ("interrupted" if known.started else "cancelled") in shown.text


def check_traces(place: Place) -> None:
    """Whatever a command did, its call was on disk before, and no command ran twice."""
    file = place.project / "traces.txt"
    traces = file.read_text(encoding="utf-8").split() if file.exists() else []
    commands = [str(c.arguments) for s in read_sessions(place.home) for c in s.calls if c.started]
    assert len(set(traces)) == len(traces)
    assert all(any(f"{trace} " in command for command in commands) for trace in traces)


def live_through(place: Place, seed: int, wire: str) -> int:
    """One session with its kills and its end. Returns how many kills hit a running process."""
    chance = random.Random(seed)
    with serve(work) as server:
        kills = sum(go_on(place, server, wire, chance) for _ in range(KILLS_A_SESSION))
        go_on(place, server, wire, None)
        assert server.violations == []
    [session] = read_sessions(place.home)
    assert session.assistant_texts[-1].startswith("All done after")
    assert all(call.result for call in session.calls)
    assert list(place.tmp.iterdir()) == []
    return kills


def go_on(place: Place, server: WireServer, wire: str, chance: random.Random | None) -> bool:
    """Go on with the session, if there is one; then compare what the server saw with the disk.

    True when it was killed; without a `chance` it is left to come to its end.
    """
    before = read_sessions(place.home)
    first = len(server.exchanges)
    arguments = ["-p", f"/coder go on ({first})", "--approve", "all", "--set", "CHATCLI_AGENT_EARLY_EXIT=off"]
    arguments += ["--continue"] if before else []
    process = place.start(place.environment(wire, server), *arguments)
    killed = chance is not None and kill_somewhere(process, server, chance, first)
    finished = finish(process)
    assert killed or finished.code == 0, finished.err
    if before and len(server.exchanges) > first and (seen := server.exchanges[first].seen):
        check_nothing_lost(before[-1], seen)
    check_traces(place)
    return killed


@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_session_goes_on_and_has_lost_nothing(tmp_path, seed):
    assert live_through(make_place(tmp_path / "place"), seed, "ollama") > 0


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_a_thousand_kills_lose_nothing(tmp_path):
    kills, seed = 0, FIRST_SOAK_SEED
    while kills < SOAK_KILLS:
        wire = OTHER_WIRES[seed // 10 % len(OTHER_WIRES)] if seed % 10 == 0 else "ollama"
        kills += live_through(make_place(tmp_path / str(seed)), seed, wire)
        print(f"seed {seed} on {wire}: {kills} kills", flush=True)
        seed += 1
