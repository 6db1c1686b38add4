"""What a turn may cost, in CPU time and as the best of several: other work on the machine counts little."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from chatcli.context.limits import PREVIEW, Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.context.previews import fit, render
from tests.context.builders import TMP, Loop, Originals, Story, lines_of


def best_seconds(work: Callable[[], object], times: int) -> float:
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def growing(turns: int) -> tuple[Story, Loop, float]:
    """A session of reading turns, and what its views cost in all, in seconds."""
    story = Story(Originals())
    story.user()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    text, spent = lines_of(6_000), 0.0
    for turn in range(turns):
        story.turn(f"{turn}\n{text}")
        began = time.process_time()
        loop.prepare()
        spent += time.process_time() - began
    return story, loop, spent


def preview_seconds(text: str) -> float:
    original = Originals().put(text)

    def preview() -> None:
        sizes = fit(text, PREVIEW, original, TMP, max_chars=20_000)
        render(text, sizes, original, TMP)

    return best_seconds(preview, 9)


@pytest.mark.parametrize("line", ["an ordinary line of a log, nothing special", "ação, não é erro 狐狸", "x"])
def test_a_result_of_five_megabytes_is_previewed_within_ten_milliseconds(line: str) -> None:
    assert preview_seconds(lines_of(5_000_000, line)) < 0.010


@pytest.mark.parametrize("unit", ['{"error":"none","id":1},', "\n", "mirror ", "e\u0301", "\x1b[31m"])
def test_strange_text_is_no_slower(unit: str) -> None:
    assert preview_seconds("[" + unit * (5_000_000 // len(unit)) + "]") < 0.010


def test_one_more_turn_after_a_thousand_results_takes_two_milliseconds_at_most() -> None:
    story, loop, _ = growing(1_000)

    def turn() -> None:
        story.turn("one more\n" + lines_of(6_000))
        loop.prepare()

    assert best_seconds(turn, 15) < 0.002


def test_ten_times_the_turns_cost_little_more_than_ten_times_the_time() -> None:
    """Copying the list and comparing the decisions, both in C, is all that grows with the session."""
    growing(100)
    _, _, short = growing(400)
    _, _, long = growing(4_000)
    assert long < 40 * short
