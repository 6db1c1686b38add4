from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatcli.context.breakpoints import MOST_MARKS, plan_marks, stored_marks
from chatcli.messages import Message, ToolResult, ToolSchema
from chatcli.providers.base import Block, Marks
from tests.context.builders import Originals, Story
from tests.context.texts import untimed

SYSTEM = (Block("core", "You are."), Block("rules", "Do."))
TOOLS = (ToolSchema(name="read", description="", parameters={}),)


def session(*calls: int) -> list[Message]:
    """One user message, then a turn with that many calls each."""
    story = Story(Originals())
    story.user()
    for count in calls:
        story.turn(*["x"] * count)
    return story.messages


def marks(messages: list[Message], **fields: int | tuple[int, ...]) -> Marks:
    given = {"settled_messages": len(messages), **fields}
    return plan_marks(messages, system=SYSTEM, tools=TOOLS, **given)  # type: ignore[arg-type]


def reach(messages: list[Message], plan: Marks, stored: int) -> int:
    """How many blocks stand between the stored prefix and the first mark behind it."""
    first = min(mark for mark in plan.messages if mark > stored)
    return sum(1 if isinstance(m, ToolResult) else len(m.parts) for m in messages[stored + 1 : first + 1])


def test_the_first_request_marks_tools_system_and_its_end() -> None:
    assert marks(session()) == Marks(last_tool=True, system_block=1, messages=(0,))


def test_the_anchor_stands_before_the_first_result_that_may_change() -> None:
    messages = session(1, 1, 1)
    assert marks(messages, settled_messages=4).messages == (3, 6)


def test_nothing_is_anchored_when_nothing_is_settled_or_everything() -> None:
    messages = session(1, 1)
    assert marks(messages, settled_messages=0).messages == (4,)
    assert marks(messages, settled_messages=5).messages == (4,)


def test_without_tools_and_system_only_messages_are_marked() -> None:
    assert plan_marks(session(), system=(), tools=(), settled_messages=1) == Marks(messages=(0,))
    assert plan_marks([], system=SYSTEM, tools=TOOLS, settled_messages=0) == Marks(
        last_tool=True, system_block=1
    )


def test_many_new_blocks_cost_the_system_its_mark_when_none_is_free() -> None:
    messages = session(1, 10)
    plan = marks(messages, settled_messages=2, previous=(1, 2), unchanged_messages=3)
    assert plan.system_block is None
    assert plan.last_tool
    assert plan.messages == (1, 8, 13)
    assert reach(messages, plan, 2) == 15


def test_a_free_mark_is_used_before_one_is_given_up() -> None:
    messages = session(1, 10)
    plan = marks(messages, previous=(2,), unchanged_messages=3)
    assert plan.system_block == 1
    assert plan.messages == (8, 13)


def test_still_more_blocks_cost_the_anchor_too() -> None:
    messages = session(1, 9, 9)
    plan = marks(messages, settled_messages=2, previous=(1, 2), unchanged_messages=3)
    assert plan.system_block is None
    assert plan.messages == (9, 16, 22)


def test_what_was_rewritten_is_not_counted_on() -> None:
    """A mark behind the first change stores another prefix now: the anchor before it is what is left."""
    messages = session(1, 8, 8)
    plan = marks(messages, settled_messages=12, previous=(2, 11), unchanged_messages=4)
    assert min(plan.messages) <= 3 + 14
    assert reach(messages, plan, 2) <= 15


def test_nothing_stands_in_between_when_nothing_was_stored() -> None:
    assert marks(session(20, 20)).messages == (42,)


@untimed
@given(
    st.lists(st.integers(0, 12), max_size=12),
    st.data(),
)
def test_there_are_never_more_than_four_and_the_last_block_always_has_one(
    calls: list[int], data: st.DataObject
) -> None:
    messages = session(*calls)
    positions = st.integers(0, len(messages) - 1)
    settled = data.draw(st.integers(0, len(messages)))
    unchanged = data.draw(st.integers(0, len(messages)))
    previous = tuple(data.draw(st.lists(positions, max_size=3)))
    plan = marks(messages, settled_messages=settled, unchanged_messages=unchanged, previous=previous)
    assert plan.last_tool + (plan.system_block is not None) + len(plan.messages) <= MOST_MARKS
    assert plan.messages[-1] == len(messages) - 1
    assert list(plan.messages) == sorted(set(plan.messages))


@untimed
@given(st.lists(st.integers(0, 7), min_size=1, max_size=12))
def test_a_growing_session_always_finds_what_it_stored(calls: list[int]) -> None:
    """Turns of up to seven calls are at most 15 blocks: the end of the request before is within reach."""
    stored: tuple[int, ...] = ()
    for turns in range(len(calls) + 1):
        messages = session(*calls[:turns])
        plan = marks(messages, previous=stored, unchanged_messages=max(stored, default=-1) + 1)
        if stored and max(stored) < len(messages) - 1:
            assert reach(messages, plan, max(stored)) <= 15
        stored = plan.messages


def test_after_a_rewrite_the_last_prefix_before_it_is_within_reach() -> None:
    """The request before had its marks at the anchor and at its end, which is lost."""
    messages = session(*[1] * 40)
    stored: tuple[int, ...] = ()
    for length in range(3, 80, 2):
        plan = marks(messages[:length], settled_messages=1, previous=stored, unchanged_messages=length)
        stored = stored_marks(stored, length, plan)
    rewritten = 41
    plan = marks(messages, settled_messages=1, previous=stored, unchanged_messages=rewritten)
    assert reach(messages, plan, max(mark for mark in stored if mark < rewritten)) <= 20
    assert all(mark < rewritten or mark in plan.messages for mark in stored_marks(stored, rewritten, plan))
