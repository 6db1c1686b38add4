"""The cache books against cases counted by hand. One letter is one byte, four bytes are one token."""

from __future__ import annotations

from tests.wire.books import AutomaticBooks, ExplicitBooks
from tests.wire.script import Tally
from tests.wire.seen import Segment


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def block(letter: str, count_tokens: int, ttl: str = "") -> Segment:
    return Segment(where=letter, data=letter.encode() * (4 * count_tokens), ttl=ttl)


def explicit(minimum_tokens: int = 1) -> tuple[ExplicitBooks, Clock]:
    clock = Clock()
    return ExplicitBooks(clock, minimum_tokens), clock


def test_the_first_request_writes_up_to_its_last_breakpoint():
    books, _ = explicit()

    assert books.book("m", [block("a", 100, "5m"), block("b", 50, "5m"), block("c", 7)]) == Tally(
        write_5m=150, plain=7
    )


def test_the_second_request_reads_what_the_first_wrote_and_writes_the_rest():
    books, _ = explicit()
    books.book("m", [block("a", 100, "5m"), block("b", 50, "5m")])

    assert books.book("m", [block("a", 100, "5m"), block("b", 50), block("c", 30, "5m")]) == Tally(
        read=150, write_5m=30
    )


def test_an_entry_exists_only_where_a_breakpoint_stood():
    books, _ = explicit()
    books.book("m", [block("a", 100), block("b", 50, "5m")])

    assert books.book("m", [block("a", 100, "5m"), block("x", 50)]) == Tally(write_5m=100, plain=50)


def test_without_a_breakpoint_nothing_is_read_or_written():
    books, _ = explicit()
    books.book("m", [block("a", 100, "5m")])

    assert books.book("m", [block("a", 100), block("b", 5)]) == Tally(plain=105)


def test_a_changed_byte_loses_everything_behind_it():
    books, _ = explicit()
    books.book("m", [block("a", 100, "5m"), block("b", 50, "5m"), block("c", 20, "5m")])

    assert books.book("m", [block("a", 100, "5m"), block("x", 50, "5m"), block("c", 20, "5m")]) == Tally(
        read=100, write_5m=70
    )


def test_a_breakpoint_looks_back_over_twenty_blocks_and_no_further():
    near, _ = explicit()
    near.book("m", [block("a", 100, "5m")])
    far, _ = explicit()
    far.book("m", [block("a", 100, "5m")])
    tail = [block("t", 1) for _ in range(18)]

    assert near.book("m", [block("a", 100), *tail, block("z", 1, "5m")]) == Tally(read=100, write_5m=19)
    assert far.book("m", [block("a", 100), *tail, block("y", 1), block("z", 1, "5m")]) == Tally(write_5m=120)


def test_a_mark_in_between_bridges_more_than_twenty_blocks():
    books, _ = explicit()
    books.book("m", [block("a", 100, "5m")])
    tail = [block("t", 1) for _ in range(15)]

    tally = books.book("m", [block("a", 100), *tail, block("u", 1, "5m"), *tail, block("z", 1, "5m")])

    assert tally == Tally(read=100, write_5m=32)


def test_a_prefix_below_the_minimum_is_not_kept():
    books, _ = explicit(minimum_tokens=1024)
    short = [block("a", 1023, "5m")]

    assert books.book("m", short) == Tally(plain=1023)
    assert books.book("m", short) == Tally(plain=1023)
    assert books.book("m", [block("a", 1024, "5m")]) == Tally(write_5m=1024)
    assert books.book("m", [block("a", 1024, "5m")]) == Tally(read=1024)


def test_an_entry_lives_five_minutes_from_its_last_use():
    books, clock = explicit()
    prompt = [block("a", 100, "5m")]
    books.book("m", prompt)
    clock.now = 299
    assert books.book("m", prompt) == Tally(read=100)
    clock.now = 299 + 299
    assert books.book("m", prompt) == Tally(read=100)
    clock.now = 299 + 299 + 300

    assert books.book("m", prompt) == Tally(write_5m=100)


def test_an_hour_long_entry_outlives_the_short_one_behind_it():
    books, clock = explicit()
    prompt = [block("a", 100, "1h"), block("b", 40, "5m"), block("c", 1)]
    assert books.book("m", prompt) == Tally(write_1h=100, write_5m=40, plain=1)
    clock.now = 3599

    assert books.book("m", prompt) == Tally(read=100, write_5m=40, plain=1)


def test_another_model_shares_nothing():
    books, _ = explicit()
    books.book("m", [block("a", 100, "5m")])

    assert books.book("n", [block("a", 100, "5m")]) == Tally(write_5m=100)


def test_the_border_between_blocks_is_part_of_the_prefix():
    books, _ = explicit()
    books.book("m", [block("a", 100), block("a", 100, "5m")])

    assert books.book("m", [block("a", 200, "5m")]) == Tally(write_5m=200)


def test_the_automatic_cache_reads_the_common_prefix_in_steps_of_128():
    books = AutomaticBooks(Clock())
    assert books.book("m", [block("a", 1500)]) == Tally(plain=1500)

    assert books.book("m", [block("a", 1500), block("b", 100)]) == Tally(read=11 * 128, plain=1600 - 1408)


def test_the_common_prefix_ends_inside_a_block():
    books = AutomaticBooks(Clock())
    books.book("m", [Segment(where="", data=b"a" * 4 * 1280 + b"b" * 4000)])

    tally = books.book("m", [Segment(where="", data=b"a" * 4 * 1280 + b"c" * 4000)])

    assert tally == Tally(read=1280, plain=1000)


def test_the_automatic_cache_needs_1024_tokens():
    books = AutomaticBooks(Clock())
    books.book("m", [block("a", 1023)])
    books.book("m", [block("b", 1024)])

    assert books.book("m", [block("a", 1023)]) == Tally(plain=1023)
    assert books.book("m", [block("b", 1024)]) == Tally(read=1024)


def test_the_longest_of_all_earlier_prompts_counts():
    books = AutomaticBooks(Clock())
    books.book("m", [block("a", 1280), block("b", 1280)])
    books.book("m", [block("a", 1280), block("x", 1280)])

    assert books.book("m", [block("a", 1280), block("b", 1280)]).read == 2560


def test_another_cache_key_or_model_shares_nothing():
    books = AutomaticBooks(Clock())
    books.book("m", [block("a", 2048)], "one")

    assert books.book("m", [block("a", 2048)], "two").read == 0
    assert books.book("n", [block("a", 2048)], "one").read == 0
    assert books.book("m", [block("a", 2048)], "one").read == 2048


def test_the_automatic_cache_forgets_after_its_time():
    clock = Clock()
    books = AutomaticBooks(clock, ttl_seconds=600)
    books.book("m", [block("a", 2048)])
    clock.now = 600

    assert books.book("m", [block("a", 2048)]).read == 0


def test_newer_models_bill_what_they_write():
    books = AutomaticBooks(Clock(), bills_writes=True)
    assert books.book("m", [block("a", 1500)]) == Tally(write_5m=1408, plain=92)

    assert books.book("m", [block("a", 1500), block("b", 200)]) == Tally(read=1408, write_5m=256, plain=36)
