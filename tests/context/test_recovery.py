"""What can be given up when the window is full."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chatcli.context.limits import Ageing, Limits
from chatcli.context.pairing import PairingReport, ensure_tool_result_pairing
from chatcli.context.pipeline import Pipeline
from chatcli.context.recovery import cut_for, cuts, last_cut, record_of, squeezed, words_that_fit
from chatcli.context.scheduler import Occasion
from chatcli.context.tokens import estimate_message_tokens, estimate_tokens
from chatcli.messages import AssistantMessage, Message
from tests.context.builders import Loop, Originals, Story, lines_of, results_of
from tests.context.sessions import ageings, limits, stories
from tests.context.texts import untimed


def working(*sizes: int) -> Story:
    story = Story(Originals())
    story.user("Begin.")
    for number, chars in enumerate(sizes):
        story.turn(f"{number}\n{lines_of(chars)}")
    return story


def one(_message: Message) -> int:
    return 1


def test_a_cut_stands_before_a_reply_and_never_before_a_result() -> None:
    story = Story(Originals())
    story.user()
    story.turn("a", "b", "c", "d", "e", "f", "g", "h")
    story.turn("i")
    assert list(cuts(story.messages)) == [10]
    for keep in range(12):
        assert cut_for(story.messages, keep, one) == 10


def test_as_many_turns_are_kept_as_there_is_room_for() -> None:
    story = working(*[100] * 10)
    assert [cut_for(story.messages, keep, one) for keep in (0, 2, 5, 6, 99)] == [19, 19, 17, 15, 3]


def test_where_nothing_would_be_left_out_there_is_no_cut() -> None:
    assert last_cut(working().messages) is None
    assert last_cut(working(100).messages) is None
    assert last_cut(working(100, 100).messages) == 3


def test_the_newest_words_fit_first() -> None:
    story = Story(Originals())
    seqs = [story.user(f"{number} " + "word " * 100).seq for number in range(5)]
    each = estimate_tokens("0 " + "word " * 100)
    assert words_that_fit(story.messages, 100 * each) == 0
    assert words_that_fit(story.messages, 2 * each) == seqs[3]
    assert words_that_fit(story.messages, 0) > seqs[4]


def test_the_record_tells_what_was_called_and_how_it_ended() -> None:
    story = working(100)
    story.call("again")
    story.result("again", "no such file", status="error")
    story.call("again")
    record = record_of(story.messages)
    first, second, third = record.splitlines()[1:]
    key = results_of(story.messages)[0].original.key
    assert first.startswith("- read {}: ok, ")
    assert first.endswith(f"<<ccr:{key}>>")
    assert "error, 1 lines" in second
    assert third == "- read {}"


def test_a_long_record_keeps_the_newest_calls_and_counts_the_others() -> None:
    story = working(*[100] * 300)
    record = record_of(story.messages)
    assert estimate_tokens(record) < 2_100
    assert "earlier calls)" in record
    assert results_of(story.messages)[-1].original.key in record


def test_results_are_squeezed_into_what_is_left_even_when_asked_for_verbatim() -> None:
    story = Story(Originals())
    story.user()
    story.turn(*(f"{n}\n{lines_of(18_000)}" for n in range(6)), verbatim=True, cap_chars=80_000)
    view = Pipeline(Limits(), Ageing(), story.store).prepare(story.messages, {})
    before = sum(estimate_message_tokens(m) for m in results_of(view.messages))
    shown = squeezed(view.messages, 4_000, Limits(), story.store)
    after = Pipeline(Limits(), Ageing(), story.store).prepare(story.messages, shown)
    assert before > 20_000
    assert sum(estimate_tokens(m.text) for m in results_of(after.messages)) <= 4_000
    assert all(f"<<ccr:{m.original.key}>>" in m.text for m in results_of(after.messages))


def test_many_short_results_become_a_line_each_as_far_as_needed() -> None:
    story = Story(Originals())
    story.user()
    story.turn(*(f"{n}\n{lines_of(1_200)}" for n in range(200)))
    view = Pipeline(Limits(), Ageing(), story.store).prepare(story.messages, {})
    shown = squeezed(view.messages, 16_000, Limits(), story.store)
    after = Pipeline(Limits(), Ageing(), story.store).prepare(story.messages, shown)
    assert sum(estimate_tokens(m.text) for m in results_of(view.messages)) > 40_000
    assert 12_000 < sum(estimate_tokens(m.text) for m in results_of(after.messages)) <= 16_000


def test_nothing_is_squeezed_that_would_not_be_shorter() -> None:
    story = working(500, 500)
    view = Pipeline(Limits(), Ageing(), story.store).prepare(story.messages, {})
    assert squeezed(view.messages, 10, Limits(), story.store) == {}


def test_when_the_request_does_not_fit_old_results_are_shortened_whatever_the_schedule() -> None:
    for schedule in ("off", "auto", "eager"):
        story = working(*[8_000] * 6)
        loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
        occasion = Occasion(schedule=schedule, read_price=0.1, write_price=1.25)  # type: ignore[arg-type]
        loop.prepare(structs.replace(occasion, schedule="off"))
        view = loop.prepare(structs.replace(occasion, overflow=True))
        assert {d.reason for d in view.decisions} == {"overflow"}
        assert view.rewrite is not None
        assert view.rewrite.reason == "overflow"


@untimed
@given(stories(), limits, ageings, st.integers(0, 30_000))
def test_the_part_that_stays_is_paired_and_as_long_as_it_may_be(
    story: Story, limits: Limits, ageing: Ageing, keep_tokens: int
) -> None:
    messages = Pipeline(limits, ageing, story.store).prepare(story.messages, {}).messages
    cut = cut_for(messages, keep_tokens, estimate_message_tokens)
    if cut is None:
        replies = [m for m in messages if isinstance(m, AssistantMessage)]
        assert len(replies) < 2
        return
    assert ensure_tool_result_pairing(messages[cut:])[1] == PairingReport()
    kept_tokens = sum(map(estimate_message_tokens, messages[cut:]))
    assert kept_tokens <= keep_tokens or cut == last_cut(messages)
    for earlier in cuts(messages):
        if earlier < cut:
            assert sum(map(estimate_message_tokens, messages[earlier:])) > keep_tokens
