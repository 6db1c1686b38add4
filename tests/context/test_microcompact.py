from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.limits import Ageing, Limits
from chatcli.context.microcompact import apply_microcompact
from chatcli.context.previews import longest_chars, render
from chatcli.messages import Message, Presentation
from chatcli.settings import Settings
from tests.context.builders import Originals, Story, lines_of, results_of, shown_texts
from tests.context.texts import contents, untimed

TEXT = lines_of(12_000)


def view_of(story: Story) -> Sequence[Message]:
    return enforce_tool_result_budget(story.messages, {}, Limits(), story.store)[0]


def kinds(messages: Sequence[Message]) -> list[str]:
    return [result.shown.kind for result in results_of(messages) if result.shown]


def aged(age: int, text: str = TEXT, ageing: Ageing | None = None, **fields: object) -> str:
    """How one result is shown at this age."""
    story = Story(Originals())
    story.turn(text, **fields)
    for _ in range(age):
        story.call(text="Thinking.")
    return kinds(apply_microcompact(view_of(story), ageing or Ageing(), story.store)[0])[0]


def test_ages_come_from_the_settings() -> None:
    settings = Settings(microcompact_truncate_turns=1, microcompact_summarize_turns=3)
    ageing = Ageing.from_settings(settings)
    assert (ageing.truncate_turns, ageing.summarize_turns) == (1, 3)
    assert (ageing.head_chars, ageing.tail_chars, ageing.min_content_chars) == (2_000, 500, 3_000)


def test_the_current_turn_and_the_one_before_are_whole_then_truncated_then_summarised() -> None:
    assert [aged(age) for age in range(7)] == [
        "whole", "whole", "truncated", "truncated", "summary", "summary", "summary",
    ]  # fmt: skip


def test_in_a_session_of_one_prompt_every_assistant_message_counts() -> None:
    story = Story(Originals())
    story.user("The only prompt.")
    for number in range(6):
        story.turn(f"{number}\n{TEXT}")
    out, _ = apply_microcompact(view_of(story), Ageing(), story.store)
    assert kinds(out) == ["summary", "summary", "truncated", "truncated", "whole", "whole"]


def test_the_forms_are_those_of_the_documentation() -> None:
    story = Story(Originals())
    go = "package main\n" + lines_of(28_000)
    story.turn(go)
    for _ in range(2):
        story.call(text="Thinking.")
    out, _ = apply_microcompact(view_of(story), Ageing(), story.store)
    (result,) = results_of(out)
    head, marker, tail = result.text.split("\n\n")
    assert go.startswith(head)
    assert go.endswith(tail)
    omitted = len(go) - len(head + "\n") - len(tail)
    assert marker == (
        f"[... {omitted} chars omitted from old tool result, @recall <<ccr:{result.original.key}>> ...]"
    )
    story.call(text="Thinking.")
    story.call(text="Thinking.")
    out, _ = apply_microcompact(view_of(story), Ageing(), story.store)
    lines = go.count("\n")
    assert shown_texts(out) == [
        f"[Old tool result cleared — {lines} lines, 28K chars, Go source] <<ccr:{result.original.key}>>"
    ]


@pytest.mark.parametrize(
    "fields",
    [{"read_only": False}, {"status": "error"}, {"status": "interrupted"}, {"stored": False}],
)
def test_what_wrote_ran_failed_or_cannot_be_opened_again_stays(fields: dict[str, object]) -> None:
    assert aged(9, **fields) == "whole"


def test_short_results_stay() -> None:
    assert aged(9, "x" * 3_000) == "whole"
    assert aged(9, "x" * 3_001) == "summary"


def test_a_rewrite_that_would_not_make_it_shorter_is_not_made() -> None:
    short = Ageing(min_content_chars=1_000)
    assert aged(2, "x" * 2_600, short) == "whole"
    assert aged(4, "x" * 2_600, short) == "summary"


def test_the_second_level_works_on_what_the_first_has_shortened() -> None:
    """The first level leaves less than the least content; the original is what counts."""
    story = Story(Originals())
    story.turn("x" * 3_100)
    story.call(text="1")
    story.call(text="2")
    out, _ = apply_microcompact(view_of(story), Ageing(), story.store)
    assert len(shown_texts(out)[0]) < 3_000
    later, _ = apply_microcompact([*out, *story.messages[1:]], Ageing(), story.store)
    assert kinds(later) == ["summary"]


def test_what_was_verbatim_in_its_turn_grows_old_like_the_rest() -> None:
    assert [aged(age, verbatim=True) for age in (0, 1, 2, 4)] == ["whole", "whole", "truncated", "summary"]


def test_each_level_acts_at_its_own_age_even_in_the_other_order() -> None:
    ageing = Ageing(truncate_turns=5, summarize_turns=3)
    assert [aged(age, TEXT, ageing) for age in (2, 3, 5, 9)] == ["whole", "summary", "summary", "summary"]


def test_its_own_output_comes_back_as_the_same_object() -> None:
    story = Story(Originals())
    for number in range(6):
        story.turn(f"{number}\n{TEXT}")
    out, _ = apply_microcompact(view_of(story), Ageing(), story.store)
    again, report = apply_microcompact(out, Ageing(), story.store)
    assert again is out
    assert report.decisions == ()


def test_every_rewrite_is_told_with_its_reason_and_what_it_saves() -> None:
    story = Story(Originals())
    (old,) = story.turn(TEXT)
    for _ in range(4):
        story.call(text="Thinking.")
    before = view_of(story)
    out, report = apply_microcompact(before, Ageing(), story.store)
    (decision,) = report.decisions
    assert (decision.seq, decision.presentation.kind, decision.reason) == (old.seq, "summary", "age")
    assert decision.saved_chars == len(shown_texts(before)[0]) - len(shown_texts(out)[0])


def test_no_rewrite_is_made_of_an_original_that_is_gone() -> None:
    story = Story(Originals())
    story.turn(TEXT)
    for _ in range(4):
        story.call(text="Thinking.")
    before = view_of(story)
    story.store.texts.clear()
    assert apply_microcompact(before, Ageing(), story.store)[0] is before


def test_the_end_of_a_view_is_aged_as_in_the_whole() -> None:
    """What the pipeline relies on when it leaves out what cannot change any more."""
    story = Story(Originals())
    for number in range(6):
        story.turn(f"{number}\n{TEXT}")
    view = view_of(story)
    whole, _ = apply_microcompact(view, Ageing(), story.store)
    for start in range(len(view)):
        end, _ = apply_microcompact(view[start:], Ageing(), story.store)
        assert end == whole[start:]


def test_sizes_that_change_later_do_not_shorten_a_result_again() -> None:
    story = Story(Originals())
    story.turn(TEXT)
    for _ in range(2):
        story.call(text="Thinking.")
    out, _ = apply_microcompact(view_of(story), Ageing(), story.store)
    assert apply_microcompact(out, Ageing(head_chars=100), story.store)[0] is out


@untimed
@given(
    contents.filter(lambda text: len(text) > 1_000),
    st.integers(0, 5_000),
    st.integers(0, 5_000),
    st.integers(0, 500),
)
def test_what_is_made_shorter_is_never_longer_than_said(
    text: str, head_chars: int, tail_chars: int, error_chars: int
) -> None:
    original = Originals().put(text, omitted_bytes=7)
    sizes = Presentation(
        kind="truncated", head_chars=head_chars, tail_chars=tail_chars, error_chars=error_chars
    )
    for wanted in (sizes, Presentation(kind="summary")):
        assert len(render(text, wanted, original, None).text) <= longest_chars(wanted, original)
