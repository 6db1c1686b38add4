"""A session with garbage in its file: told, repaired and gone on with, by the command itself."""

from __future__ import annotations

import pytest

from tests.harness.driver import PROVIDERS, Finished, Place
from tests.wire.script import Script, call, reply
from tests.wire.server import serve

TALK: Script = [reply("I look. ", call("read", file="a.py")), reply("It sets x.")]


@pytest.fixture
def place(tmp_path) -> Place:
    made = Place.make(tmp_path / "place")
    (made.project / "a.py").write_text("x = 1\n", encoding="utf-8")
    return made


def lines_of(place: Place, kind: str) -> list[int]:
    """Where entries stand whose line holds this text."""
    lines = journal(place).read_bytes().splitlines()
    return [number for number, line in enumerate(lines) if kind.encode() in line]


def journal(place: Place):
    (path,) = place.home.glob("sessions/*/journal.jsonl")
    return path


@pytest.mark.parametrize("wire", PROVIDERS)
@pytest.mark.parametrize("kind", ['"message":{"type":"user"', '"type":"tool_call"', '"type":"tool_result"'])
def test_a_damaged_session_is_repaired_and_accepted_by_the_service(
    place: Place, wire: str, kind: str
) -> None:
    with serve(TALK) as server:
        environment = place.environment(wire, server)
        assert place.run(environment, "-p", "/agent what is in a.py?").code == 0
        path = journal(place)
        session_id = path.parent.name
        lines = path.read_bytes().splitlines()
        number = lines_of(place, kind)[0]
        lines[number] = b"\0" * len(lines[number])
        path.write_bytes(b"\n".join(lines) + b"\n")

        refused = place.run(environment, "-p", "and now?", "--resume", session_id)
        assert (refused.code, refused.out) == (6, "")
        assert f"line {number + 1}: cannot be read" in refused.err
        assert f"chatcli sessions repair {session_id} opens what is intact." in refused.err

        repaired: Finished = place.run(environment, "sessions", "repair", session_id)
        assert (repaired.code, repaired.err) == (0, "")
        assert (
            f"1 line cannot be read: {number + 1}.\n1 entry is lost, {len(lines) - 1} are kept."
            in repaired.out
        )
        assert (path.parent / "damaged-1.jsonl").exists()

        server.play([reply("Still here.")])
        resumed = place.run(environment, "-p", "/agent and now?", "--resume", session_id)
        assert (resumed.code, resumed.out) == (0, "Still here.\n")
        seen = server.exchanges[-1].seen
        assert seen is not None
        assert "a part of this session's record was damaged" in str(seen)
    # What was sent before is no longer the same: that alone is broken, and has to be.
    assert {violation.rule for violation in server.violations} <= {"same_prefix"}


def test_there_is_nothing_to_repair_in_a_whole_session(place: Place) -> None:
    with serve(TALK) as server:
        environment = place.environment("ollama", server)
        place.run(environment, "-p", "/agent what is in a.py?")
        repaired = place.run(environment, "sessions", "repair", journal(place).parent.name[-6:])
    assert (repaired.code, repaired.err) == (0, "")
    assert repaired.out.startswith("Nothing to repair: all of ")
