"""When a script of the model runs without a question, and what the question shows."""

from __future__ import annotations

import hashlib

import pytest

from chatcli.errors import Denied
from chatcli.gate.questions import Answer
from chatcli.gate.reasons import Reason
from chatcli.gate.sandbox import OPEN_NETWORK, Sandbox

SCRIPT = "print(len(result('0123456789abcdef')))\nprint('done')"
SEALED = Sandbox(tier="bubblewrap", program="/usr/bin/bwrap")
LEAKY = Sandbox(tier="landlock", gaps=(Reason(OPEN_NETWORK),))


async def test_the_question_shows_the_whole_script_and_its_digest(world, person) -> None:
    asked = person(Answer("once"))
    await world.gate(person=asked).script(SCRIPT, SEALED)
    (question,) = asked.asked
    assert (question.kind, question.subject) == ("command", SCRIPT)
    assert question.digest == hashlib.sha256(SCRIPT.encode()).hexdigest()
    assert question.reasons == ()


async def test_a_lasting_yes_covers_sandboxed_scripts_alone(world, person) -> None:
    asked = person(Answer("session"))
    gate = world.gate(person=asked)
    await gate.script(SCRIPT, SEALED)
    await gate.script("print(2)", SEALED)
    assert len(asked.asked) == 1
    assert str(asked.asked[0].rule) == "code:sandboxed"
    with pytest.raises(Denied):
        await gate.script(SCRIPT, LEAKY)
    assert asked.asked[1].rule is None


@pytest.mark.parametrize(
    ("autonomy", "sandbox", "questions"),
    [("ask", SEALED, 1), ("edits", SEALED, 1), ("all", SEALED, 0), ("ask", LEAKY, 1), ("all", LEAKY, 1)],
)
async def test_a_gap_asks_at_every_autonomy(world, person, autonomy: str, sandbox, questions: int) -> None:
    asked = person(Answer("once"))
    await world.gate(autonomy, person=asked).script(SCRIPT, sandbox)
    assert len(asked.asked) == questions
    assert all("cannot cut all network" in "".join(q.reasons) for q in asked.asked if sandbox is LEAKY)


async def test_without_anybody_a_sandboxed_script_needs_a_flag(world) -> None:
    with pytest.raises(Denied, match="--approve all or --allow code:sandboxed"):
        await world.gate("ask").script(SCRIPT, SEALED)
    with pytest.raises(Denied, match="nobody is here to approve") as caught:
        await world.gate("all").script(SCRIPT, LEAKY)
    assert "--allow" not in str(caught.value)
    await world.gate("plan", allow=["code:sandboxed"]).script(SCRIPT, SEALED)
