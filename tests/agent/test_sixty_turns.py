"""A long session by the books of the strict server, which sees nothing but the bytes of the requests.

`same_prefix` on that server is a violation unless a reply expects a rewrite; more than four breakpoints
always are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from chatcli.session.entries import UsageRecord
from tests.wire.exchange import Exchange
from tests.wire.script import Answer, call, reply, think
from tests.wire.seen import Seen
from tests.wire.server import serve

TURNS = 60
LINE = "    name, size = entry.name, entry.size_bytes\n"
CLAUDE_AT_OPENROUTER = {"wire": "OPENROUTER", "model": "anthropic/claude-sonnet-5.5"}
RESPONSES = {"wire": "OPENAI", "variables": {"OPENAI_USE_RESPONSES": "true"}}
WIRES = {
    "anthropic": {"wire": "CLAUDEAI"},
    "bedrock": {"wire": "BEDROCK"},
    "openrouter": CLAUDE_AT_OPENROUTER,
    "responses": {**RESPONSES, "server": {"bills_cache_writes": True}},
    "xai": {"wire": "XAI"},
    "anthropic in text": {"wire": "CLAUDEAI", "variables": {"CHATCLI_TOOL_PROTOCOL": "text"}},
}


@pytest.fixture
def files(project: Path) -> Path:
    for number in range(TURNS):
        lines = 40 + number * 37 % 90
        (project / f"{number}.py").write_text(f"# {number}\n" + LINE * lines, encoding="utf-8")
    return project


def working(turns: int, *, rewrite: bool) -> Callable[[Seen], Answer]:
    """Reads the files one by one, thinking before every third."""

    def script(seen: Seen) -> Answer:
        turn = seen.assistant_turns
        if turn >= turns:
            return reply("All read.", rewrite=rewrite)
        thought = [think(f"File {turn} next.")] if turn % 3 == 0 else []
        return reply(*thought, "Next.", call("read", file=f"{turn}.py"), rewrite=rewrite)

    return script


def scheduled(word: str) -> dict:
    return {"assignments": (f"CHATCLI_MICROCOMPACT_SCHEDULE={word}",), "max_turns": TURNS + 5}


def totals(records: Sequence[UsageRecord]) -> tuple[float, float]:
    """(share that was read, what was written or sent uncached as a multiple of the largest context)."""
    read = sum(record.usage.cache_read for record in records)
    fresh = sum(record.usage.input + record.usage.cache_write for record in records)
    return read / (read + fresh), fresh / max(record.usage.context for record in records)


def broken(exchanges: Sequence[Exchange]) -> list[int]:
    """The requests that did not repeat the one before."""
    prompts = [[segment.data for segment in exchange.seen.segments] for exchange in exchanges]
    pairs = enumerate(pairwise(prompts), start=1)
    return [number for number, (before, after) in pairs if after[: len(before)] != before]


@pytest.mark.parametrize("name", ["anthropic", "openrouter", "responses", "anthropic in text"])
async def test_without_rewrites_nearly_everything_is_read_and_written_once(talk, files, name):
    async with talk(working(TURNS, rewrite=False), **WIRES[name], **scheduled("off")) as t:
        assert (await t.conversation.run("Read all files.")).turns == TURNS + 1
        records = t.conversation.session.usage
        hit, factor = totals(records)
        assert hit >= 0.95
        assert factor <= 1.1
        assert [record.miss for record in records if record.miss] == []
        assert [e.tally.read for e in t.server.exchanges] == [record.usage.cache_read for record in records]


async def test_with_auto_every_break_is_a_recorded_rewrite_and_the_whole_costs_less(talk, files):
    usd = {}
    for schedule in ("off", "auto"):
        async with talk(working(TURNS, rewrite=True), wire="CLAUDEAI", **scheduled(schedule)) as t:
            finished = await t.conversation.run("Read all files.")
            usd[schedule] = finished.cost_usd
            misses = {n: r.miss for n, r in enumerate(t.conversation.session.usage) if r.miss}
            assert list(misses) == broken(t.server.exchanges)
            assert all(miss.cause == "rewrite" and miss.expected for miss in misses.values())
            assert bool(misses) == (schedule == "auto")
    assert usd["auto"] < usd["off"]


@pytest.mark.parametrize("name", ["anthropic", "bedrock", "openrouter"])
async def test_twelve_parallel_calls_three_times_over_lose_nothing(talk, project, name):
    twelve = [
        reply("All.", *(call("read", file="hello.py", start=1, end=turn * 12 + n + 1) for n in range(12)))
        for turn in range(3)
    ]
    async with talk([*twelve, reply("Done.")], **WIRES[name]) as t:
        await t.conversation.run("Read it again and again.")
        records = t.conversation.session.usage
        assert [record.miss for record in records if record.miss] == []
        for before, after in pairwise(records):
            assert after.usage.cache_read == before.usage.context


@pytest.mark.parametrize("name", WIRES)
async def test_a_resume_repeats_every_byte_and_goes_on(talk, files, name):
    options = WIRES[name]
    server_options = options.get("server", {})
    flags = {**{key: value for key, value in options.items() if key != "server"}, **scheduled("off")}
    with serve([], **server_options) as server:
        async with talk(working(8, rewrite=False), at=server, **flags) as t:
            await t.conversation.run("Read some.")
            known = t.conversation.session.id
        for words in ("Are you there?", "And now?"):
            async with talk([reply("Yes.")], at=server, resume=known, **flags) as t:
                await t.conversation.run(words)
                assert t.conversation.session.usage[-1].miss is None
    segments = [[segment.data for segment in e.seen.segments] for e in server.exchanges[-3:]]
    before, first, second = segments
    assert first[: len(before)] == before
    assert second[: len(first)] == first
