"""Eight processes write at once and are killed in between: nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chatcli.memory.store import Memory

WRITERS = 8
_WRITER = """
import sys
from pathlib import Path
from chatcli.memory.fact import Fact
from chatcli.memory.store import Memory
home, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
memory = Memory(home)
known = {fact.text: fact for fact in memory.facts()}
for number in range(count):
    text = f"Writer {name} has noted thing number {number} here."
    if text in known or f"Changed: {text}" in known or number % 10 == 7 and number in GONE:
        continue
    (fact,) = memory.add([Fact(text=text)])
    print("noted", number, flush=True)
    if number % 10 == 3:
        memory.change(fact.id, f"Changed: {text}")
        print("changed", number, flush=True)
    if number % 10 == 7:
        memory.forget([fact.id])
        print("forgotten", number, flush=True)
"""


def write(home: Path, name: int, count: int, gone: list[int], said: Path) -> subprocess.Popen:
    program = _WRITER.replace("GONE", json.dumps(gone))
    with said.open("a", encoding="utf-8") as file:
        return subprocess.Popen(
            [sys.executable, "-c", program, str(home), str(name), str(count)],
            stdout=file,
            stderr=subprocess.PIPE,
        )


def told(said: Path) -> dict[str, set[int]]:
    """What a writer was told is done, over all its lives."""
    done: dict[str, set[int]] = {"noted": set(), "changed": set(), "forgotten": set()}
    for line in said.read_text(encoding="utf-8").splitlines():
        what, _space, number = line.partition(" ")
        done[what].add(int(number))
    return done


def race(home: Path, place: Path, *, count: int, kills: int, seed: int) -> int:
    """All writers at once; some are killed at chance moments and started again, until all are done.

    How many were killed.
    """
    killed = 0
    chance = random.Random(seed)
    said = {name: place / f"{name}.txt" for name in range(WRITERS)}
    for path in said.values():
        path.touch()
    running = {name: write(home, name, count, [], said[name]) for name in said}
    while running:
        name, process = chance.choice(list(running.items()))
        try:
            process.wait(chance.uniform(0.01, 0.25) if killed < kills else 30)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
            process.wait()
            assert process.stderr is not None
            process.stderr.close()
            running[name] = write(home, name, count, sorted(told(said[name])["forgotten"]), said[name])
            continue
        _output, errors = process.communicate()
        assert process.returncode == 0, errors.decode()
        del running[name]
    check(home, said, count)
    return killed


def check(home: Path, said: dict[int, Path], count: int) -> None:
    memory = Memory(home)
    texts = [fact.text for fact in memory.facts()]
    assert len(texts) == len(set(texts))
    assert len({fact.id for fact in memory.facts()}) == len(texts)
    for name, path in said.items():
        done = told(path)
        for number in range(count):
            text = f"Writer {name} has noted thing number {number} here."
            if number in done["forgotten"]:
                assert text not in texts
            elif number in done["changed"]:
                assert f"Changed: {text}" in texts
                assert text not in texts
            else:
                assert texts.count(text) + texts.count(f"Changed: {text}") == 1
    memory.database.unlink()
    assert sorted(fact.text for fact in memory.facts()) == sorted(texts)
    document = memory.document.read_text(encoding="utf-8")
    assert all(text in document for text in texts)


def test_eight_writers_and_some_kills(tmp_path: Path) -> None:
    assert race(tmp_path / "home", tmp_path, count=10, kills=6, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(1_800)
def test_eight_writers_and_many_kills(tmp_path: Path) -> None:
    for seed in range(5):
        place = tmp_path / str(seed)
        place.mkdir()
        assert race(place / "home", place, count=100, kills=60, seed=seed) > 30
