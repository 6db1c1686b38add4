"""The cache is watched over real requests: what was lost is named, and nothing is lost without a name."""

from chatcli.agent.start import connect
from chatcli.settings import Settings
from tests.wire.script import by_turn, call, reply

NUMBERED = "".join(f"{n:05d} a line of a file that is read again and again\n" for n in range(300))


def misses(talk) -> list:
    return [record.miss for record in talk.conversation.session.usage if record.miss]


async def test_a_session_without_rewrites_loses_nothing(talk, project):
    (project / "long.txt").write_text(NUMBERED, encoding="utf-8")
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
        assert all(miss.expected and miss.lost_usd > 0 for miss in found)


async def test_another_model_is_named(talk, tmp_path):
    async with talk([reply("One. " * 900), reply("Two.", rewrite=True)], wire="CLAUDEAI") as t:
        await t.conversation.run("first " * 900)
        environment = {**t.server.environment(), "ANTHROPIC_MODEL": "claude-haiku-5-5"}
        provider, _ = connect(Settings(provider="CLAUDEAI"), home=tmp_path, environment=environment)
        await t.conversation.use_provider(provider)
        await t.conversation.run("second")
        assert [miss.cause for miss in misses(t)] == ["model"]
