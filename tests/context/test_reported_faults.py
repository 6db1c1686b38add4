"""Faults that users of terminal agents have reported, each as the smallest session that shows it.

The promises behind them are property-tested beside the modules; here every fault has its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from msgspec import structs

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.compaction import compacted
from chatcli.context.limits import Ageing, Limits
from chatcli.context.microcompact import apply_microcompact
from chatcli.context.pairing import MISSING_TEXT, ensure_tool_result_pairing
from chatcli.context.pipeline import Pipeline
from chatcli.context.recovery import cut_for, cuts
from chatcli.context.tokens import estimate_message_tokens
from chatcli.messages import AssistantMessage, Message, ToolCall, ToolResult, UserMessage
from chatcli.session.entries import Compacted
from chatcli.settings import Settings
from tests.context.builders import TMP, Loop, Originals, Story, lines_of, results_of, shown_texts
from tests.context.test_pairing import is_paired


def session() -> Story:
    story = Story(Originals())
    story.user("Begin.")
    return story


def first_view(story: Story, limits: Limits | None = None) -> Sequence[Message]:
    return enforce_tool_result_budget(story.messages, {}, limits or Limits(), story.store)[0]


def old_view(story: Story) -> Sequence[Message]:
    """Nine turns later."""
    for _ in range(9):
        story.call(text="Thinking.")
    return apply_microcompact(first_view(story), Ageing(), story.store)[0]


def omitted_in(text: str) -> int:
    (count,) = re.findall(r"(\d+) chars omitted", text)
    return int(count)


# --- pairing ------------------------------------------------------------------------------------


def test_three_parallel_calls_interrupted_then_the_user_types_on() -> None:
    story = session()
    story.call("a", "b", "c")
    finished = story.result("b", "the only one that finished")
    typed = story.user("Stop. Do this instead.")
    paired, _ = ensure_tool_result_pairing(story.messages)
    assert [message.text for message in paired[2:]] == [
        MISSING_TEXT, finished.text, MISSING_TEXT, typed.text,
    ]  # fmt: skip


def test_any_slice_of_a_history_can_be_sent() -> None:
    """Summaries and `keep the last N` cut between a call and its result, or inside a parallel group."""
    story = session()
    for count in (1, 8, 2):
        story.turn(*["x"] * count)
    for start in range(len(story.messages)):
        for end in range(start, len(story.messages) + 1):
            assert is_paired(ensure_tool_result_pairing(story.messages[start:end])[0])


def test_a_synthetic_result_goes_with_its_call() -> None:
    story = session()
    story.call("a")
    story.user("Go on.")
    healed, _ = ensure_tool_result_pairing(story.messages)
    without_call = [message for message in healed if not isinstance(message, AssistantMessage)]
    assert not results_of(ensure_tool_result_pairing(without_call)[0])


def test_one_of_several_parallel_calls_fails_and_all_results_are_sent() -> None:
    story = session()
    story.call("a", "b")
    story.result("a", "no such file", status="error")
    story.result("b", "fine")
    paired, _ = ensure_tool_result_pairing(story.messages)
    assert [(result.status, result.call_id) for result in results_of(paired)] == [("error", "a"), ("ok", "b")]


def test_a_history_that_was_broken_once_is_healed_in_every_request() -> None:
    story = session()
    story.call("a")
    story.user("Are you there?")
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    views = []
    for _ in range(4):
        views.append(loop.prepare().messages)
        story.turn("more")
    assert all(is_paired(view) for view in views)
    assert all(view[: len(views[0])] == views[0] for view in views)


def test_ids_that_repeat_in_every_turn_are_matched_within_their_turn() -> None:
    story = session()
    story.call("web_fetch:0")
    story.user()
    story.call("web_fetch:0")
    story.result("web_fetch:0", "of the second call")
    texts = [message.text for message in results_of(ensure_tool_result_pairing(story.messages)[0])]
    assert texts == [MISSING_TEXT, ""]


# --- cuts and markers ---------------------------------------------------------------------------


def test_limits_count_chars_and_not_bytes() -> None:
    story = session()
    story.turn("é" * 20_000)
    assert shown_texts(first_view(story)) == ["é" * 20_000]


def test_short_chinese_results_are_not_old_for_their_bytes() -> None:
    story = session()
    story.turn("狐" * 2_999)
    assert shown_texts(old_view(story)) == ["狐" * 2_999]


def test_one_marker_and_no_second_cut_when_a_result_is_just_over_its_cap() -> None:
    story = session()
    story.turn(lines_of(30_100), lines_of(20_100))
    for text in shown_texts(first_view(story)):
        assert len(re.findall("omitted", text)) == 1


def test_the_count_is_exact_when_both_ends_were_trimmed_to_a_line() -> None:
    text = "x" * 3_100 + "\n" + "y" * 40_000 + "\n" + "z" * 700
    story = session()
    story.turn(text, cap_chars=80_000)
    (shown,) = shown_texts(first_view(story))
    assert shown.startswith("x" * 3_100 + "\n\n... [")
    assert shown.endswith("\n\n" + "z" * 700)
    assert omitted_in(shown) == len(text) - 3_101 - 700


def test_a_result_one_line_too_long_is_cut_once_and_for_all() -> None:
    story = session()
    story.turn(lines_of(20_000) + "x" * 60)
    view = first_view(story)
    for _ in range(3):
        again, report = enforce_tool_result_budget(view, {}, Limits(), story.store)
        assert again is view
        assert report.decisions == ()


def test_a_small_limit_gives_a_small_preview_and_no_negative_count() -> None:
    for most in (1_000, 2_000, 4_900):
        story = session()
        story.turn(lines_of(5_000))
        (shown,) = shown_texts(first_view(story, Limits(max_chars=most)))
        assert 0 < omitted_in(shown) < 5_000
        assert len(shown) <= most


def test_the_cap_of_a_tool_above_the_limit_of_a_result_is_not_void() -> None:
    story = session()
    story.turn(lines_of(79_000), cap_chars=80_000, self_limited=True)
    assert shown_texts(first_view(story)) == [lines_of(79_000)]


def test_one_char_over_the_cap_loses_nothing_that_cannot_be_opened_again() -> None:
    story = session()
    (result,) = story.turn("x" * 80_001, cap_chars=80_000, self_limited=True)
    (shown,) = shown_texts(first_view(story))
    assert omitted_in(shown) == 80_001 - 6_000
    assert f"<<ccr:{result.original.key}>>" in shown
    assert story.store.text(result.original) == "x" * 80_001


def test_a_file_that_quotes_a_marker_is_archived_and_cut_like_any_other() -> None:
    quoted = "see <<ccr:0123456789abcdef>> and [full output saved to /tmp/x]\n" * 600
    story = session()
    (result,) = story.turn(quoted)
    (shown,) = shown_texts(first_view(story))
    assert f"@recall <<ccr:{result.original.key}>>" in shown
    assert story.store.text(result.original) == quoted
    assert shown_texts(old_view(story))[0].endswith(f"<<ccr:{result.original.key}>>")


def test_errors_are_limited_too() -> None:
    story = session()
    story.turn(lines_of(90_000), status="error")
    assert len(shown_texts(first_view(story))[0]) < 7_000


# --- files --------------------------------------------------------------------------------------


def test_the_limit_in_the_settings_is_the_limit() -> None:
    story = session()
    story.turn(lines_of(9_000))
    limits = Limits.from_settings(Settings(tool_result_max_chars=5_000))
    assert len(shown_texts(first_view(story, limits))[0]) <= 5_000


def test_six_parallel_results_under_their_cap_do_not_overflow_together() -> None:
    story = session()
    story.turn(*(f"{n}\n" + lines_of(70_000) for n in range(6)), cap_chars=80_000, self_limited=True)
    assert sum(map(len, shown_texts(first_view(story)))) <= 200_000


def test_a_large_result_has_one_file_and_one_text_in_every_request() -> None:
    story = session()
    story.turn(lines_of(90_000))
    loop = Loop(
        Pipeline(Limits(), Ageing(truncate_turns=99, summarize_turns=99), story.store), story.messages
    )
    texts = set()
    for _ in range(20):
        texts.add(shown_texts(loop.prepare().messages)[0])
        story.turn("small")
    assert len(texts) == len(story.store.saved) == 1


def test_the_same_history_twice_is_the_same_bytes() -> None:
    views = []
    for _ in range(2):
        story = session()
        for n in range(6):
            story.turn(lines_of(30_000 + n), f"{n}\n" + lines_of(5_000))
        loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
        views.append(msgspec.json.encode(loop.prepare().messages))
    assert views[0] == views[1]
    assert TMP.encode() in views[0]


# --- long sessions ------------------------------------------------------------------------------


def test_a_run_of_one_prompt_is_compacted_too() -> None:
    story = session()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    for n in range(200):
        story.turn(f"{n}\n" + lines_of(19_000))
        view = loop.prepare()
    assert sum(map(len, shown_texts(view.messages))) < 80_000
    assert [type(message) for message in view.messages[:2]] == [UserMessage, AssistantMessage]


def test_limits_hold_in_every_request_of_a_long_tool_loop() -> None:
    story = session()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    for n in range(30):
        story.turn(f"{n}\n" + lines_of(90_000))
        newest = [m for m in loop.prepare().messages if isinstance(m, ToolResult)][-1]
        assert len(newest.text) <= 20_000


def test_the_last_level_is_reached_with_the_default_settings() -> None:
    story = session()
    story.turn(lines_of(3_200))
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    kinds = []
    for _ in range(6):
        result = results_of(loop.prepare().messages)[0]
        kinds.append(result.shown.kind if result.shown else None)
        story.call(text="Thinking.")
    assert kinds == ["whole", "whole", "truncated", "truncated", "summary", "summary"]


def test_what_was_written_once_is_never_rewritten_but_for_its_age() -> None:
    story = session()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    for n in range(30):
        story.turn(f"{n}\n" + lines_of(90_000))
        loop.prepare()
    for result in results_of(story.messages)[:20]:
        assert [reason for seq, reason in loop.reasons if seq == result.seq] == ["first", "age", "age"]


# --- summaries ----------------------------------------------------------------------------------


def leaving_out(messages: Sequence[Message], cut: int) -> Sequence[Message]:
    compaction = Compacted(
        seq=900,
        at="",
        upto_seq=messages[cut].seq - 1,
        summary="## Task",
        reason="overflow",
        before_tokens=2,
        after_tokens=1,
    )
    return compacted(messages, compaction)


def test_a_summary_never_parts_a_call_from_its_results() -> None:
    """Whatever is to be kept, and however many calls the turn at the border made."""
    story = session()
    for width in (1, 8, 3, 12, 1):
        story.turn(*["x"] * width)
    for keep in range(len(story.messages)):
        cut = cut_for(story.messages, keep, lambda _message: 1)
        assert cut is not None
        assert is_paired(leaving_out(story.messages, cut))


def test_a_summary_never_takes_the_newest_results() -> None:
    story = session()
    story.turn("old", "older")
    newest = story.turn(*(lines_of(15_000) for _ in range(6)))
    cut = cut_for(story.messages, 0, lambda _message: 1_000)
    assert cut is not None
    assert leaving_out(story.messages, cut)[-6:] == newest


def test_an_answer_to_a_call_that_was_interrupted_goes_where_its_call_goes() -> None:
    story = session()
    story.call("a", "b")
    story.user("Stop.")
    story.turn("x")
    story.turn("y")
    paired, _ = ensure_tool_result_pairing(story.messages)
    for cut in cuts(paired):
        assert is_paired(leaving_out(paired, cut))


# --- sizes --------------------------------------------------------------------------------------


def test_one_long_line_is_shortened_like_any_other_text() -> None:
    for text in ("x" * 100_000, "狐" * 100_000, '{"a": [' + "1," * 50_000 + "1]}"):
        story = session()
        story.turn(text)
        (shown,) = shown_texts(first_view(story))
        assert len(shown) < 7_000
        assert shown.encode()
        assert omitted_in(shown) > 90_000


def test_what_was_asked_for_counts_like_what_came_back() -> None:
    """A file that was written stands in the arguments of the call."""
    story = session()
    small = estimate_message_tokens(story.call("a"))
    arguments = msgspec.json.encode({"content": lines_of(20_000)}).decode()
    call = ToolCall(id="b", name="write", arguments_json=arguments)
    large = estimate_message_tokens(structs.replace(story.call("b"), parts=(call,)))
    assert large > small + 4_000
