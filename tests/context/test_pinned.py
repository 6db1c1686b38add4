"""A result that the user pinned keeps its bytes, whatever its age and the pressure."""

from __future__ import annotations

from msgspec import structs

from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.context.scheduler import Occasion
from tests.context.builders import Originals, Story, lines_of


def test_what_is_pinned_is_not_shortened_and_its_bytes_are_the_same() -> None:
    story = Story(Originals())
    story.user()
    story.turn(lines_of(9_000), lines_of(9_500))
    pipeline = Pipeline(Limits(), Ageing(), story.store)
    first = pipeline.prepare(story.messages, {})
    shown = {decision.seq: decision.presentation for decision in first.decisions}
    pinned, other = sorted(shown)
    shown[pinned] = structs.replace(shown[pinned], pinned=True)
    for _ in range(6):
        story.turn("x")
    pressed = Occasion(schedule="eager", context_tokens=99, window_tokens=100)
    view = pipeline.prepare(story.messages, shown, pressed)
    texts = {message.seq: getattr(message, "text", "") for message in view.messages}
    before = {message.seq: getattr(message, "text", "") for message in first.messages}
    assert texts[pinned] == before[pinned]
    assert texts[other] != before[other]
    assert pinned not in {decision.seq for decision in view.decisions}
