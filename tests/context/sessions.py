"""Random sessions for Hypothesis: any transcript that an agent, a crash or an enemy may leave."""

from __future__ import annotations

from hypothesis import strategies as st

from chatcli.context.limits import Ageing, Limits
from chatcli.context.scheduler import Occasion
from chatcli.messages import Message
from tests.context.builders import Originals, Story
from tests.context.texts import contents

limits = st.builds(
    Limits,
    max_chars=st.sampled_from([1_000, 4_999, 20_000, 100_000]),
    budget_chars=st.sampled_from([1_000, 30_000, 200_000]),
    max_tokens=st.sampled_from([0, 0, 500, 6_000]),
    budget_tokens=st.sampled_from([0, 0, 2_000, 10_000]),
    reduces=st.booleans(),
    tools=st.sampled_from([{}, {"read": "n" * 80, "recall": "", "search": "", "code": ""}]),
)
ageings = st.builds(
    Ageing,
    truncate_turns=st.integers(1, 4),
    summarize_turns=st.integers(1, 6),
    head_chars=st.sampled_from([0, 300, 2_000]),
    tail_chars=st.sampled_from([0, 100, 500]),
    min_content_chars=st.sampled_from([1_000, 3_000]),
)

occasions = st.builds(
    Occasion,
    schedule=st.sampled_from(["auto", "auto", "eager", "off"]),
    read_price=st.sampled_from([0.1, 0.5, 1.0]),
    write_price=st.sampled_from([1.0, 1.25]),
    cold=st.integers(0, 9).map(lambda number: number == 0),
    context_tokens=st.integers(0, 10_000),
    window_tokens=st.sampled_from([0, 10_000]),
)


@st.composite
def stories(draw: st.DrawFn, *, max_turns: int = 8, broken: bool = True) -> Story:
    """A session: turns of up to four calls; with `broken`, results are also missing, moved or strange."""
    story = Story(Originals())
    story.user("Begin.")
    for _ in range(draw(st.integers(0, max_turns))):
        ids = draw(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=4, unique=not broken))
        story.call(*ids, text=draw(st.sampled_from(["", "Let me see."])) if ids else "So.")
        for id in draw(st.permutations(ids)) if broken else ids:
            if broken and draw(st.integers(0, 9)) == 0:
                continue
            story.result(
                id,
                draw(contents),
                stored=draw(st.integers(0, 9)) > 0,
                status=draw(st.sampled_from(["ok", "ok", "ok", "error"])),
                read_only=draw(st.booleans()),
                verbatim=draw(st.integers(0, 9)) == 0,
                self_limited=draw(st.integers(0, 4)) == 0,
                cap_chars=draw(st.sampled_from([1_000, 30_000, 80_000])),
            )
            if broken and draw(st.integers(0, 9)) == 0:
                story.user("Are you there?")
        if broken and draw(st.integers(0, 9)) == 0:
            story.result("stranger", "who?")
        if draw(st.integers(0, 4)) == 0:
            story.user("Go on.")
    return story


@st.composite
def prefixes(draw: st.DrawFn, messages: list[Message]) -> list[int]:
    """Lengths at which views of a growing transcript are prepared, ending with all of it."""
    return [length for length in range(1, len(messages)) if draw(st.integers(0, 2)) == 0] + [len(messages)]
