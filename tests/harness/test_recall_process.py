"""recall and code in the real command: what a marker names is opened, verbatim and unshortened."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.harness.driver import Place
from tests.wire.script import Answer, by_turn, call, reply
from tests.wire.seen import Seen
from tests.wire.server import serve

LINES = [f"line {i:05} of the long file" for i in range(1, 6_001)]


@pytest.fixture
def place(tmp_path) -> Place:
    made = Place.make(tmp_path / "place")
    (made.project / "long.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return made


def marker(seen: Seen) -> str:
    found = re.search(r"@recall (<<ccr:[0-9a-f]{16}>>)", seen.results[0].text)
    assert found, seen.results[0].text
    return found[1]


def recall_lines(seen: Seen) -> Answer:
    return reply(call("recall", keys=[marker(seen)], lines="2000-2900"))


def recall_match(seen: Seen) -> Answer:
    assert seen.last_result == "[lines 2000-2900 of 6001]\n" + "\n".join(LINES[1999:2900]) + "\n"
    return reply(call("@recall", key=marker(seen).strip("<>").upper(), grep="line 0543[21]"))


def tell(seen: Seen) -> Answer:
    return reply(seen.last_result, rewrite=True)


def test_a_long_result_is_opened_again_by_lines_and_by_search(place):
    script = by_turn(reply(call("exec", command="cat long.txt")), recall_lines, recall_match, tell)
    with serve(script) as server:
        environment = place.environment("ollama", server)
        finished = place.run(environment, "-p", "/agent read it", "--approve", "all")

    assert server.violations == []
    assert finished.code == 0
    assert "5431:line 05431 of the long file\n5432:line 05432 of the long file\n" in finished.out
    assert "[2 matching lines in 1 results]" in finished.out


def count(seen: Seen) -> Answer:
    script = f"print(sum(1 for line in lines('{marker(seen)}') if line.endswith('file')))"
    return reply(call("code", script=script))


SCRIPTED = by_turn(reply(call("exec", command="cat long.txt")), count, tell)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here")
def test_a_script_reads_the_original_in_the_sandbox(place):
    with serve(SCRIPTED) as server:
        finished = place.run(place.environment("ollama", server), "-p", "/agent count", "--approve", "all")
    assert server.violations == []
    assert finished.out == "6000\n"


def test_without_approval_no_script_runs(place):
    with serve(SCRIPTED) as server:
        finished = place.run(
            place.environment("ollama", server), "-p", "/agent count", "--allow", "exec:cat long.txt"
        )
    assert finished.code == 5
    assert "nobody is here to approve" in finished.out
