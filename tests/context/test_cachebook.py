"""The cache books: by hand for each rule, and against the books of the scripted server."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chatcli.context.cachebook import AutomaticBook, CacheBook, ExplicitBook, open_book
from chatcli.context.prefix import Ledger, PartsReader
from chatcli.messages import (
    Archived,
    AssistantMessage,
    Message,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from chatcli.providers.base import Marks, Request
from tests.context.texts import untimed
from tests.wire.books import AutomaticBooks, ExplicitBooks
from tests.wire.script import Tally
from tests.wire.seen import Segment

LEDGER = Ledger(cache="explicit", life_seconds=300.0, minimum_tokens=1_024)
AUTOMATIC = structs.replace(LEDGER, cache="automatic")
NOWHERE = Archived(key="", sha256="", size_bytes=0, size_chars=0, lines=0)


def said(seq: int, words: int = 2_000) -> UserMessage:
    return UserMessage(seq=seq, parts=(Text(f"{seq} " * words),))


def request(*messages: Message, marks: Sequence[int] = (), model: str = "m") -> Request:
    return Request(model=model, system=(), tools=(), messages=messages, marks=Marks(messages=tuple(marks)))


def tokens_of(*messages: Message) -> int:
    return sum(part.tokens for part in PartsReader().row(request(*messages))[0])


def test_what_was_marked_is_read_and_the_rest_up_to_the_last_mark_written() -> None:
    book = open_book(LEDGER)
    one, two, three = said(1), said(2), said(3)
    first = book.charge(request(one, two, marks=[0]), 0)
    assert first == Usage(input=tokens_of(two), cache_write_5m=tokens_of(one))
    second = book.charge(request(one, two, three, marks=[1]), 1)
    assert second == Usage(input=tokens_of(three), cache_read=tokens_of(one), cache_write_5m=tokens_of(two))


def test_a_prefix_below_the_minimum_is_not_stored() -> None:
    book = open_book(LEDGER)
    short = said(1, words=20)
    for at in range(2):
        assert book.charge(request(short, marks=[0]), at) == Usage(input=tokens_of(short))


def test_an_entry_lives_as_long_as_it_is_used() -> None:
    for kind in (LEDGER, AUTOMATIC):
        book = open_book(kind)
        asked = request(said(1), marks=[0])
        reads = [book.charge(asked, at).cache_read > 0 for at in (0, 299, 597, 898)]
        assert reads == [False, True, True, False]


def test_another_model_has_another_cache() -> None:
    book = open_book(LEDGER)
    book.charge(request(said(1), marks=[0], model="a"), 0)
    assert book.charge(request(said(1), marks=[0], model="b"), 0).cache_read == 0


def test_a_mark_looks_back_over_twenty_blocks() -> None:
    """Itself and 19 before it."""
    for calls, found in ((18, True), (19, False)):
        book = open_book(LEDGER)
        first = said(1)
        book.charge(request(first, marks=[0]), 0)
        many = tuple(ToolCall(id=str(number), name="read") for number in range(calls))
        answer = AssistantMessage(seq=2, parts=many, provider="X", model="m")
        assert (book.charge(request(first, answer, said(3), marks=[2]), 1).cache_read > 0) is found


def test_an_automatic_cache_reads_in_steps_and_into_a_message_that_begins_alike() -> None:
    book = open_book(AUTOMATIC)
    whole = "a line of the file\n" * 1_000
    cut = whole[:8_000] + "[... the rest was omitted ...]"
    one, result = said(1), ToolResult(seq=2, call_id="c", name="read", original=NOWHERE, text=whole)
    assert book.charge(request(one, result), 0).cache_read == 0
    rewritten = structs.replace(result, text=cut)
    read = book.charge(request(one, rewritten), 1).cache_read
    assert read % 128 == 0
    assert tokens_of(one, rewritten) - 256 < read < tokens_of(one, rewritten)


def test_without_a_cache_everything_is_plain_input() -> None:
    book = open_book(structs.replace(LEDGER, cache="none"))
    for at in range(2):
        assert book.charge(request(said(1)), at) == Usage(input=tokens_of(said(1)))


requests = st.lists(
    st.tuples(
        st.lists(st.integers(0, 2), min_size=1, max_size=6),
        st.lists(st.integers(0, 5), max_size=3, unique=True),
        st.sampled_from([1, 10, 301]),
    ),
    min_size=1,
    max_size=12,
)


@untimed
@given(requests)
def test_both_books_bill_what_the_scripted_server_bills(
    drawn: list[tuple[list[int], list[int], int]],
) -> None:
    now = 0.0
    explicit, automatic = open_book(LEDGER), open_book(AUTOMATIC)
    strict = ExplicitBooks(lambda: now)
    strict_automatic = AutomaticBooks(lambda: now, ttl_seconds=300.0)
    for kinds, marks, wait in drawn:
        now += wait
        messages = [_message(position, kind) for position, kind in enumerate(kinds)]
        asked = request(*messages, marks=[mark for mark in marks if mark < len(messages)])
        segments = _segments(asked)
        assert _tally(explicit, asked, now) == strict.book("m", segments)
        assert _tally(automatic, asked, now) == strict_automatic.book("m", segments)


def _message(seq: int, kind: int) -> Message:
    if kind == 2:
        parts = tuple(ToolCall(id=f"{seq}.{number}", name="read") for number in range(9))
        return AssistantMessage(seq=seq, parts=parts, provider="X", model="m")
    return said(seq * 10 + kind, words=300 + 200 * kind)


def _segments(asked: Request) -> list[Segment]:
    """The same prompt for the server: as many blocks, and as many bytes as four for each token."""
    parts, marks = PartsReader().row(asked)
    segments: list[Segment] = []
    for position, part in enumerate(parts):
        data = (part.digest.encode() * part.tokens)[: 4 * part.tokens]
        segments += [Segment(where="", data=b"")] * (part.blocks - 1)
        segments.append(Segment(where="", data=data, ttl="5m" if position in marks else ""))
    return segments


def _tally(book: CacheBook, asked: Request, now: float) -> Tally:
    assert isinstance(book, ExplicitBook | AutomaticBook)
    usage = book.charge(asked, now)
    return Tally(plain=usage.input, read=usage.cache_read, write_5m=usage.cache_write_5m)
