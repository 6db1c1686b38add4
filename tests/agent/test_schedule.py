"""When old results are rewritten, over real requests: the service's own books tell what it saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from chatcli.agent.clock import utc_now
from chatcli.agent.cost.occasion import cache_prices, key_of, occasion_of
from chatcli.messages import Usage
from chatcli.providers.base import CacheClass
from chatcli.session.entries import Shown, UsageRecord
from chatcli.session.journal import parse
from tests.wire.exchange import Exchange
from tests.wire.script import Answer, call, reply
from tests.wire.seen import Seen

READ_PRICE, WRITE_PRICE = 0.05, 1.25
"""Of the default Claude model, as multiples of plain input."""
LINE = "    name, size = entry.name, entry.size_bytes\n"


def reading(turns: int) -> Callable[[Seen], Answer]:
    """Reads one file after the other; every request may be rewritten as far as the server cares."""

    def script(seen: Seen) -> Answer:
        turn = seen.assistant_turns
        if turn < turns:
            return reply("Next.", call("read", file=f"{turn}.py"), rewrite=True)
        return reply("All read.", rewrite=True)

    return script


@pytest.fixture
def files(project: Path) -> Path:
    for number in range(30):
        (project / f"{number}.py").write_text(f"# {number}\n" + LINE * 260, encoding="utf-8")
    return project


def scheduled(word: str) -> dict:
    return {"assignments": (f"CHATCLI_MICROCOMPACT_SCHEDULE={word}",), "wire": "CLAUDEAI"}


def journal(talk) -> Sequence:
    folder = talk.conversation.session.archive.folder.parent
    return parse((folder / "journal.jsonl").read_bytes(), folder).entries


def rewrites(talk) -> list:
    return [entry.rewrite for entry in journal(talk) if isinstance(entry, Shown) and entry.rewrite]


def where_broken(exchanges: Sequence[Exchange]) -> list[int]:
    """The requests that did not repeat the one before block by block."""
    prompts = [[s.data for s in exchange.seen.segments] for exchange in exchanges if exchange.seen]
    pairs = enumerate(pairwise(prompts), start=1)
    return [number for number, (before, after) in pairs if after[: len(before)] != before]


def price(exchanges: Sequence[Exchange]) -> float:
    """What the prompts cost, in plain input tokens, by the books of the server."""
    tallies = [exchange.tally for exchange in exchanges if exchange.tally]
    return sum(t.plain + READ_PRICE * t.read + WRITE_PRICE * t.write for t in tallies)


async def test_auto_costs_less_than_eager_and_off_by_the_books_of_the_service(talk, files):
    prices, broken = {}, {}
    for schedule in ("auto", "eager", "off"):
        async with talk(reading(20), **scheduled(schedule)) as t:
            await t.conversation.run("Read all files.")
            prices[schedule] = price(t.server.exchanges)
            broken[schedule] = len(where_broken(t.server.exchanges))
            assert broken[schedule] == len(rewrites(t))
    assert prices["auto"] < 0.95 * prices["off"]
    assert prices["auto"] < 0.8 * prices["eager"]
    assert broken["off"] == 0 < broken["auto"] < 5 < broken["eager"]


async def test_every_rewrite_is_journalled_with_its_reason_saving_and_price(talk, files):
    async with talk(reading(20), **scheduled("auto")) as t:
        await t.conversation.run("Read all files.")
        (first, *_) = found = rewrites(t)
        assert {rewrite.reason for rewrite in found} == {"rent"}
        assert first.saved_tokens > 10_000
        usd_per_token = 2e-6
        assert first.price_usd == pytest.approx(first.price_tokens * usd_per_token)
        (at, *_) = where_broken(t.server.exchanges)
        before, now = (t.server.exchanges[number].tally for number in (at - 1, at))
        assert first.saved_tokens == pytest.approx(before.prompt + before.write - now.prompt, rel=0.2)
        written_again = now.write - before.write
        assert first.price_tokens == pytest.approx((WRITE_PRICE - READ_PRICE) * written_again, rel=0.2)


async def test_a_resume_alone_is_no_reason_to_rewrite(talk, files):
    async with talk(reading(8), **scheduled("auto")) as t:
        await t.conversation.run("Read all files.")
        known = t.conversation.session.id
    async with talk([reply("Yes.")], resume=known, **scheduled("auto")) as t:
        await t.conversation.run("Are you there?")
        assert rewrites(t) == []


async def test_a_long_pause_is_a_free_moment(talk, files):
    async with talk(reading(8), **scheduled("auto")) as t:
        await t.conversation.run("Read all files.")
        t.conversation.session.last_request_at = "2026-01-01T00:00:00+00:00"
        t.server.play([reply("Yes.", rewrite=True)])
        await t.conversation.run("Are you there?")
        (rewrite,) = rewrites(t)
        assert (rewrite.reason, rewrite.price_tokens) == ("cold", 0)
        assert rewrite.saved_tokens > 10_000


async def test_another_model_or_other_tools_are_free_moments_and_a_side_call_is_not(talk, files):
    async with talk(reading(3), **scheduled("auto")) as t:
        conversation = t.conversation
        await conversation.run("Read some.")
        session, provider = conversation.session, conversation.provider

        def is_cold(tools_key: str = session.tools_key) -> bool:
            return occasion_of(session, provider, "auto", tools_key, utc_now()).cold

        assert session.tools_key == key_of(conversation.registry.schemas())
        assert not is_cold()
        assert is_cold("another")
        session.record_usage(_record("CLAUDEAI", "claude-haiku-5-5", "title"))
        assert not is_cold()
        session.record_usage(_record("CLAUDEAI", "claude-haiku-5-5", "answer"))
        assert is_cold()


async def test_without_a_cache_auto_sends_what_eager_sends(talk, files):
    streams = {}
    for schedule in ("auto", "eager"):
        flags = {**scheduled(schedule), "wire": "OPENAI", "model": "gpt-oss:20b"}
        async with talk(reading(10), **flags) as t:
            await t.conversation.run("Read all files.")
            workspace = str(t.conversation.session.workspace.root).encode()
            streams[schedule] = [
                [re.sub(re.escape(workspace), b"", s.data) for s in exchange.seen.segments]
                for exchange in t.server.exchanges
            ]
            assert {rewrite.reason for rewrite in rewrites(t)} == {"age"}
    assert _without_ids(streams["auto"]) == _without_ids(streams["eager"])


def test_prices_are_multiples_of_plain_input_and_one_where_unknown() -> None:
    class Known:
        def __init__(self, name: str, model: str, cache: CacheClass) -> None:
            self.name, self.model, self.cache = name, model, cache

    assert cache_prices(Known("CLAUDEAI", "claude-sonnet-4-5", "explicit")) == pytest.approx((0.1, 1.25))
    assert cache_prices(Known("OPENAI", "gpt-5.4", "automatic")) == pytest.approx((0.1, 1.0))
    assert cache_prices(Known("OPENAI", "gpt-5.6", "automatic")) == pytest.approx((0.1, 1.25))
    assert cache_prices(Known("OPENAI", "who-knows", "automatic")) == (1.0, 1.0)
    assert cache_prices(Known("LOCAL", "any", "automatic")) == (0.1, 1.0)
    assert cache_prices(Known("OLLAMA", "gpt-oss:20b", "automatic")) == (0.1, 1.0)


async def test_an_automatic_cache_that_never_answers_is_none(talk, files):
    async with talk([reply(call("read", file="hello.py")), reply("Read.")], wire="OPENAI") as t:
        await t.conversation.run("Read it.")
        session, provider = t.conversation.session, t.conversation.provider
        before = occasion_of(session, provider, "auto", session.tools_key, utc_now())
        for _ in range(4):
            session.record_usage(_record(provider.name, provider.model, "answer", input=9_000))
        after = occasion_of(session, provider, "auto", session.tools_key, utc_now())
        assert before.read_price < before.write_price
        assert after.read_price == after.write_price == 1.0


def _record(provider: str, model: str, purpose: str, input: int = 10) -> UsageRecord:
    return UsageRecord(
        provider=provider,
        model=model,
        purpose=purpose,  # type: ignore[arg-type]
        usage=Usage(input=input),
        cost_usd=None,
        turn=1,
        seconds=0.1,
    )


def _without_ids(stream: list[list[bytes]]) -> list[list[bytes]]:
    return [[re.sub(rb"call_\w+|fc_\w+", b"", data) for data in prompt] for prompt in stream]
