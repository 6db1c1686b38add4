"""One session is the same bytes whatever process goes on with it: another hash seed, another language."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.harness.driver import Place
from tests.wire.script import Call, call, reply
from tests.wire.seen import Seen
from tests.wire.server import WireServer, serve

LINE = "{n:05d} uma linha comprida — and some English, 文字, in it\n"
READS = [call("read", file=f"{n}.txt") for n in range(3)] + [call("exec", command="seq 1 9000")]
BEGINS = [
    reply("All.", *READS),
    *(reply(call("read", file="2.txt", start=n, end=n + 9), rewrite=True) for n in range(5)),
    reply("Read.", rewrite=True),
]
"""Long enough for results to be shortened when they come, and again for their age."""
GOES_ON = [
    reply(Call(name="read", arguments={"file": "0.txt", "start": 3, "end": 9}, id="toolu_again")),
    reply("Again."),
]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place.make(tmp_path / "place")
    for number in range(3):
        text = "".join(LINE.format(n=number * 1_000 + n) for n in range(300 * (number + 1)))
        (made.project / f"{number}.txt").write_text(text, encoding="utf-8")
    (made.project / "AGENTS.md").write_text("Speak of ações first.\n", encoding="utf-8")
    return made


def go_on(place: Place, wire: str, server: WireServer, seed: str, locale: str, *arguments: str) -> list[Seen]:
    """The requests of one run by a process with this seed and this locale."""
    before = len(server.exchanges)
    other = {"PYTHONHASHSEED": seed, "LANG": locale, "LC_ALL": locale}
    environment = {**place.environment(wire, server), **other}
    finished = place.run(environment, *arguments, "--approve", "all", "--trust")
    assert finished.code == 0, finished.err
    return [exchange.seen for exchange in server.exchanges[before:] if exchange.seen]


def sent(seen: list[Seen]) -> list[str]:
    """The bodies, with their keys in the order in which they came."""
    return [json.dumps(request.body, ensure_ascii=False) for request in seen]


@pytest.mark.parametrize("wire", ["anthropic", "ollama"])
def test_two_processes_go_on_with_one_session_in_the_same_bytes(place: Place, wire: str) -> None:
    with serve(BEGINS) as server:
        go_on(place, wire, server, "1", "C.UTF-8", "-p", "/agent read them")
        assert server.violations == []
        kept = shutil.copytree(place.home, place.root / "kept")
        server.play(GOES_ON)
        one = go_on(place, wire, server, "7", "pt_BR.UTF-8", "-p", "/agent again", "--continue")
        assert server.violations == [], "it extends what was sent before, byte for byte"
    shutil.rmtree(place.home)
    kept.rename(place.home)
    with serve(GOES_ON) as another:
        other = go_on(place, wire, another, "4242", "C", "-p", "/agent again", "--continue")
    assert len(one) == len(other) == 2
    assert sent(one) == sent(other)
    assert all(text in sent(one)[0] for text in ("uma linha comprida", "<<ccr:", "ações"))


def test_two_processes_begin_a_session_in_the_same_bytes_where_the_language_is_the_same(place: Place) -> None:
    first = []
    for seed, locale in (("1", "C.UTF-8"), ("4242", "en_US.UTF-8")):
        with serve([reply("Hello.")]) as server:
            (seen,) = go_on(place, "ollama", server, seed, locale, "-p", "hello")
            first.append(json.dumps(seen.body, ensure_ascii=False))
    assert first[0] == first[1]
