"""Each cause of a lost prefix is provoked on purpose, and named."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from chatcli.context.prefix import Ledger, PartsReader, explain
from chatcli.messages import AssistantMessage, Text, ToolSchema, Usage, UserMessage
from chatcli.providers.base import Block, Marks, Request
from chatcli.session.entries import CacheMiss

WORDS = "some words that fill a message so that it counts for something. " * 60
EXPLICIT = Ledger(cache="explicit", life_seconds=300, minimum_tokens=512)
AUTOMATIC = Ledger(cache="automatic", life_seconds=3600, minimum_tokens=1024)
START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def user(seq: int, text: str = WORDS) -> UserMessage:
    return UserMessage(seq=seq, parts=(Text(text),))


def assistant(seq: int, blocks: int = 1) -> AssistantMessage:
    return AssistantMessage(seq=seq, parts=(Text(WORDS),) * blocks, provider="P", model="m")


def request(*messages, tools=("read", "search"), core="core " * 300, model="m") -> Request:
    return Request(
        model=model,
        system=(Block("core", core),),
        tools=tuple(ToolSchema(name=name, description=WORDS, parameters={}) for name in tools),
        messages=messages,
        marks=Marks(last_tool=True, system_block=0, messages=(len(messages) - 1,)),
    )


FIRST = request(user(1))
SECOND = request(user(1), assistant(2), user(3))


def why(before, now, *, ledger=EXPLICIT, read=0, seconds=10.0, rewrites=None) -> CacheMiss | None:
    reader = PartsReader()
    sent = reader.read(before, "P", START)
    then = reader.read(now, "P", START + timedelta(seconds=seconds))
    total = sum(part.tokens for part in then.parts)
    usage = Usage(input=total - read, cache_read=read)
    return explain(sent, then, usage, ledger, rewrites or {})


def stored(before) -> int:
    return sum(part.tokens for part in PartsReader().read(before, "P", START).parts)


@pytest.mark.parametrize("ledger", [EXPLICIT, AUTOMATIC])
def test_a_request_that_reads_all_of_the_one_before_lost_nothing(ledger):
    assert why(FIRST, SECOND, ledger=ledger, read=stored(FIRST)) is None


def test_the_first_request_has_nothing_to_lose():
    sent = PartsReader().read(FIRST, "P", START)
    assert explain(None, sent, Usage(input=9_000), EXPLICIT, {}) is None


def test_a_provider_without_a_cache_loses_nothing():
    assert why(FIRST, SECOND, ledger=structs.replace(EXPLICIT, cache="none")) is None


def test_another_model():
    miss = why(FIRST, structs.replace(SECOND, model="n"))
    assert (miss.cause, miss.detail, miss.expected) == ("model", "P/m → P/n", True)


def test_another_set_of_tools_names_them():
    miss = why(FIRST, request(user(1), user(3), tools=("read", "tree")))
    assert (miss.cause, miss.detail) == ("tools", "+tree, -search")


def test_another_block_of_the_system_prompt_is_named():
    miss = why(FIRST, request(user(1), user(3), core="other " * 300))
    assert (miss.cause, miss.detail) == ("block", "core")


def test_a_recorded_rewrite_is_expected_and_named_with_its_reason():
    now = request(user(1, "shorter now"), assistant(2), user(3))
    miss = why(FIRST, now, rewrites={1: "rent"})
    assert (miss.cause, miss.detail, miss.expected) == ("rewrite", "result 1: rent", True)


def test_a_message_that_changed_without_a_decision_is_unexpected():
    miss = why(FIRST, request(user(1, "shorter now"), assistant(2)))
    assert (miss.cause, miss.detail, miss.expected) == ("changed", "message 1", False)


def test_a_history_that_shrank():
    miss = why(SECOND, request(user(1), assistant(2)))
    assert miss.cause == "shrank"


def test_a_pause_longer_than_the_life_of_the_cache():
    miss = why(FIRST, SECOND, seconds=600)
    assert (miss.cause, miss.detail, miss.expected) == ("expired", "idle for 10 min", True)


def test_a_prefix_below_the_minimum():
    small = request(user(1, "hi"), tools=(), core="short")
    ledger = structs.replace(EXPLICIT, minimum_tokens=4_096)
    miss = why(small, request(user(1, "hi"), assistant(2), user(3), tools=(), core="short"), ledger=ledger)
    assert miss is None or miss.cause == "minimum"
    bigger = request(user(1), tools=(), core="short")
    miss = why(bigger, request(user(1), assistant(2), user(3), tools=(), core="short"), ledger=ledger)
    assert miss.cause == "minimum"


def test_more_blocks_than_the_service_looks_back():
    miss = why(FIRST, request(user(1), assistant(2, blocks=22)))
    assert (miss.cause, miss.detail) == ("many_blocks", "22 blocks")


def test_where_nothing_differs_the_service_is_named():
    miss = why(FIRST, SECOND)
    assert (miss.cause, miss.expected) == ("service", False)
    assert miss.lost_tokens == pytest.approx(stored(FIRST), rel=0.01)


def test_only_digests_are_kept():
    sent = PartsReader().read(FIRST, "P", START)
    assert WORDS[:40] not in repr(sent)
