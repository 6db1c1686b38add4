"""Each cause of a lost prefix, provoked over real requests, is named; nothing is lost without a name.

The strict server keeps the books of the cache from the exact bytes of the requests.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from chatcli.agent.start import connect
from chatcli.events import Notice
from chatcli.messages import DELETED
from chatcli.providers.base import Block
from chatcli.settings import Settings
from tests.providers.pictures import png
from tests.wire.script import Tally, by_turn, call, reply
from tests.wire.server import serve

NUMBERED = "".join(f"{n:05d} a line of a file that is read again and again\n" for n in range(300))
OWN_TOOL = '''
from chatcli.tools import ToolContext, tool

@tool("hum")
async def hum(ctx: ToolContext) -> str:
    """Hum a tune that nobody knows, which says nothing."""
    return "mm"
'''


class Clock:
    """The time, for the conversation and for the service alike."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> datetime:
        return datetime(2026, 11, 30, 9, 0, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def long_file(project):
    (project / "long.txt").write_text(NUMBERED, encoding="utf-8")


READS = [reply(call("read", file="long.txt", start=1, end=200)), reply("Read.")]
AGAIN = [reply("Once more.", rewrite=True)]


def misses(talk) -> list:
    return [record.miss for record in talk.conversation.session.usage if record.miss]


def only_miss(talk):
    (miss,) = misses(talk)
    return miss


async def test_a_session_without_rewrites_loses_nothing(talk, long_file):
    steps = [reply(call("read", file="long.txt", start=n * 20 + 1, end=n * 20 + 60)) for n in range(8)]
    async with talk(by_turn(*steps, reply("Read.")), wire="CLAUDEAI") as t:
        await t.conversation.run("read it all")
        assert misses(t) == []
        read = [record.usage.cache_read for record in t.conversation.session.usage]
        assert read == sorted(read)
        assert read[-1] > 5_000


async def test_a_rewrite_by_age_is_named_with_its_reason(talk, project):
    for n in range(6):
        (project / f"{n}.txt").write_text(f"{n}\n{NUMBERED}", encoding="utf-8")
    steps = [reply(call("read", file=f"{n}.txt"), rewrite=True) for n in range(6)]
    flags = {"assignments": ("CHATCLI_MICROCOMPACT_SCHEDULE=eager",)}
    async with talk(by_turn(*steps, reply("Read.", rewrite=True)), wire="CLAUDEAI", **flags) as t:
        await t.conversation.run("read it all")
        found = misses(t)
        assert found
        assert {miss.cause for miss in found} == {"rewrite"}
        assert all(": age" in miss.detail and miss.expected and miss.lost_usd > 0 for miss in found)


async def test_a_summary_is_a_rewrite(talk, long_file):
    script = [*READS, reply("## Task\nIt was read.", side=True), reply("Yes.", rewrite=True)]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        assert await t.conversation.compact() is not None
        await t.conversation.run("Are you there?")
        miss = only_miss(t)
        assert (miss.cause, miss.expected) == ("rewrite", True)
        assert miss.detail.endswith("summary, asked")


async def test_a_result_that_the_user_deleted_is_a_rewrite(talk, long_file):
    async with talk([*READS, *AGAIN], wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        t.conversation.session.delete_result(t.results()[0].original.sha256)
        await t.conversation.run("and now?")
        assert (only_miss(t).cause, only_miss(t).detail[-7:]) == ("rewrite", "deleted")


async def test_an_image_whose_original_was_deleted_is_a_rewrite(talk, project):
    (project / "a.png").write_bytes(png(1_000, 1_000))
    script = [reply("A picture. " * 3_000), reply("Yes."), reply("Gone.", rewrite=True)]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("what is @a.png?", attachments=[project / "a.png"])
        await t.conversation.run("sure?")
        session = t.conversation.session
        (user, *_) = session.transcript
        session.delete_result(user.images[0].original.sha256)
        assert session.shown == {}
        await t.conversation.run("and now?")
        assert (only_miss(t).cause, only_miss(t).detail) == ("rewrite", f"message {user.seq}: deleted")


async def test_another_model_is_named(talk, long_file, tmp_path):
    async with talk([*READS, *AGAIN], wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        environment = {**t.server.environment(), "ANTHROPIC_MODEL": "claude-haiku-5-5"}
        provider, _ = connect(Settings(provider="CLAUDEAI"), home=tmp_path, environment=environment)
        await t.conversation.use_provider(provider)
        await t.conversation.run("second")
        miss = only_miss(t)
        assert (miss.cause, miss.expected) == ("model", True)
        assert miss.detail == "CLAUDEAI/claude-sonnet-5-5 → CLAUDEAI/claude-haiku-5-5"


async def test_another_set_of_tools_is_named_over_a_resume(talk, long_file, tmp_path):
    with serve([]) as server:
        async with talk(READS, wire="CLAUDEAI", at=server) as t:
            await t.conversation.run("read it")
            known = t.conversation.session.id
        plugins = tmp_path / "home" / "plugins"
        plugins.mkdir()
        (plugins / "hum.py").write_text(OWN_TOOL, encoding="utf-8")
        async with talk(AGAIN, wire="CLAUDEAI", at=server, resume=known) as t:
            await t.conversation.run("and now?")
            miss = only_miss(t)
            assert (miss.cause, miss.detail, miss.expected) == ("tools", "+hum", False)


async def test_another_block_of_the_system_prompt_is_named(talk, long_file):
    async with talk([*READS, *AGAIN], wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        session = t.conversation.session
        blocks = msgspec.json.decode(session.archive.text(session.prompt_key), type=tuple[Block, ...])
        changed = msgspec.json.encode((*blocks, Block("rules", "A rule of the evil kind.")))
        session.set_state(prompt_key=session.archive.put(changed).key)
        await t.conversation.run("and now?")
        miss = only_miss(t)
        assert (miss.cause, miss.detail) == ("block", "+rules")
        assert 0 < miss.lost_tokens < session.usage[-2].usage.context, "what stands before it is still read"


async def test_a_message_that_changes_without_a_decision_is_told_as_such(talk, long_file):
    async with talk([*READS, *AGAIN], wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        result = t.results()[0]
        t.conversation.session.shown[result.seq] = DELETED
        await t.conversation.run("and now?")
        miss = only_miss(t)
        assert (miss.cause, miss.detail, miss.expected) == ("changed", f"message {result.seq}", False)


async def test_a_history_that_shrank_is_told_as_such(talk, long_file):
    script = [*READS, reply("You are welcome. " * 300), *AGAIN]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        await t.conversation.run("thank you " * 300)
        del t.conversation.session.transcript[-2:]
        await t.conversation.run("and now?")
        miss = only_miss(t)
        assert (miss.cause, miss.expected) == ("shrank", False)
        assert miss.detail.endswith("is gone")


@pytest.mark.parametrize(
    ("wire", "minutes", "options"),
    [("CLAUDEAI", 6, {}), ("OPENROUTER", 6, {"model": "anthropic/claude-sonnet-5.5"}), ("XAI", 40, {})],
)
async def test_a_cache_that_expired_is_named_with_the_pause(talk, long_file, wire, minutes, options):
    clock = Clock()
    server = {"clock": clock.monotonic}
    async with talk([*READS, reply("Yes.")], wire=wire, server=server, clock=clock, **options) as t:
        await t.conversation.run("read it")
        clock.seconds += minutes * 60
        await t.conversation.run("still there?")
        miss = only_miss(t)
        assert (miss.cause, miss.detail, miss.expected) == ("expired", f"idle for {minutes} min", True)


async def test_an_hour_long_cache_outlives_a_pause_and_is_written_at_its_price(talk, long_file):
    clock = Clock()
    options = {"server": {"clock": clock.monotonic}, "clock": clock, "assignments": ("CHATCLI_CACHE_TTL=1h",)}
    async with talk([*READS, reply("Yes."), reply("Still.", rewrite=True)], wire="CLAUDEAI", **options) as t:
        await t.conversation.run("read it")
        clock.seconds += 50 * 60
        await t.conversation.run("still there?")
        assert misses(t) == []
        session = t.conversation.session
        assert all(record.usage.cache_write_5m == 0 < record.usage.cache_write_1h for record in session.usage)
        first = session.usage[0]
        assert first.cost_usd == pytest.approx(
            (first.usage.input * 2 + first.usage.cache_write_1h * 4 + first.usage.output * 10) / 1e6
        )
        clock.seconds += 70 * 60
        await t.conversation.run("and now?")
        assert only_miss(t).detail == "idle for 70 min"


async def test_a_prefix_below_the_models_minimum_is_named(talk):
    model = "claude-haiku-4-5"
    options = {"server": {"models": (model,), "minimum_cache_tokens": 4_096}, "model": model}
    async with talk([reply("Hi."), reply("Hi again.")], wire="CLAUDEAI", **options) as t:
        await t.conversation.run("hello")
        await t.conversation.run("hello again")
        usage = t.conversation.session.usage
        assert all(record.usage.cache_write == record.usage.cache_read == 0 for record in usage)
        miss = only_miss(t)
        assert (miss.cause, miss.expected) == ("minimum", True)
        assert miss.detail == f"{usage[0].usage.context} of 4096 tokens"


async def test_more_blocks_than_the_service_looks_back_are_named(talk, project):
    """One reply with 30 calls: no mark can stand inside it."""
    calls = [call("read", file="hello.py", start=1, end=n + 1) for n in range(30)]
    async with talk([reply(*calls), reply("Read.")], wire="CLAUDEAI") as t:
        await t.conversation.run("read it thirty times")
        miss = only_miss(t)
        assert (miss.cause, miss.expected) == ("many_blocks", False)


async def test_where_nothing_changed_the_service_is_named(talk, long_file):
    first, second = READS
    forgetful = reply("Yes.", usage=Tally(plain=9_000))
    async with talk([first, second, forgetful], wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        await t.conversation.run("still there?")
        miss = only_miss(t)
        assert (miss.cause, miss.expected) == ("service", False)
        assert miss.lost_usd == pytest.approx(miss.lost_tokens * (2.5 - 0.1) / 1e6)


async def test_a_resume_reads_what_the_session_had_stored(talk, long_file):
    with serve([]) as server:
        async with talk(READS, wire="CLAUDEAI", at=server) as t:
            await t.conversation.run("read it")
            known, before = t.conversation.session.id, t.conversation.session.usage[-1].usage
        async with talk([reply("Yes.")], wire="CLAUDEAI", at=server, resume=known) as t:
            await t.conversation.run("still there?")
            assert misses(t) == []
            assert t.conversation.session.usage[-1].usage.cache_read == before.context


async def test_a_pause_is_measured_over_a_resume(talk, long_file):
    clock = Clock()
    with serve([], clock=clock.monotonic) as server:
        async with talk(READS, wire="CLAUDEAI", at=server, clock=clock) as t:
            await t.conversation.run("read it")
            known = t.conversation.session.id
        clock.seconds += 20 * 60
        async with talk([reply("Yes.")], wire="CLAUDEAI", at=server, clock=clock, resume=known) as t:
            await t.conversation.run("still there?")
            assert only_miss(t).detail == "idle for 20 min"


def warnings(talk) -> list[str]:
    return [notice.text for notice in talk.told(Notice) if notice.level == "warning"]


@pytest.mark.parametrize(("limit", "count"), [("0.01", 1), ("5", 0), ("0", 0)])
async def test_a_turn_that_pays_for_a_cold_cache_is_told_before_it_is_sent(talk, long_file, limit, count):
    clock = Clock()
    options = {
        "server": {"clock": clock.monotonic},
        "clock": clock,
        "assignments": (f"CHATCLI_COLD_CACHE_WARNING_USD={limit}",),
    }
    async with talk([*READS, reply("Yes.")], wire="CLAUDEAI", **options) as t:
        await t.conversation.run("read it")
        clock.seconds += 600
        await t.conversation.run("still there?")
        told = warnings(t)
        assert len(told) == count
        if told:
            miss = only_miss(t)
            assert told[0].endswith("that the cache has lost (the cache expired: idle for 10 min).")
            assert f"pays ${miss.lost_usd:.2f} more" in told[0]


@pytest.mark.parametrize(("read", "count"), [(0, 0), (8_000, 1)])
async def test_a_service_that_never_spoke_of_a_cache_has_none_that_could_be_cold(talk, read, count):
    """A service of one's own with a price for what is read from a cache, which it may not have."""
    clock = Clock()
    answer = reply("Yes.", usage=Tally(plain=9_000 - read, read=read, output=10))
    options = {
        "server": {"clock": clock.monotonic},
        "clock": clock,
        "assignments": ("CHATCLI_COLD_CACHE_WARNING_USD=0.001",),
    }
    async with talk([answer, answer], wire="OPENAI", **options) as t:
        await t.conversation.run("Are you there?")
        clock.seconds += 3 * 24 * 3_600
        await t.conversation.run("And now?")
        assert len(warnings(t)) == count
