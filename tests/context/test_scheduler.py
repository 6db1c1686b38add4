from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chatcli.agent.cost.occasion import cache_prices
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.context.scheduler import Candidate, Choice, Occasion, choose
from chatcli.settings import Schedule
from tests.bench.cost import Trace, mean_of
from tests.bench.traces import SERVICE, carry_out, mixed, reading
from tests.context.builders import Loop, Originals, Story, lines_of
from tests.context.texts import untimed

CACHED = Occasion(schedule="auto", read_price=0.1, write_price=1.25, window_tokens=200_000)


def grown(turns: int, occasion: Occasion | None) -> list[str]:
    """The reasons of all rewrites in a session of reading turns."""
    story = Story(Originals())
    story.user()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    for number in range(turns):
        story.turn(f"{number}\n" + lines_of(8_000))
        loop.prepare(occasion)
    return [reason for _, reason in loop.reasons if reason != "first"]


def test_a_rewrite_is_made_when_its_rent_has_paid_for_it() -> None:
    """1,000 tokens of 1,800 can go; to write the other 800 again costs 920 more than to read them."""
    for waited, paid in ((9, False), (10, True)):
        candidates = [Candidate(3, saved_tokens=1_000, waited_turns=waited, tokens_from_here=1_800)]
        assert choose(candidates, CACHED) == (Choice(3, "rent") if paid else None)


def test_what_is_due_is_rewritten_from_the_earliest_point_that_is_paid() -> None:
    late = Candidate(9, saved_tokens=1_000, waited_turns=2, tokens_from_here=1_100)
    cheap = Candidate(6, saved_tokens=500, waited_turns=3, tokens_from_here=1_700)
    dear = Candidate(2, saved_tokens=100, waited_turns=4, tokens_from_here=90_000)
    assert choose([dear, cheap, late], CACHED) == Choice(6, "rent")
    assert choose([dear, late], CACHED) == Choice(9, "rent")
    assert choose([dear], CACHED) is None


@pytest.mark.parametrize(
    ("context_tokens", "saved_tokens", "reason"),
    [
        (140_000, 30_000, None),
        (151_000, 19_000, None),
        (151_000, 20_000, "pressure"),
        (199_000, 19_000, None),
    ],
)
def test_a_window_that_fills_up_does_not_wait(
    context_tokens: int, saved_tokens: int, reason: str | None
) -> None:
    occasion = structs.replace(CACHED, context_tokens=context_tokens)
    choice = choose([Candidate(1, saved_tokens, 1, 140_000)], occasion)
    assert (choice and choice.reason) == reason


def test_eager_rewrites_at_every_age_and_off_never() -> None:
    assert len(grown(8, Occasion())) == len(grown(8, None)) == 6 + 4
    assert set(grown(8, None)) == {"age"}
    assert grown(30, structs.replace(CACHED, schedule="off", cold=True)) == []


def test_without_a_cache_auto_is_eager() -> None:
    assert grown(8, Occasion(schedule="auto")) == grown(8, Occasion())


def test_a_cold_cache_is_a_free_moment() -> None:
    assert grown(4, CACHED) == []
    assert "cold" in grown(4, structs.replace(CACHED, cold=True))


def test_a_warm_cache_is_broken_rarely_and_deep() -> None:
    story = Story(Originals())
    story.user()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    batches = []
    for number in range(60):
        story.turn(f"{number}\n" + lines_of(8_000))
        rewrites = [d for d in loop.prepare(CACHED).decisions if d.reason == "rent"]
        batches += [len(rewrites)] if rewrites else []
    assert len(batches) <= 8
    assert min(batches) >= 4


def test_with_auto_the_view_names_what_may_still_change() -> None:
    story = Story(Originals())
    story.user()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    story.turn("small")
    story.turn(lines_of(8_000))
    assert loop.prepare(CACHED).settled_messages == 4
    assert loop.prepare(structs.replace(CACHED, schedule="off")).settled_messages == 5


candidates = st.lists(
    st.tuples(st.integers(0, 3_000), st.integers(1, 40), st.integers(0, 5_000)), min_size=1, max_size=20
)


@untimed
@given(candidates, st.sampled_from([0.1, 0.25, 0.5]), st.sampled_from([1.0, 1.25, 2.0]))
def test_no_rewrite_is_made_before_it_is_paid(
    drawn: list[tuple[int, int, int]], read_price: float, write_price: float
) -> None:
    behind, due = 0, []
    for position, (saved, waited, kept) in reversed(list(enumerate(drawn))):
        behind += saved + kept
        due.append(Candidate(position, saved, waited, behind))
    due.reverse()
    occasion = structs.replace(CACHED, read_price=read_price, write_price=write_price)
    choice = choose(due, occasion)
    for candidate in due:
        if choice and candidate.position > choice.start:
            break
        from_here = [other for other in due if other.position >= candidate.position]
        rent = read_price * sum(other.saved_tokens * other.waited_turns for other in from_here)
        kept_tokens = candidate.tokens_from_here - sum(other.saved_tokens for other in from_here)
        surplus = rent - (write_price - read_price) * kept_tokens
        if choice and candidate.position == choice.start:
            assert surplus >= -1e-6
        else:
            assert surplus < 1e-6


@pytest.mark.parametrize(
    ("trace", "turns", "of_off", "of_eager"),
    [(mixed, 20, 1.00, 0.85), (mixed, 60, 0.85, 0.85), (reading, 60, 0.60, 0.75)],
)
def test_auto_costs_less_than_both_where_prefixes_are_cached(
    trace: Trace, turns: int, of_off: float, of_eager: float
) -> None:
    auto, off, eager = (
        mean_of(trace, turns, schedule, sessions=4).usd for schedule in ("auto", "off", "eager")
    )
    assert auto <= of_off * off
    assert auto <= of_eager * eager


@pytest.mark.parametrize("model", ["gpt-5.4", "gpt-4.1", "gpt-4o"])
def test_auto_is_never_much_dearer_than_the_better_of_both_with_automatic_caches(model: str) -> None:
    service = structs.replace(SERVICE, name="OPENAI", model=model, cache="automatic")
    read_price, _ = cache_prices(service)

    def price(schedule: Schedule) -> float:
        bill = carry_out(mixed(3, 40), schedule, service)
        return bill.plain_tokens + read_price * bill.read_tokens

    assert price("auto") <= 1.01 * min(price("off"), price("eager"))
