"""Results dropped from the window and pinned in it, over real requests to the strict server."""

from __future__ import annotations

from chatcli.agent.cost.misses import cause_text
from chatcli.agent.window import drop, look_into, pin
from chatcli.messages import ToolResult
from tests.wire.script import by_turn, call, reply
from tests.wire.server import serve

NUMBERED = "".join(f"{n:05d} a line of a file that is read again and again\n" for n in range(300))
EAGER = ("CHATCLI_MICROCOMPACT_SCHEDULE=eager",)


def files(project, count: int) -> None:
    for n in range(count):
        (project / f"{n}.txt").write_text(f"{n}\n{NUMBERED}", encoding="utf-8")


def reads(count: int, *more):
    steps = (reply(call("read", file=f"{n}.txt"), rewrite=True) for n in range(count))
    return by_turn(*steps, *more, reply("Done.", rewrite=True))


def in_window(t) -> dict[int, ToolResult]:
    return {part.result.seq: part.result for part in look_into(t.conversation.beside()).contents.results}


def journal(t) -> str:
    path = t.conversation.sessions.home / "sessions" / t.conversation.session.id / "journal.jsonl"
    return path.read_text(encoding="utf-8")


def entries(t, kind: str) -> int:
    return journal(t).count(f'"type":"{kind}"')


async def test_looking_records_nothing_and_loses_nothing_of_the_cache(talk, project):
    files(project, 3)
    async with talk(reads(3), wire="CLAUDEAI") as t:
        await t.conversation.run("read them")
        session, before = t.conversation.session, entries(t, "shown")
        window = look_into(t.conversation.beside())
        assert entries(t, "shown") == before
        assert window.billed_tokens == session.last_answer.usage.context
        assert window.billed_tokens < window.contents.tokens < 1.1 * window.billed_tokens
        assert window.limit_tokens == round(0.92 * window.window_tokens)
        await t.conversation.run("thank you")
        assert not [record.miss for record in session.usage if record.miss]


async def test_a_look_before_the_first_request_records_nothing(talk):
    async with talk([]) as t:
        run = t.conversation.beside()
        before = journal(t)
        assert look_into(run).contents.tokens
        assert journal(t) == before


async def test_a_dropped_result_is_one_line_and_its_price_and_reason_are_on_record(talk, project):
    files(project, 3)
    async with talk(reads(3), wire="CLAUDEAI") as t:
        await t.conversation.run("read them")
        first = t.results()[0]
        dropped = drop(t.conversation.beside(), {first.seq})
        assert dropped.results == 1
        rewrite = dropped.rewrite
        assert (rewrite.reason, rewrite.saved_tokens > 3_000, rewrite.price_usd > 0) == ("user", True, True)
        assert t.conversation.session.shortenings[-1].saved_tokens == rewrite.saved_tokens
        await t.conversation.run("and now?")
        assert t.server.exchanges[-1].seen.results[0].text.startswith("[Old tool result cleared — 301 lines")
        assert f"<<ccr:{first.original.key}>>" in t.server.exchanges[-1].seen.results[0].text
        (miss,) = [record.miss for record in t.conversation.session.usage if record.miss]
        assert (miss.cause, miss.detail, miss.expected) == ("rewrite", f"message {first.seq}: user", True)
        assert cause_text(miss, first).endswith("(result of @read), dropped by you")


async def test_a_dropped_result_can_be_recalled_by_the_model(talk, project):
    files(project, 1)

    def recalls(seen):
        key = seen.results[0].text.rpartition("<<ccr:")[2].removesuffix(">>")
        return reply(call("recall", keys=[key], lines="2-2"), rewrite=True)

    script = [reply(call("read", file="0.txt")), reply("Read."), recalls, reply("There.")]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        drop(t.conversation.beside(), {t.results()[0].seq})
        await t.conversation.run("look again")
        assert "00000 a line of a file" in t.server.exchanges[-1].seen.results[1].text


async def test_nothing_is_dropped_twice_and_nothing_short_for_a_longer_line(talk, project):
    files(project, 1)
    script = [reply(call("read", file="0.txt"), call("read", file="hello.py")), reply("Read.")]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("read them")
        long, short = t.results()
        assert drop(t.conversation.beside(), {short.seq}) is None
        assert drop(t.conversation.beside(), {long.seq, short.seq}).results == 1
        assert drop(t.conversation.beside(), {long.seq}) is None
        assert pin(t.conversation.beside(), {long.seq}, pinned=True) == 0


async def test_a_pinned_result_keeps_its_bytes_over_a_resume_until_it_is_released(talk, project):
    files(project, 8)
    with serve([]) as server:
        async with talk(reads(1), wire="CLAUDEAI", at=server, assignments=EAGER) as t:
            await t.conversation.run("read it")
            pinned = t.results()[0].seq
            shown = in_window(t)[pinned].text
            assert pin(t.conversation.beside(), {pinned}, pinned=True) == 1
            assert pin(t.conversation.beside(), {pinned}, pinned=True) == 0
            known = t.conversation.session.id
        later = [reply(call("read", file=f"{n}.txt"), rewrite=True) for n in range(1, 7)]
        script = [*later, reply("Done.", rewrite=True), reply("Yes.", rewrite=True)]
        async with talk(script, wire="CLAUDEAI", at=server, resume=known, assignments=EAGER) as t:
            await t.conversation.run("read the others")
            results = list(in_window(t).values())
            assert (results[0].seq, results[0].text) == (pinned, shown)
            assert results[1].shown.kind == "summary"
            misses = [record.miss for record in t.conversation.session.usage if record.miss]
            assert all(miss.expected and str(pinned) not in miss.detail.split() for miss in misses)
            assert pin(t.conversation.beside(), {pinned}, pinned=False) == 1
            await t.conversation.run("and now?")
            assert in_window(t)[pinned].shown.kind == "summary"


async def test_a_pin_costs_nothing_of_the_cache(talk, project):
    files(project, 3)
    script = [*[reply(call("read", file=f"{n}.txt")) for n in range(3)], reply("Read."), reply("Yes.")]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("read them")
        pin(t.conversation.beside(), {t.results()[1].seq}, pinned=True)
        await t.conversation.run("are you there?")
        assert not [record.miss for record in t.conversation.session.usage if record.miss]


def read(*numbers: int):
    return [reply(call("read", file=f"{n}.txt"), rewrite=True) for n in numbers]


def summing_up(*steps):
    """These replies, and a summary whenever one is asked for."""
    left = list(steps)

    def script(seen):
        if "under exactly these headings" in seen.user_texts[-1]:
            return reply("## Task\nRead on.", side=True)
        return left.pop(0)

    return script


YES = reply("Yes.", rewrite=True)


async def test_a_pinned_result_outlives_summaries_until_it_is_released(talk, project):
    files(project, 4)
    async with talk(summing_up(*read(0, 1, 2, 3), YES, YES, YES), wire="CLAUDEAI") as t:
        await t.conversation.run("read them")
        pinned = t.results()[0].seq
        pin(t.conversation.beside(), {pinned}, pinned=True)
        shown = in_window(t)[pinned].text
        for words in ("are you there?", "and now?"):
            assert await t.conversation.compact() is not None
            await t.conversation.run(words)
            seen = t.server.exchanges[-1].seen
            assert seen.results[0].text == shown
            assert "because the user wants their results kept in view" in seen.user_texts[0]
        assert pin(t.conversation.beside(), {pinned}, pinned=False) == 1
        assert await t.conversation.compact() is not None
        assert pinned not in in_window(t)


async def test_pins_for_which_there_is_no_room_are_summed_up_with_the_rest(talk, project):
    files(project, 6)
    script = summing_up(*read(0, 1, 2), YES, *read(3, 4, 5), YES)
    async with talk(script, wire="CLAUDEAI", assignments=("CHATCLI_CONTEXT_WINDOW=20000",)) as t:
        await t.conversation.run("read three")
        pinned = {result.seq for result in t.results()}
        pin(t.conversation.beside(), pinned, pinned=True)
        assert (await t.conversation.run("read three more")).end == "answered"
        assert t.conversation.session.compaction.pinned == ()
        assert not pinned & in_window(t).keys()
        window = look_into(t.conversation.beside())
        assert window.contents.tokens < window.limit_tokens
