"""Faults that users of terminal agents have reported, where it takes a conversation to show them.

Those of single stages stand in tests/context/test_reported_faults.py.
"""

from __future__ import annotations

import re

from chatcli.messages import ToolResult
from tests.wire.script import by_turn, call, reply
from tests.wire.seen import Seen
from tests.wire.server import serve

MIB = 1 << 20
SECRET = "the key of the vault is under the third stone"
THREE_MIB_WITH_A_SECRET_AT_TWO = f"""
import sys
line = "nothing to see in this line of the log\\n"
sys.stdout.write((line * (2 * {MIB} // len(line) + 1))[:2 * {MIB} - 1] + "\\n")
sys.stdout.write("{SECRET}\\n")
sys.stdout.write((line * ({MIB} // len(line) + 1))[:{MIB} - 1] + "\\n")
"""
NUMBERED = "".join(f"{n:05d} a line of a file that is long enough to grow old\n" for n in range(300))


def key_in(text: str) -> str:
    return re.findall(r"<<ccr:([0-9a-f]{16})>>", text)[0]


def first_result(t) -> ToolResult:
    return next(m for m in t.conversation.session.transcript if isinstance(m, ToolResult))


async def test_a_line_in_the_middle_of_three_mebibytes_is_counted_and_found(talk, project):
    """Elsewhere 1 MiB was captured, the rest dropped uncounted, and the notice was a constant."""
    (project / "print.py").write_text(THREE_MIB_WITH_A_SECRET_AT_TWO, encoding="utf-8")

    def look_for_it(seen: Seen):
        assert SECRET not in seen.last_result
        return reply(call("recall", keys=[key_in(seen.last_result)], grep="vault"))

    script = [reply(call("exec", command="python3 print.py")), look_for_it, reply("Found.")]
    async with talk(script, autonomy="all") as t:
        await t.conversation.run("run it")
        result = first_result(t)
        assert result.original.omitted_bytes == 0
        with t.conversation.session.archive.open(result.original) as file:
            stored = file.read()
        assert stored.startswith(b"nothing to see")
        assert stored.index(SECRET.encode()) == 2 * MIB
        assert len(stored) == result.original.size_bytes > 3 * MIB
        (marker,) = re.findall(r"(\d+) chars omitted, (\d+) kept", t.server.exchanges[1].seen.last_result)
        assert sum(map(int, marker)) == len(stored)
        assert f":{SECRET}\n" in t.server.exchanges[2].seen.last_result


async def test_old_results_are_shortened_while_the_loop_runs(talk, project):
    """Elsewhere the stage existed and was never called."""
    for n in range(8):
        (project / f"{n}.txt").write_text(f"{n}\n{NUMBERED}", encoding="utf-8")
    steps = [reply(call("read", file=f"{n}.txt"), rewrite=True) for n in range(8)]
    async with talk(by_turn(*steps, reply("Done.", rewrite=True)), wire="OLLAMA") as t:
        await t.conversation.run("read them")
        last = t.server.exchanges[-1].seen.results
        assert last[0].text.startswith("[Old tool result cleared — ")
        assert last[-1].text.endswith(NUMBERED[-60:])


async def test_what_was_recalled_is_not_shortened_again_in_its_turn(talk, project):
    """Elsewhere it was compressed once more, so that the model recalled it again and again."""
    lines = "".join(f"{n:05d} of a long listing\n" for n in range(1, 20_001))
    (project / "long.txt").write_text(lines, encoding="utf-8")

    def recall(seen: Seen):
        return reply(call("recall", keys=[key_in(seen.last_result)], lines="1-1000"))

    script = [reply(call("exec", command="cat long.txt")), recall, reply("Seen.")]
    async with talk(script, autonomy="all") as t:
        await t.conversation.run("read it")
        shown = t.server.exchanges[2].seen.last_result
        assert shown.endswith(lines[: 1_000 * 24])
        assert len(shown) > 20_000, "longer than a result may be that was not asked for verbatim"


async def test_another_process_recalls_what_was_archived(talk, project):
    """Elsewhere the index was in the memory of the process that had stored it."""
    (project / "long.txt").write_text(NUMBERED * 9, encoding="utf-8")
    with serve([]) as server:
        async with talk(
            [reply(call("exec", command="cat long.txt")), reply("Read.")], at=server, autonomy="all"
        ) as t:
            await t.conversation.run("read it")
            known = t.conversation.session.id
            key = first_result(t).original.key
        script = [reply(call("recall", keys=[f"ccr:{key}"], lines="3-3")), reply("There.")]
        async with talk(script, at=server, resume=known) as t:
            await t.conversation.run("look again")
            assert NUMBERED.splitlines()[2] in server.exchanges[-1].seen.last_result
