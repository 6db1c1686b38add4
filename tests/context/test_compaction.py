"""What stands for the messages that a compaction leaves out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatcli.context.compaction import compacted, position_after
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pairing import PairingReport, ensure_tool_result_pairing
from chatcli.context.pipeline import Pipeline
from chatcli.context.recovery import cuts
from chatcli.messages import Archived, Attachment, Message, Text, UserMessage
from chatcli.session.entries import Compacted
from tests.context.builders import Originals, Story, lines_of
from tests.context.sessions import ageings, limits, stories
from tests.context.texts import untimed

FILE = Archived(key="0123456789abcdef", sha256="0" * 64, size_bytes=90, size_chars=90, lines=3)


def leaving_out(upto_seq: int, **fields: object) -> Compacted:
    given = {"summary": "## Task\nMend it.", "reason": "asked", "before_tokens": 2, "after_tokens": 1}
    return Compacted(seq=900, at="", upto_seq=upto_seq, **{**given, **fields})  # type: ignore[arg-type]


def run_of(story: Story, words: str, *turns: str) -> list[Message]:
    """A run as the agent starts one: the user's words with the note, then turns."""
    parts = (Text(words), Text("[context — mode: agent]", origin="context"))
    start = UserMessage(seq=story.last_seq + 1, parts=parts)
    story.last_seq += 1
    story.messages.append(start)
    for text in turns:
        story.turn(text)
    return story.messages


def texts_of(messages: object) -> list[str]:
    return [" ".join(p.text for p in m.parts) if isinstance(m, UserMessage) else "" for m in messages]  # type: ignore[attr-defined]


def test_without_a_compaction_the_transcript_is_the_view() -> None:
    story = Story(Originals())
    assert compacted(run_of(story, "go", "a"), None) is story.messages


def test_what_is_past_is_quoted_and_what_is_in_hand_stays_a_message() -> None:
    story = Story(Originals())
    run_of(story, "First: paint it\nred.", "a")
    run_of(story, "Second: mend it.", "b", "c")
    story.user("And quickly.")
    story.turn("d")
    story.turn("e")
    out = compacted(story.messages, leaving_out(story.messages[-3].seq))
    opening, task, typed, *tail = out
    assert "First: paint it\nred." in texts_of([opening])[0]
    assert "Second" not in texts_of([opening])[0]
    assert "Do not carry it out again" in texts_of([opening])[0]
    assert [task, typed] == [story.messages[3], story.messages[8]]
    assert tail == story.messages[-2:]


def test_between_two_runs_everything_the_user_said_is_past() -> None:
    story = Story(Originals())
    run_of(story, "First.", "a")
    border = story.last_seq
    run_of(story, "Second.", "b")
    opening, *tail = compacted(story.messages, leaving_out(border))
    assert "First." in texts_of([opening])[0]
    assert tail == story.messages[3:]


def test_the_plan_and_the_summary_stand_in_the_opening() -> None:
    story = Story(Originals())
    run_of(story, "First.", "a", "b")
    out = compacted(story.messages, leaving_out(story.messages[-3].seq, plan="1. [pending] mend it"))
    assert out[0].seq == 900
    assert "## Task\nMend it." in texts_of(out)[0]
    assert "1. [pending] mend it" in texts_of(out)[0]


def test_turns_with_pinned_results_are_shown_whole_and_are_not_cut_again() -> None:
    story = Story(Originals())
    run_of(story, "First.", "a")
    pinned, beside = story.turn("kept", "came with it")
    story.turn("b")
    run_of(story, "Second.", "c", "d", "e")
    compaction = leaving_out(story.messages[-3].seq, pinned=(pinned.seq,))
    out = compacted(story.messages, compaction)
    call = next(message for message in story.messages if message.seq == pinned.seq - 1)
    assert out[1:4] == [call, pinned, beside]
    assert "The next 3 messages are past too" in texts_of(out)[0]
    assert "9 earlier messages are not shown any more" in texts_of(out)[0]
    assert ensure_tool_result_pairing(out)[1] == PairingReport()
    assert list(cuts(out, compaction.upto_seq)) == []
    story.turn("f")
    borders = list(cuts(compacted(story.messages, compaction), compaction.upto_seq))
    assert [compacted(story.messages, compaction)[border].seq for border in borders] == [story.last_seq - 1]


def test_after_a_second_compaction_all_words_are_still_there() -> None:
    story = Story(Originals())
    for number in range(4):
        run_of(story, f"Order {number}.", "a", "b")
    out = compacted(story.messages, leaving_out(story.messages[-3].seq))
    assert all(f"Order {number}." in " ".join(texts_of(out)) for number in range(4))
    assert texts_of(out)[1].startswith("Order 3.")


def test_words_for_which_there_is_no_room_are_left_out_oldest_first() -> None:
    story = Story(Originals())
    for number in range(4):
        run_of(story, f"Order {number}.", "a", "b")
    from_seq = story.messages[10].seq
    opening = compacted(story.messages, leaving_out(story.messages[-3].seq, words_from_seq=from_seq))[0]
    assert "Order 1." not in texts_of([opening])[0]
    assert '<said n="3">\nOrder 2.' in texts_of([opening])[0]


def test_files_of_the_task_can_be_named_instead_of_shown() -> None:
    story = Story(Originals())
    run_of(story, "Mend it.", "a", "b")
    task = story.messages[0]
    assert isinstance(task, UserMessage)
    file = Attachment(path="big.log", text="x" * 10_000, original=FILE)
    story.messages[0] = UserMessage(seq=task.seq, parts=(task.parts[0], file, task.parts[1]))
    upto = story.messages[-3].seq
    shown = compacted(story.messages, leaving_out(upto))[1]
    named = compacted(story.messages, leaving_out(upto, only_task=True))[1]
    assert "x" * 10_000 in texts_of([shown])[0]
    assert "[attached: big.log — 3 lines, 90 chars] <<ccr:0123456789abcdef>>" in texts_of([named])[0]
    assert texts_of([named])[0].startswith("Mend it.")


def test_a_view_with_a_compaction_is_undone_without_it() -> None:
    story = Story(Originals())
    run_of(story, "go", *(f"{n}\n{lines_of(4_000)}" for n in range(5)))
    pipeline = Pipeline(Limits(), Ageing(), story.store)
    whole = pipeline.prepare(story.messages, {})
    shown = {decision.seq: decision.presentation for decision in whole.decisions}
    compaction = leaving_out(story.messages[-3].seq)
    less = pipeline.prepare(story.messages, shown, None, compaction)
    assert len(less.messages) == 4
    assert less.messages[2:] == whole.messages[-2:]
    assert pipeline.prepare(story.messages, shown).messages == whole.messages


@untimed
@given(stories(), limits, ageings, st.data())
def test_pairing_holds_after_a_cut_anywhere(
    story: Story, limits: Limits, ageing: Ageing, data: st.DataObject
) -> None:
    paired, _ = ensure_tool_result_pairing(story.messages)
    borders = list(cuts(paired))
    if not borders:
        return
    first_kept = paired[data.draw(st.sampled_from(borders))]
    known = position_after(story.messages, first_kept.seq)
    before = data.draw(st.integers(known, len(story.messages)))
    pipeline = Pipeline(limits, ageing, story.store)
    compaction = leaving_out(first_kept.seq - 1)
    view = pipeline.prepare(story.messages[:before], {}, None, compaction)
    view = pipeline.prepare(story.messages, {d.seq: d.presentation for d in view.decisions}, None, compaction)
    assert isinstance(view.messages[0], UserMessage)
    assert ensure_tool_result_pairing(view.messages)[1] == PairingReport()
    own = Pipeline(limits, ageing, story.store)
    assert view.messages == own.prepare(story.messages, {}, None, compaction).messages or view.decisions
