"""Each cause of a lost prefix is provoked on purpose, and named."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from chatcli.context.prefix import Ledger, PartsReader, explain
from chatcli.messages import (
    Archived,
    AssistantMessage,
    Presentation,
    Text,
    ToolResult,
    ToolSchema,
    Usage,
    UserMessage,
)
from chatcli.providers.base import Block, Marks, Request
from chatcli.session.entries import CacheMiss
from chatcli.session.sent import Sent, row_of

WORDS = "some words that fill a message so that it counts for something. " * 60
EXPLICIT = Ledger(cache="explicit", life_seconds=300, minimum_tokens=512)
AUTOMATIC = Ledger(cache="automatic", life_seconds=3600, minimum_tokens=1024)
NOTHING = Archived(key="", sha256="", size_bytes=0, size_chars=0, lines=0)
START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def user(seq: int, text: str = WORDS) -> UserMessage:
    return UserMessage(seq=seq, parts=(Text(text),))


def assistant(seq: int, blocks: int = 1) -> AssistantMessage:
    return AssistantMessage(seq=seq, parts=(Text(WORDS),) * blocks, provider="P", model="m")


def request(*messages, tools=("read", "search"), core="core " * 300, rules="", model="m") -> Request:
    return Request(
        model=model,
        system=(Block("core", core), *([Block("rules", rules)] if rules else [])),
        tools=tuple(ToolSchema(name=name, description=WORDS, parameters={}) for name in tools),
        messages=messages,
        marks=Marks(last_tool=True, system_block=0, messages=(len(messages) - 1,)),
    )


FIRST = request(user(1))
SECOND = request(user(1), assistant(2), user(3))


def why(before, now, *, ledger=EXPLICIT, read=0, seconds=10.0, rewrites=None) -> CacheMiss | None:
    reader = PartsReader()
    sent = billed(reader.read(before, "P", START))
    then = reader.read(now, "P", START + timedelta(seconds=seconds))
    usage = Usage(input=then.estimated_tokens - read, cache_read=read)
    return explain(sent, then, usage, ledger, rewrites or {})


def billed(sent: Sent) -> Sent:
    """As if the service counted just what was estimated."""
    return structs.replace(sent, tokens=sent.estimated_tokens)


def stored(before) -> int:
    return PartsReader().read(before, "P", START).estimated_tokens


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


@pytest.mark.parametrize("tools", [("read", "search", "write"), ("read",)])
def test_a_tool_that_comes_or_goes_at_the_end_is_no_block(tools):
    miss = why(FIRST, request(user(1), user(3), tools=tools))
    assert miss.cause == "tools"


def test_another_block_of_the_system_prompt_is_named():
    miss = why(FIRST, request(user(1), user(3), core="other " * 300))
    assert (miss.cause, miss.detail) == ("block", "core")


def test_a_block_that_comes_or_goes_is_named():
    with_rules = request(user(1), user(3), rules="rule " * 300)
    assert why(FIRST, with_rules).detail == "+rules"
    assert why(with_rules, SECOND).detail == "-rules"


def test_a_recorded_rewrite_is_expected_and_named_with_its_reason():
    now = request(user(1, "shorter now"), assistant(2), user(3))
    miss = why(FIRST, now, rewrites={1: "rent"})
    assert (miss.cause, miss.detail, miss.expected) == ("rewrite", "message 1: rent", True)


def test_a_summary_in_the_place_of_what_was_said_is_a_rewrite():
    now = request(user(9, "what it came to"), user(8))
    miss = why(SECOND, now, rewrites={9: "summary, asked"})
    assert (miss.cause, miss.detail, miss.expected) == ("rewrite", "message 9: summary, asked", True)


def test_what_a_rewrite_took_away_was_not_lost():
    long = request(user(1, WORDS * 40), assistant(2))
    now = request(user(1, "shorter now"), assistant(2))
    miss = why(long, now, read=400, rewrites={1: "rent"})
    assert miss.lost_tokens == stored(now) - 400 < stored(long) / 10


def test_a_message_that_changed_without_a_decision_is_unexpected():
    miss = why(FIRST, request(user(1, "shorter now"), assistant(2)))
    assert (miss.cause, miss.detail, miss.expected) == ("changed", "message 1", False)


def test_a_history_that_shrank():
    for now in (request(user(1), assistant(2)), request(user(1), assistant(2), user(5, "Anew."))):
        miss = why(SECOND, now)
        assert (miss.cause, miss.detail, miss.expected) == ("shrank", "message 3 is gone", False)


def test_a_pause_longer_than_the_life_of_the_cache():
    miss = why(FIRST, SECOND, seconds=600)
    rewritten = why(FIRST, request(user(1, "less"), user(3)), seconds=600, rewrites={1: "cold"})
    assert rewritten == structs.replace(miss, lost_tokens=rewritten.lost_tokens)
    assert (miss.cause, miss.detail, miss.expected) == ("expired", "idle for 10 min", True)


def test_what_an_automatic_cache_promised_no_longer_counts_as_expired_when_it_is_gone():
    ledger = structs.replace(AUTOMATIC, promised_seconds=300)
    assert why(FIRST, SECOND, ledger=ledger, seconds=600).cause == "expired"
    assert why(FIRST, SECOND, ledger=ledger, seconds=200).cause == "service"


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


def test_how_a_result_came_to_be_shown_is_no_part_of_what_is_sent():
    result = ToolResult(seq=2, call_id="c", name="read", text=WORDS, original=NOTHING)
    pinned = structs.replace(result, shown=Presentation(kind="whole"), duration_seconds=1.5, brief="9 lines")
    one, other, cut = (
        PartsReader().read(request(user(1), shown), "P", START).parts[-1].digest
        for shown in (result, pinned, structs.replace(result, text=WORDS[:90]))
    )
    assert one == other != cut


def test_a_row_holds_what_is_new_and_gives_back_the_whole():
    reader = PartsReader()
    before, now = reader.read(FIRST, "P", START), reader.read(SECOND, "P", START)
    row = row_of(now, before)
    assert (row.same, len(row.added)) == (len(before.parts), 2)
    assert before.parts[: row.same] + row.added == now.parts
    assert row_of(before, None).added == before.parts


def test_only_digests_are_kept():
    sent = PartsReader().read(FIRST, "P", START)
    assert WORDS[:40] not in repr(sent)
