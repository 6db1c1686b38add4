from __future__ import annotations

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chatcli.context.pairing import MISSING_TEXT, PairingReport, ensure_tool_result_pairing
from chatcli.messages import AssistantMessage, Message, Reasoning, ToolCall, ToolResult, UserMessage
from tests.context.builders import Originals, Story
from tests.context.texts import untimed


def story() -> Story:
    story = Story(Originals())
    story.user("Look around.")
    return story


def is_paired(messages: Sequence[Message]) -> bool:
    """What every service demands, said once more in other words than the code under test."""
    open_ids: list[str] = []
    for message in messages:
        if isinstance(message, ToolResult):
            if message.call_id not in open_ids:
                return False
            open_ids.remove(message.call_id)
            continue
        if open_ids:
            return False
        if isinstance(message, AssistantMessage):
            open_ids = [call.id for call in message.calls]
            if "" in open_ids or len(set(open_ids)) < len(open_ids):
                return False
    return not open_ids


def ids(messages: Sequence[Message]) -> list[str]:
    return [message.call_id for message in messages if isinstance(message, ToolResult)]


def test_valid_input_comes_back_as_the_same_object() -> None:
    s = story()
    s.turn("a", "b")
    s.turn("c")
    s.call(text="Done.")
    s.user()
    paired, report = ensure_tool_result_pairing(s.messages)
    assert paired is s.messages
    assert report == PairingReport()


def test_results_in_another_order_than_their_calls_are_valid() -> None:
    s = story()
    s.call("a", "b")
    s.result("b")
    s.result("a")
    assert ensure_tool_result_pairing(s.messages)[0] is s.messages


def test_a_call_without_a_result_gets_a_synthetic_error() -> None:
    s = story()
    s.call("a", "b")
    s.result("b")
    paired, report = ensure_tool_result_pairing(s.messages)
    assert ids(paired) == ["a", "b"]
    missing = paired[2]
    assert isinstance(missing, ToolResult)
    assert (missing.seq, missing.status, missing.is_error) == (0, "missing", True)
    assert missing.text == (
        "[Tool result missing — the tool execution was interrupted or failed silently. Do NOT retry this "
        "tool call. Analyze what went wrong and try a different approach.]"
    )
    assert missing.original.size_chars == len(MISSING_TEXT)
    assert report == PairingReport(missing=("a",))


def test_a_result_without_a_call_is_dropped() -> None:
    s = story()
    s.result("nobody")
    s.call("a")
    s.result("a")
    s.result("nobody")
    s.call(text="Done.")
    s.result("a")
    paired, report = ensure_tool_result_pairing(s.messages)
    assert ids(paired) == ["a"]
    assert report == PairingReport(dropped_results=3)


def test_the_first_of_two_results_is_kept() -> None:
    s = story()
    s.call("a")
    first = s.result("a", "one")
    s.result("a", "two")
    paired, report = ensure_tool_result_pairing(s.messages)
    assert paired[-1] is first
    assert report.dropped_results == 1


def test_the_first_of_two_calls_with_one_id_is_kept() -> None:
    s = story()
    s.call("a", "a", "b")
    s.result("a")
    s.result("b")
    paired, report = ensure_tool_result_pairing(s.messages)
    assert isinstance(paired[1], AssistantMessage)
    assert [call.id for call in paired[1].calls] == ["a", "b"]
    assert report == PairingReport(dropped_calls=1)


def test_a_call_without_an_id_is_dropped_and_the_rest_of_its_message_kept() -> None:
    s = story()
    message = s.call("", text="I will read.")
    s.messages[-1] = structs.replace(message, parts=(Reasoning("why"), *message.parts))
    s.result("")
    paired, report = ensure_tool_result_pairing(s.messages)
    assert isinstance(paired[-1], AssistantMessage)
    assert [type(part) for part in paired[-1].parts] == [Reasoning, type(message.parts[0])]
    assert report == PairingReport(dropped_calls=1, dropped_results=1)


def test_an_assistant_message_of_which_nothing_is_left_is_dropped() -> None:
    s = story()
    s.call("")
    s.user("And?")
    paired, _ = ensure_tool_result_pairing(s.messages)
    assert [type(message) for message in paired] == [UserMessage, UserMessage]


def test_results_behind_a_user_message_are_moved_next_to_their_call_in_call_order() -> None:
    s = story()
    s.call("a", "b", "c")
    s.result("c")
    interposed = s.user("Are you there?")
    s.result("b")
    s.result("a")
    paired, report = ensure_tool_result_pairing(s.messages)
    assert ids(paired) == ["a", "b", "c"]
    assert paired[-1] is interposed
    assert report == PairingReport(moved_results=2)


def test_the_same_id_in_a_later_message_is_another_call() -> None:
    s = story()
    s.call("web_fetch:0")
    s.call("web_fetch:0")
    answer = s.result("web_fetch:0", "the second")
    paired, report = ensure_tool_result_pairing(s.messages)
    assert [message.text for message in paired[2:3]] == [MISSING_TEXT]  # type: ignore[union-attr]
    assert paired[-1] is answer
    assert report == PairingReport(missing=("web_fetch:0",))


def test_nothing_at_all_is_valid() -> None:
    empty: list[Message] = []
    assert ensure_tool_result_pairing(empty)[0] is empty


names = st.sampled_from(["a", "b", "c", ""])


@st.composite
def broken(draw: st.DrawFn) -> list[Message]:
    """Anything: calls and results with few ids in any order."""
    s = Story(Originals())
    for kind in draw(st.lists(st.sampled_from("ucrr"), max_size=25)):
        if kind == "u":
            s.user()
        elif kind == "c":
            s.call(*draw(st.lists(names, max_size=4)), text=draw(st.sampled_from(["", "hm"])))
        else:
            s.result(draw(names))
    return s.messages


@untimed
@given(broken())
def test_whatever_comes_in_pairing_holds_afterwards(messages: list[Message]) -> None:
    paired, report = ensure_tool_result_pairing(messages)
    assert is_paired(paired)
    assert (paired is messages) == is_paired(messages)
    assert (paired is messages) == (report == PairingReport())
    again, nothing = ensure_tool_result_pairing(paired)
    assert again is paired
    assert nothing == PairingReport()


@untimed
@given(broken())
def test_nothing_but_calls_and_results_is_lost_and_no_result_is_made_up(messages: list[Message]) -> None:
    paired, report = ensure_tool_result_pairing(messages)
    assert [m for m in paired if isinstance(m, UserMessage)] == [
        m for m in messages if isinstance(m, UserMessage)
    ]
    results = [m for m in messages if isinstance(m, ToolResult)]
    kept = [m for m in paired if isinstance(m, ToolResult) and m.seq]
    assert len(kept) == len(results) - report.dropped_results
    assert all(any(one is other for other in results) for one in kept)
    assert len([m for m in paired if isinstance(m, ToolResult)]) - len(kept) == len(report.missing)


@untimed
@given(broken(), st.data())
def test_pairing_holds_after_any_deletion_and_shuffle(messages: list[Message], data: st.DataObject) -> None:
    paired, _ = ensure_tool_result_pairing(messages)
    rest = [m for m in paired if data.draw(st.booleans())]
    assert is_paired(ensure_tool_result_pairing(rest)[0])
    assert is_paired(ensure_tool_result_pairing(data.draw(st.permutations(rest)))[0])


@untimed
@given(broken())
def test_a_part_that_begins_with_an_assistant_message_is_paired_on_its_own(messages: list[Message]) -> None:
    """What the pipeline relies on when it remembers finished turns."""
    whole, _ = ensure_tool_result_pairing(messages)
    for position, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            parts = (
                ensure_tool_result_pairing(messages[:position]),
                ensure_tool_result_pairing(messages[position:]),
            )
            assert list(whole) == list(itertools.chain(parts[0][0], parts[1][0]))


def test_calls_are_kept_with_everything_they_carry() -> None:
    s = story()
    call = ToolCall(id="a", name="read", arguments_json='{"z": 1,  "a": 2}', extra={"signature": "x"})
    s.messages.append(
        AssistantMessage(seq=9, parts=(call, call, Reasoning("r", {"sig": "y"})), provider="P", model="m")
    )
    paired, _ = ensure_tool_result_pairing(s.messages)
    assert isinstance(paired[1], AssistantMessage)
    assert paired[1].parts == (call, Reasoning("r", {"sig": "y"}))
