from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.limits import Ageing, Limits
from chatcli.context.microcompact import apply_microcompact
from chatcli.context.pairing import ensure_tool_result_pairing
from chatcli.context.pipeline import Pipeline
from chatcli.context.scheduler import Occasion
from chatcli.context.tokens import estimate_tokens
from chatcli.messages import DELETED, Message, Presentation, ToolResult, UserMessage
from chatcli.session.entries import Decision
from tests.context.builders import Loop, Originals, Story, lines_of, results_of, shown_texts
from tests.context.sessions import ageings, limits, occasions, prefixes, stories
from tests.context.texts import untimed


def plain(
    messages: Sequence[Message],
    shown: Mapping[int, Presentation],
    limits: Limits,
    ageing: Ageing,
    store: Originals,
    occasion: Occasion | None = None,
) -> tuple[list[Message], list[Decision]]:
    """The three stages one after the other, without any memory."""
    paired, _ = ensure_tool_result_pairing(messages)
    budgeted, first = enforce_tool_result_budget(paired, shown, limits, store)
    compacted, rewrites = apply_microcompact(budgeted, ageing, store, occasion)
    return list(compacted), [*first.decisions, *rewrites.decisions]


@untimed
@given(stories(), limits, ageings, st.data())
def test_with_its_memory_it_gives_what_the_plain_stages_give(
    story: Story, limits: Limits, ageing: Ageing, data: st.DataObject
) -> None:
    loop = Loop(Pipeline(limits, ageing, story.store), story.messages)
    for length in data.draw(prefixes(story.messages)):
        loop.messages = story.messages[:length]
        occasion = data.draw(occasions)
        expected = plain(loop.messages, loop.shown, limits, ageing, story.store, occasion)
        view = loop.prepare(occasion)
        assert (list(view.messages), list(view.decisions)) == expected


@untimed
@given(stories(), limits, ageings, st.data())
def test_where_nothing_is_cached_auto_is_eager(
    story: Story, limits: Limits, ageing: Ageing, data: st.DataObject
) -> None:
    eager = Loop(Pipeline(limits, ageing, story.store), story.messages)
    auto = Loop(Pipeline(limits, ageing, story.store), story.messages)
    for length in data.draw(prefixes(story.messages)):
        eager.messages = auto.messages = story.messages[:length]
        assert auto.prepare(Occasion(schedule="auto")) == eager.prepare()


@untimed
@given(stories(), limits, ageings, st.data())
def test_messages_said_to_be_unchanged_are_unchanged(
    story: Story, limits: Limits, ageing: Ageing, data: st.DataObject
) -> None:
    loop = Loop(Pipeline(limits, ageing, story.store), story.messages)
    before: tuple[Message, ...] = ()
    for length in data.draw(prefixes(story.messages)):
        loop.messages = story.messages[:length]
        view = loop.prepare()
        assert view.messages[: view.unchanged_messages] == before[: view.unchanged_messages]
        before = view.messages


@untimed
@given(stories(broken=False), limits, ageings, st.data())
def test_two_views_share_their_beginning_unless_a_rewrite_was_recorded(
    story: Story, limits: Limits, ageing: Ageing, data: st.DataObject
) -> None:
    loop = Loop(Pipeline(limits, ageing, story.store), story.messages)
    before: tuple[Message, ...] = ()
    for length in data.draw(prefixes(story.messages)):
        loop.messages = story.messages[:length]
        if ensure_tool_result_pairing(loop.messages)[0] is not loop.messages:
            continue  # the agent sends nothing while calls are unanswered
        decided = len(loop.reasons)
        view = loop.prepare()
        rewritten = {seq for seq, reason in loop.reasons[decided:] if reason != "first"}
        moved = [one.seq for one, other in zip(before, view.messages, strict=False) if one != other]
        assert set(moved) == rewritten & {message.seq for message in before}
        assert not moved or before[view.unchanged_messages].seq == moved[0]
        before = view.messages


@untimed
@given(stories(), limits, ageings, limits, ageings)
def test_recorded_results_do_not_move_when_settings_change(
    story: Story, limits: Limits, ageing: Ageing, later: Limits, later_ageing: Ageing
) -> None:
    loop = Loop(Pipeline(limits, ageing, story.store), story.messages)
    view = loop.prepare()
    after = Pipeline(later, later_ageing, story.store).prepare(story.messages, loop.shown)
    rewritten = {decision.seq for decision in after.decisions}
    assert all(decision.reason == "age" for decision in after.decisions)
    for one, other in zip(view.messages, after.messages, strict=True):
        assert one == other or one.seq in rewritten


@untimed
@given(stories(), limits, ageings)
def test_every_original_can_be_opened_from_what_is_shown(
    story: Story, limits: Limits, ageing: Ageing
) -> None:
    view = Loop(Pipeline(limits, ageing, story.store), story.messages).prepare()
    for result in results_of(view.messages):
        original = story.store.texts.get(result.original.sha256)
        if result.text == original or not result.seq:
            continue
        if result.original.key:
            assert f"<<ccr:{result.original.key}>>" in result.text
        else:
            assert "lost" in result.text or result.text == _own_text(story, result)


def _own_text(story: Story, result: ToolResult) -> str:
    return next(message.text for message in results_of(story.messages) if message.seq == result.seq)


@untimed
@given(stories(), limits, ageings)
def test_no_result_is_over_its_limit_with_its_marker(story: Story, limits: Limits, ageing: Ageing) -> None:
    view = Loop(Pipeline(limits, ageing, story.store), story.messages).prepare()
    for result in results_of(view.messages):
        own_cap = result.self_limited or result.verbatim
        cap = max(1_000, result.cap_chars)
        assert len(result.text) <= (cap if own_cap else min(cap, max(1_000, limits.max_chars)))


@untimed
@given(stories(broken=False), limits)
def test_a_turn_is_within_its_budget_or_at_its_smallest(story: Story, limits: Limits) -> None:
    out, _ = enforce_tool_result_budget(story.messages, {}, limits, story.store)
    turn: list[ToolResult] = []
    for message in [*out, UserMessage(seq=0, parts=())]:
        if isinstance(message, ToolResult):
            turn.append(message)
            continue
        long = [result.text for result in turn if not result.verbatim and len(result.text) > 1_000]
        assert sum(len(result.text) for result in turn) <= limits.budget_chars or not long
        if (
            limits.budget_tokens
            and sum(estimate_tokens(result.text) for result in turn) > limits.budget_tokens
        ):
            assert all(estimate_tokens(text) <= 300 for text in long)
        turn = []


@untimed
@given(stories(), limits, ageings)
def test_the_view_prepared_again_is_the_same(story: Story, limits: Limits, ageing: Ageing) -> None:
    loop = Loop(Pipeline(limits, ageing, story.store), story.messages)
    first = loop.prepare()
    again = loop.prepare()
    assert again.decisions == ()
    assert again.messages == first.messages


def test_a_resumed_session_shows_the_same_bytes() -> None:
    story = Story(Originals())
    story.user()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    for number in range(9):
        story.turn(f"{number}\n" + lines_of(30_000), f"{number}\n" + lines_of(8_000))
        view = loop.prepare()
    resumed = Pipeline(Limits(max_chars=1_000), Ageing(), story.store).prepare(story.messages, loop.shown)
    assert resumed.messages == view.messages
    assert resumed.decisions == ()


def test_decisions_that_were_not_recorded_are_made_again() -> None:
    story = Story(Originals())
    story.user()
    story.turn(lines_of(30_000))
    pipeline = Pipeline(Limits(), Ageing(), story.store)
    first = pipeline.prepare(story.messages, {})
    again = pipeline.prepare(story.messages, {})
    assert again.decisions == first.decisions
    assert again.messages == first.messages


def test_an_undone_end_is_forgotten() -> None:
    story = Story(Originals())
    story.user()
    for number in range(6):
        story.turn(f"{number}\n" + lines_of(8_000))
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), list(story.messages))
    loop.prepare()
    del story.messages[7:]
    story.turn("another way")
    loop.messages = story.messages
    view = loop.prepare()
    expected = plain(story.messages, loop.shown, Limits(), Ageing(), story.store)
    assert list(view.messages) == expected[0]


def test_a_rewrite_recorded_by_others_is_shown() -> None:
    story = Story(Originals())
    story.user()
    (result,) = story.turn(lines_of(8_000))
    story.turn("b")
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    loop.prepare()
    loop.shown[result.seq] = Presentation(kind="summary")
    view = loop.prepare()
    assert shown_texts(view.messages)[0].startswith("[Old tool result cleared")
    assert view.unchanged_messages == 2


def test_a_deleted_result_is_settled() -> None:
    story = Story(Originals())
    story.user()
    (result,) = story.turn(lines_of(8_000))
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    loop.prepare()
    story.store.texts.clear()
    loop.shown[result.seq] = DELETED
    for _ in range(6):
        view = loop.prepare()
        story.turn("b")
    assert "deleted by the user" in shown_texts(view.messages)[0]
    assert view.settled_messages == len(view.messages)


def test_work_that_was_interrupted_is_done_again() -> None:
    story = Story(Originals())
    story.user()
    story.turn(lines_of(30_000))
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    loop.prepare()
    story.turn("fine", lines_of(40_000))
    put_back, story.store.text = story.store.text, _interrupt  # type: ignore[assignment, method-assign]
    with pytest.raises(KeyboardInterrupt):
        loop.prepare()
    story.store.text = put_back  # type: ignore[method-assign]
    view = loop.prepare()
    assert list(view.messages) == plain(story.messages, loop.shown, Limits(), Ageing(), story.store)[0]
    assert len(loop.shown) == 3


def _interrupt(original: object) -> str:
    raise KeyboardInterrupt


def test_finished_turns_are_not_rendered_again() -> None:
    story = Story(Originals())
    story.user()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    for number in range(50):
        story.turn(f"{number}\n" + lines_of(8_000))
        loop.prepare()
    story.store.read = 0
    story.turn("small")
    loop.prepare()
    assert story.store.read == 3  # the new one, and one at each of the two ages


def test_a_view_always_begins_with_the_user() -> None:
    story = Story(Originals())
    story.turn("a")
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    view = loop.prepare()
    assert isinstance(view.messages[0], UserMessage)
    assert view.messages[0].text == ""
    story.turn("b")
    later = loop.prepare()
    assert later.messages[:3] == view.messages
    assert later.unchanged_messages == 3


def test_an_empty_transcript_gives_an_empty_view() -> None:
    view = Pipeline(Limits(), Ageing(), Originals()).prepare([], {})
    assert (view.messages, view.decisions) == ((), ())
    assert (view.unchanged_messages, view.settled_messages) == (0, 0)


def test_what_is_settled_never_changes_again() -> None:
    story = Story(Originals())
    story.user()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    views = []
    for number in range(9):
        story.turn(f"{number}\n" + lines_of(8_000), "small")
        views.append(loop.prepare())
    for view in views:
        assert view.messages[: view.settled_messages] == views[-1].messages[: view.settled_messages]
    assert views[-1].settled_messages == 17


def test_the_transcript_is_not_touched() -> None:
    story = Story(Originals())
    story.user()
    story.turn(lines_of(30_000))
    before = [structs.asdict(message) for message in story.messages]
    Loop(Pipeline(Limits(), Ageing(), story.store), story.messages).prepare()
    assert [structs.asdict(message) for message in story.messages] == before
