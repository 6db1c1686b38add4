from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import structs

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.limits import PREVIEW, Limits
from chatcli.context.tokens import estimate_tokens
from chatcli.messages import WHOLE, Message, Presentation, ToolResult
from chatcli.settings import Settings
from tests.context.builders import TMP, Originals, Story, lines_of, results_of, shown_texts


def one(text: str, limits: Limits | None = None, **fields: object) -> ToolResult:
    """A single result as it is first shown."""
    story = Story(Originals())
    story.turn(text, **fields)
    return results_of(enforced(story, limits)[0])[0]


def enforced(
    story: Story, limits: Limits | None = None, shown: dict[int, Presentation] | None = None
) -> tuple[Sequence[Message], dict[int, Presentation]]:
    out, report = enforce_tool_result_budget(story.messages, shown or {}, limits or Limits(), story.store)
    return out, {decision.seq: decision.presentation for decision in report.decisions}


def kinds(messages: Sequence[Message]) -> list[str]:
    return [result.shown.kind for result in results_of(messages) if result.shown]


def test_limits_come_from_the_settings() -> None:
    settings = Settings(tool_result_max_chars=7_000, tool_result_budget_tokens=10_000)
    limits = Limits.from_settings(settings)
    assert (limits.max_chars, limits.budget_chars) == (7_000, 200_000)
    assert (limits.max_tokens, limits.budget_tokens) == (0, 10_000)


def test_a_result_up_to_the_limit_is_shown_whole() -> None:
    text = "x" * 20_000
    result = one(text)
    assert (result.shown, result.text) == (WHOLE, text)


def test_a_result_over_the_limit_is_a_preview() -> None:
    result = one("x" * 20_001)
    assert result.shown == structs.replace(PREVIEW, saved=True)
    assert f"... [15001 chars omitted — full output saved to {TMP}/budget_call_1_0_" in result.text


def test_a_result_over_its_tools_cap_is_capped() -> None:
    result = one("x" * 30_001)
    assert "[TRUNCATED 24001 chars omitted, 6000 kept — full output saved to " in result.text


def test_what_pages_itself_is_limited_by_its_cap_alone() -> None:
    assert one("x" * 80_000, cap_chars=80_000, self_limited=True).shown == WHOLE
    assert kinds([one("x" * 80_001, cap_chars=80_000, self_limited=True)]) == ["capped"]
    assert kinds([one("x" * 80_000, cap_chars=80_000)]) == ["preview"]


def test_what_was_asked_for_verbatim_is_limited_by_its_cap_alone_whatever_the_budget() -> None:
    small = Limits(max_chars=1_000, budget_chars=1_000, max_tokens=100, budget_tokens=100)
    assert one("x" * 30_000, small, verbatim=True).shown == WHOLE
    assert kinds([one("x" * 30_001, small, verbatim=True)]) == ["capped"]


def test_errors_are_limited_like_everything_else() -> None:
    assert kinds([one("x" * 20_001, status="error")]) == ["preview"]


def test_every_first_presentation_is_decided_once_and_recorded() -> None:
    story = Story(Originals())
    small, large = story.turn("a", "x" * 25_000)
    _, report = enforce_tool_result_budget(story.messages, {}, Limits(), story.store)
    assert [(d.seq, d.presentation.kind, d.reason) for d in report.decisions] == [
        (small.seq, "whole", "first"),
        (large.seq, "preview", "first"),
    ]
    assert report.decisions[0].saved_chars == 0
    assert 19_000 < report.decisions[1].saved_chars < 20_000


def test_what_was_recorded_stays_whatever_the_settings_say_later() -> None:
    story = Story(Originals())
    story.turn(lines_of(19_000), lines_of(50_000))
    first, shown = enforced(story)
    stricter = Limits(max_chars=1_000, budget_chars=1_000, preview=structs.replace(PREVIEW, head_chars=7))
    again, decided = enforced(story, stricter, shown)
    assert shown_texts(again) == shown_texts(first)
    assert decided == {}


def test_its_own_output_comes_back_as_the_same_object() -> None:
    story = Story(Originals())
    story.turn("a", lines_of(50_000), lines_of(25_000))
    out, shown = enforced(story)
    for recorded in (shown, {}):
        again, report = enforce_tool_result_budget(out, recorded, Limits(), story.store)
        assert again is out
        assert report.decisions == ()


def test_the_original_is_rendered_not_a_preview_of_it() -> None:
    story = Story(Originals())
    story.turn(lines_of(90_000))
    out, _ = enforced(story)
    (result,) = results_of(out)
    smaller = structs.replace(PREVIEW, head_chars=100, tail_chars=100)
    again, _ = enforce_tool_result_budget(out, {result.seq: smaller}, Limits(), story.store)
    assert shown_texts(again)[0].startswith(lines_of(90_000)[:51] + "\n... [")
    assert shown_texts(again)[0].count("omitted") == 1


def test_a_turn_over_its_budget_loses_the_largest_first_and_no_more_than_needed() -> None:
    story = Story(Originals())
    sizes = (18_000, 3_000, 19_000, 17_000)
    story.turn(*(lines_of(size) for size in sizes))
    assert kinds(enforced(story, Limits(budget_chars=58_000))[0]) == ["whole"] * 4
    out, _ = enforced(story, Limits(budget_chars=50_000))
    assert kinds(out) == ["whole", "whole", "preview", "whole"]
    out, _ = enforced(story, Limits(budget_chars=40_000))
    assert kinds(out) == ["preview", "whole", "preview", "whole"]


def test_six_results_within_their_limit_do_not_overflow_the_turn() -> None:
    story = Story(Originals())
    story.turn(
        *(f"{number}\n" + lines_of(76_000) for number in range(6)), cap_chars=80_000, self_limited=True
    )
    out, _ = enforced(story)
    assert sum(map(len, shown_texts(out))) <= 200_000
    assert kinds(out).count("whole") == 2


def test_when_previews_are_not_enough_all_get_an_equal_share() -> None:
    story = Story(Originals())
    story.turn(*(f"{number}\n" + lines_of(30_000) for number in range(8)), lines_of(1_500))
    out, _ = enforced(story, Limits(budget_chars=20_000))
    texts = shown_texts(out)
    assert sum(map(len, texts)) <= 20_000
    assert all(len(text) > 1_500 for text in texts[:-1])
    assert kinds(out)[-1] == "whole"


def test_an_impossible_budget_leaves_the_smallest_previews() -> None:
    story = Story(Originals())
    story.turn(*(f"{number}\n" + lines_of(30_000) for number in range(20)))
    out, _ = enforced(story, Limits(budget_chars=1_000))
    assert all(len(text) <= 1_000 for text in shown_texts(out))


def test_turns_do_not_share_a_budget() -> None:
    story = Story(Originals())
    story.turn(lines_of(15_000))
    story.turn(lines_of(15_000))
    assert kinds(enforced(story, Limits(budget_chars=16_000))[0]) == ["whole", "whole"]


def test_the_limits_in_tokens_hold_beside_those_in_chars() -> None:
    limits = Limits(max_tokens=6_000, budget_tokens=10_000)
    dense = "0123456789" * 1_900
    assert estimate_tokens(dense) > 20_000
    result = one(dense, limits)
    assert estimate_tokens(result.text) <= 6_000
    story = Story(Originals())
    story.turn(*(f"{number}\n" + lines_of(15_000) for number in range(4)))
    out, _ = enforced(story, limits)
    assert estimate_tokens("".join(shown_texts(out))) <= 10_000
    assert kinds(out).count("whole") == 1


@pytest.mark.parametrize("most", [1, 500, 999])
def test_no_limit_counts_for_less_than_a_thousand(most: int) -> None:
    assert one("x" * 1_000, Limits(max_chars=most), cap_chars=most).shown == WHOLE


def test_a_full_disk_is_said_and_kept_to() -> None:
    store = Originals()
    story = Story(store)
    story.turn(lines_of(50_000))
    store.disk_full = True
    out, shown = enforced(story)
    assert "could not be saved to a file" in shown_texts(out)[0]
    store.disk_full = False
    again, _ = enforced(story, shown=shown)
    assert shown_texts(again) == shown_texts(out)
    assert store.saved == []


def test_a_file_that_is_lost_later_is_said_and_recorded() -> None:
    store = Originals()
    story = Story(store)
    (result,) = story.turn(lines_of(50_000))
    _, shown = enforced(story)
    store.disk_full = True
    out, report = enforce_tool_result_budget(story.messages, shown, Limits(), store)
    assert "could not be saved to a file" in shown_texts(out)[0]
    assert [(d.seq, d.presentation.saved, d.reason) for d in report.decisions] == [
        (result.seq, False, "file lost")
    ]


def test_an_unstored_result_carries_its_text_and_is_cut_honestly() -> None:
    assert one("short", stored=False).text == "short"
    result = one(lines_of(50_000), stored=False)
    assert "could not be saved and are lost" in result.text
    assert len(result.text) < 6_200


def test_an_original_that_is_gone_is_said_to_be_gone() -> None:
    store = Originals()
    story = Story(store)
    story.turn(lines_of(50_000), "here")
    _, shown = enforced(story)
    store.texts = {sha256: text for sha256, text in store.texts.items() if text == "here"}
    texts = shown_texts(enforced(story, shown=shown)[0])
    assert "is no longer in the archive" in texts[0]
    assert texts[1] == "here"
    assert shown_texts(enforced(story)[0]) == texts


def test_an_original_that_comes_back_is_still_limited() -> None:
    store = Originals()
    story = Story(store)
    story.turn(lines_of(50_000))
    texts, store.texts = store.texts, {}
    _, shown = enforced(story)
    store.texts = texts
    assert len(shown_texts(enforced(story, shown=shown)[0])[0]) < 7_000


def test_nothing_is_saved_that_is_not_cut() -> None:
    store = Originals()
    story = Story(store)
    story.turn("a", lines_of(19_000), lines_of(50_000))
    enforced(story)
    assert len(store.saved) == 1


def test_the_order_of_results_of_equal_size_does_not_matter_for_their_bytes() -> None:
    story = Story(Originals())
    story.turn(*("abc"[number] + lines_of(9_000) for number in range(3)))
    out, _ = enforced(story, Limits(budget_chars=24_000))
    assert kinds(out) == ["preview", "whole", "whole"]
