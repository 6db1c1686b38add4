"""Summing up by hand: words and plan survive, it can be undone, and a crash in the middle changes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from chatcli.agent.calls.results import list_results
from chatcli.agent.window import pin
from chatcli.context.pairing import PairingReport, ensure_tool_result_pairing
from chatcli.errors import AuthError
from tests.wire.script import call, hold, reply, status

PLAN = [{"text": "mend the parser", "state": "in_progress"}, {"text": "tell Ana", "state": "pending"}]
LINE = "    name, size = entry.name, entry.size_bytes\n"


@pytest.fixture
def files(project: Path) -> Path:
    for number in range(20):
        (project / f"{number}.py").write_text(f"# {number}\n" + LINE * 200, encoding="utf-8")
    return project


def run_of(*numbers: int) -> list:
    """A run that reads some files."""
    return [
        *(reply(call("read", file=f"{n}.py"), rewrite=True) for n in numbers),
        reply("Read.", rewrite=True),
    ]


def summed_up(text: str) -> object:
    return reply(f"## Task\n{text}\n## Next steps\nNone.", side=True)


def prompt(seen) -> str:
    return "\n".join((*seen.user_texts, *seen.assistant_texts))


async def test_two_compactions_keep_the_users_words_and_the_plan(talk, files):
    script = [
        reply(call("todo", items=PLAN)),
        *run_of(0, 1, 2),
        summed_up("First summary."),
        *run_of(3, 4, 5),
        summed_up("Second summary."),
        reply("Ready.", rewrite=True),
    ]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("Paint the bicycle shed\nin two colours.")
        assert (await t.conversation.compact("the colours")).summary.startswith("## Task\nFirst summary.")
        assert "the colours" in t.server.exchanges[5].seen.user_texts[-1]
        await t.conversation.run("And the door, please.")
        assert (await t.conversation.compact()).summary.startswith("## Task\nSecond summary.")
        await t.conversation.run("What is next?")
        last = prompt(t.server.exchanges[-1].seen)
        assert "Paint the bicycle shed\nin two colours." in last
        assert "And the door, please." in last
        assert "1. [in_progress] mend the parser\n2. [pending] tell Ana" in last
        assert "Second summary." in last
        assert "First summary." not in last
        assert "It is past: done, or overtaken" in last


async def test_the_side_call_repeats_all_that_was_sent_and_asks_at_the_end(talk, files):
    """The scripted server would call anything else a violation."""
    async with talk([*run_of(*range(6)), summed_up("Six files.")], wire="CLAUDEAI") as t:
        await t.conversation.run("Read six.")
        compaction = await t.conversation.compact()
        main, side = (exchange for exchange in t.server.exchanges[-2:])
        assert (side.seen.tools, side.seen.model) == (main.seen.tools, main.seen.model)
        assert side.tally.read >= 0.9 * main.tally.prompt
        assert side.tally.write == 0
        assert compaction.after_tokens < compaction.before_tokens / 2
        record = t.conversation.session.usage[-1]
        assert record.purpose == "summary"
        assert record.cost_usd > 0
        assert t.conversation.spent.requests == 8


async def test_what_is_due_for_a_rewrite_stays_as_it_was_sent_in_the_side_call(talk, files):
    """It would be sent anew, and no decision would say why."""
    eager = {"assignments": ("CHATCLI_MICROCOMPACT_SCHEDULE=eager",)}
    async with talk([*run_of(0, 1), summed_up("Two files.")], wire="CLAUDEAI", **eager) as t:
        await t.conversation.run("Read two.")
        await t.conversation.compact()
        main, side = (exchange for exchange in t.server.exchanges[-2:])
        assert side.seen.results[: len(main.seen.results)] == main.seen.results
        assert t.conversation.session.usage[-1].miss is None


async def test_it_is_undone_and_the_view_is_what_it_was(talk, files):
    script = [*run_of(*range(4)), summed_up("Four files."), *run_of(), *run_of()]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("Read four.")
        await t.conversation.compact()
        await t.conversation.run("Now?")
        assert t.conversation.undo_compaction()
        assert not t.conversation.undo_compaction()
        await t.conversation.run("And now?")
        before, compacted, after = (t.server.exchanges[number].seen for number in (4, 6, 7))
        assert len(compacted.results) < len(before.results)
        assert [r.call_id for r in after.results] == [r.call_id for r in before.results]
        assert "Four files." not in prompt(after)


async def test_a_resume_shows_what_was_shown_before(talk, files):
    async with talk([*run_of(*range(4)), summed_up("Four files."), *run_of()], wire="CLAUDEAI") as t:
        await t.conversation.run("Read four.")
        await t.conversation.compact()
        await t.conversation.run("Now?")
        known, before = t.conversation.session.id, t.server.exchanges[-1].seen
    async with talk(run_of(), wire="CLAUDEAI", resume=known) as t:
        await t.conversation.run("And now?")
        after = t.server.exchanges[-1].seen
        pairs = zip(before.segments, after.segments, strict=False)
        assert all(one.data == other.data for one, other in pairs)


async def test_where_there_is_little_nothing_is_summed_up(talk):
    async with talk([reply("Hi."), summed_up("Nothing. " * 200)], wire="CLAUDEAI") as t:
        assert await t.conversation.compact() is None
        await t.conversation.run("hello")
        assert await t.conversation.compact() is None
        assert len(t.server.exchanges) == 1


async def test_where_a_pin_keeps_all_of_it_no_summary_is_paid_for(talk, files):
    """All results came in one turn, so that one pin keeps them; what age would save is no merit of it."""
    script = [
        reply(*(call("read", file=f"{n}.py") for n in range(6)), rewrite=True),
        *(reply("Read.", rewrite=True) for _ in range(4)),
        summed_up("Six files."),
    ]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("Read six.")
        pinned = t.results()[0].seq
        assert pin(t.conversation.beside(), {pinned}, pinned=True) == 1
        for _ in range(3):
            await t.conversation.run("And?")
        assert await t.conversation.compact("the sizes") is None
        assert t.conversation.session.compactions == []
        assert len(t.server.exchanges) == 5


async def test_a_summary_that_is_as_long_as_the_rest_is_not_taken(talk, files):
    async with talk([*run_of(1, 2), summed_up("word " * 9_000)], wire="CLAUDEAI") as t:
        await t.conversation.run("Read two.")
        assert await t.conversation.compact() is None
        assert t.conversation.session.compactions == []


async def test_a_cancelled_summary_changes_nothing(talk, files):
    script = [*run_of(*range(4)), reply("## Task", hold(), side=True), *run_of()]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("Read four.")
        entries = len(t.conversation.session.transcript)
        compacting = asyncio.create_task(t.conversation.compact())
        await asyncio.to_thread(t.server.wait_for_state, "holding")
        assert t.conversation.cancel()
        assert await compacting is None
        session = t.conversation.session
        assert (session.compactions, len(session.transcript)) == ([], entries)
        assert ensure_tool_result_pairing(session.transcript)[1] == PairingReport()
        assert (await t.conversation.run("Now?")).text == "Read."


async def test_what_the_service_says_no_to_is_told(talk, files):
    async with talk([*run_of(*range(4)), status(401)], wire="CLAUDEAI") as t:
        await t.conversation.run("Read four.")
        with pytest.raises(AuthError):
            await t.conversation.compact()
        assert t.conversation.session.compactions == []


async def test_the_list_of_results_says_for_which_a_summary_stands(talk, files):
    async with talk([*run_of(*range(4)), summed_up("Four files.")], wire="CLAUDEAI") as t:
        await t.conversation.run("Read four.")
        await t.conversation.compact()
        session = t.conversation.session
        assert [result.summed_up for result in list_results(session)] == [True, True, True, False]
        t.conversation.undo_compaction()
        assert not any(result.summed_up for result in list_results(session))
