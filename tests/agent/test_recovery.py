"""A window that is full: room is made, nothing is lost, and what was asked for stays asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatcli.context.pairing import PairingReport, ensure_tool_result_pairing
from chatcli.errors import ContextOverflow
from chatcli.messages import ToolResult
from tests.wire.exchange import Exchange
from tests.wire.script import Answer, call, overflow, reply, status
from tests.wire.seen import Seen

SUMMARY = "## Task\nRead the files.\n## Files read\n0.py to 5.py\n## Next steps\nRead the others."
WIRES = {
    "anthropic": {"wire": "CLAUDEAI"},
    "responses": {"wire": "OPENAI", "variables": {"OPENAI_USE_RESPONSES": "true"}},
    "chat": {"wire": "OPENAI"},
    "ollama": {"wire": "OLLAMA"},
    "anthropic in text": {"wire": "CLAUDEAI", "variables": {"CHATCLI_TOOL_PROTOCOL": "text"}},
}
SAYING_SO = ["anthropic", "responses", "chat"]
"""Ollama has no code for it: there a request is known to be too long by its size alone."""
LINE = "    name, size = entry.name, entry.size_bytes\n"


@pytest.fixture
def files(project: Path) -> Path:
    """Forty of 12,000 chars, too long to be left alone when they are old, and forty of 2,500."""
    for number in range(40):
        (project / f"{number}.py").write_text(f"# {number}\n" + LINE * 260, encoding="utf-8")
        (project / f"small{number}.py").write_text(f"# {number}\n" + LINE * 54, encoding="utf-8")
    return project


def is_side_call(seen: Seen) -> bool:
    return "under exactly these headings" in seen.user_texts[-1]


class Reader:
    """A model that reads one file a turn and sums up when it is asked to.

    `faults` are what the service answers instead, by the number of the request from 0.
    """

    def __init__(
        self, turns: int, faults: dict[int, Answer] | None = None, name: str = "{n}.py", **how: bool
    ) -> None:
        self.turns = turns
        self.requests = 0
        self._faults = faults or {}
        self._read = 0
        self._name = name
        self._how = how

    def __call__(self, seen: Seen) -> Answer:
        number, self.requests = self.requests, self.requests + 1
        if number in self._faults:
            return self._faults[number]
        if is_side_call(seen):
            return reply(SUMMARY, side=True)
        if self._read == self.turns:
            return reply("All read.", **self._how)
        self._read += 1
        file = self._name.format(n=(self._read - 1) % 40)
        return reply("Next.", call("read", file=file), **self._how)


def narrow(window: int) -> dict:
    """A window of so many tokens, at the service and in the settings."""
    settings = (f"CHATCLI_CONTEXT_WINDOW={window}", f"CHATCLI_OLLAMA_NUM_CTX={window}")
    return {"assignments": settings, "server": {"window_tokens": window}}


def answered(exchanges: list[Exchange]) -> list[Seen]:
    return [exchange.seen for exchange in exchanges if exchange.seen and exchange.tally]


def _behind(seen: Seen, words: str) -> str:
    """What the user said in the request behind these words."""
    return "\n".join(seen.user_texts).partition(words)[2]


def nothing_is_lost(talk) -> None:
    """Every result can be opened, every call has its result, and the view says the same."""
    session = talk.conversation.session
    for message in session.transcript:
        if isinstance(message, ToolResult):
            assert session.archive.text(message.original)
    assert ensure_tool_result_pairing(session.transcript)[1] == PairingReport()


@pytest.mark.parametrize("wire", WIRES)
async def test_an_overflow_first_shortens_what_is_old(talk, files, wire):
    script = Reader(9, {8: overflow()}, rewrite=True)
    async with talk(script, **WIRES[wire]) as t:
        assert (await t.conversation.run("Read all files.")).text == "All read."
        session = t.conversation.session
        assert session.compactions == []
        assert {p.kind for p in session.shown.values()} >= {"summary", "whole"}
        assert script.requests == 9 + 1 + 1
        nothing_is_lost(t)


@pytest.mark.parametrize("wire", SAYING_SO)
async def test_when_nothing_old_is_long_the_model_sums_up_and_reads_the_cache_for_it(talk, files, wire):
    script = Reader(12, {10: overflow()}, "small{n}.py", rewrite=True)
    async with talk(script, **WIRES[wire]) as t:
        assert (await t.conversation.run("Read all small files, please.")).text == "All read."
        session, exchanges = t.conversation.session, t.server.exchanges
        side = exchanges[11]
        assert is_side_call(side.seen)
        assert side.tally.read > 0.8 * side.tally.prompt
        assert [record.purpose for record in session.usage].count("summary") == 1
        (compaction,) = session.compactions
        assert (compaction.reason, compaction.summary) == ("overflow", SUMMARY)
        assert compaction.after_tokens < 0.6 * compaction.before_tokens
        after = exchanges[12].seen
        assert SUMMARY in after.user_texts[0]
        assert "Read all small files, please." in _behind(after, "Summary:")
        assert len(after.results) < len(exchanges[11].seen.results)
        nothing_is_lost(t)


@pytest.mark.parametrize("wire", SAYING_SO)
async def test_when_that_fails_too_the_task_and_the_last_turn_are_kept(talk, files, wire):
    faults = {10: overflow(), 11: overflow()}
    async with talk(Reader(12, faults, "small{n}.py", rewrite=True), **WIRES[wire]) as t:
        assert (await t.conversation.run("Read all small files, please.")).text == "All read."
        after = t.server.exchanges[12].seen
        assert len(after.results) == 1
        assert "From the record, what was called" in after.user_texts[0]
        assert "small3.py" in after.user_texts[0]
        assert "Read all small files, please." in _behind(after, "Summary:")
        nothing_is_lost(t)


async def test_a_service_that_always_refuses_is_asked_at_most_three_times_more(talk, files):
    faults = {number: overflow() for number in range(10, 99)}
    script = Reader(12, faults, rewrite=True)
    async with talk(script, wire="CLAUDEAI") as t:
        with pytest.raises(ContextOverflow, match="nothing is left to shorten"):
            await t.conversation.run("Read all files.")
        main_lane = [e for e in t.server.exchanges[10:] if not (e.seen and is_side_call(e.seen))]
        assert len(main_lane) <= 1 + 3
        nothing_is_lost(t)


async def test_a_system_prompt_that_alone_does_not_fit_is_diagnosed_before_anything_is_sent(talk):
    flags = {"assignments": ("CHATCLI_CONTEXT_WINDOW=900",)}
    async with talk([reply("never")], wire="CLAUDEAI", **flags) as t:
        with pytest.raises(ContextOverflow, match="system prompt and the tools alone"):
            await t.conversation.run("hello")
        assert t.server.exchanges == []


async def test_the_same_is_told_when_only_the_service_knows_its_window(talk):
    async with talk([overflow(), reply("never")], wire="CLAUDEAI") as t:
        with pytest.raises(ContextOverflow, match="system prompt and the tools alone"):
            await t.conversation.run("hello")
        assert len(t.server.exchanges) == 1


@pytest.mark.parametrize("wire", WIRES)
async def test_a_window_that_is_nearly_full_is_not_waited_for(talk, files, wire):
    window = 9_000
    script = Reader(16, None, "small{n}.py", rewrite=True)
    async with talk(script, **WIRES[wire], **narrow(window)) as t:
        assert (await t.conversation.run("Read all small files, please.")).text == "All read."
        exchanges = t.server.exchanges
        assert all(exchange.status == 200 for exchange in exchanges)
        compaction, *_ = t.conversation.session.compactions
        assert (compaction.reason, compaction.summary) == ("pressure", SUMMARY)
        (at, *_) = [e.number for e in exchanges if is_side_call(e.seen)]
        assert exchanges[at].tally.read > 0.8 * exchanges[at].tally.prompt
        assert "Read all small files, please." in _behind(exchanges[at + 1].seen, "Summary:")
        nothing_is_lost(t)


async def reads_without_an_overflow(talk, wire: str, turns: int) -> None:
    window = 20_000
    async with talk(Reader(turns - 1, rewrite=True), **WIRES[wire], **narrow(window), max_turns=turns) as t:
        assert (await t.conversation.run("Read all files.")).text == "All read."
        assert all(exchange.status == 200 for exchange in t.server.exchanges)
        assert max(seen.prompt_tokens for seen in answered(t.server.exchanges)) <= window
        assert len(t.conversation.session.compactions) <= turns / 5
        assert "Read all files." in "\n".join(t.server.exchanges[-1].seen.user_texts)
        nothing_is_lost(t)


@pytest.mark.parametrize("wire", ["anthropic", "ollama"])
async def test_a_long_run_never_overflows(talk, files, wire):
    """One prompt, many turns: the window is watched before every request, not between runs."""
    await reads_without_an_overflow(talk, wire, turns=50)


@pytest.mark.soak
@pytest.mark.parametrize("wire", WIRES)
async def test_a_run_of_two_hundred_turns_never_overflows(talk, files, wire):
    await reads_without_an_overflow(talk, wire, turns=200)


async def test_one_turn_that_is_longer_than_the_window_is_squeezed(talk, files):
    batch = reply("All at once.", *(call("read", file=f"{n}.py") for n in range(8)))
    async with talk([batch, reply("Read.")], **narrow(16_000)) as t:
        assert (await t.conversation.run("Read eight files.")).text == "Read."
        results = t.server.exchanges[1].seen.results
        assert len(results) == 8
        assert all("@recall <<ccr:" in result.text for result in results)
        nothing_is_lost(t)


async def test_a_summary_that_is_no_shorter_is_not_taken(talk, files):
    long = reply("## Task\n" + "and so on\n" * 9_000, side=True)
    script = Reader(12, {10: overflow(), 11: long}, "small{n}.py", rewrite=True)
    async with talk(script, wire="CLAUDEAI") as t:
        assert (await t.conversation.run("Read all small files.")).text == "All read."
        (compaction,) = t.conversation.session.compactions
        assert compaction.after_tokens < compaction.before_tokens


async def test_the_size_of_a_side_call_is_not_the_size_of_the_conversation(talk, files):
    """Else the request after a summary would be held for too long, and summed up again."""
    script = Reader(12, {10: overflow()}, "small{n}.py", rewrite=True)
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("Read all small files.")
        (summary,) = [r for r in t.conversation.session.usage if r.purpose == "summary"]
        assert t.conversation.context_tokens < summary.usage.context
        assert len(t.conversation.session.compactions) == 1


async def test_a_body_that_is_too_large_for_what_stands_in_between_is_made_smaller(talk, files):
    """A proxy in front of the service has a limit of its own: 413."""
    async with talk(Reader(12, {10: status(413)}, rewrite=True), wire="CLAUDEAI") as t:
        assert (await t.conversation.run("Read all files.")).text == "All read."
        nothing_is_lost(t)


async def test_words_about_a_full_window_are_no_full_window(talk, files):
    """Only what the service calls by its code is: prose in another error costs nobody his history."""
    told = status(
        429, "the token limit of 413 per minute was exceeded: maximum context", retry_after_seconds=0
    )
    async with talk(Reader(6, {4: told}), wire="CLAUDEAI") as t:
        assert (await t.conversation.run("Read all files.")).text == "All read."
        assert t.conversation.session.compactions == []
        assert all(p.kind == "whole" for p in t.conversation.session.shown.values())
