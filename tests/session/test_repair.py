"""A damaged journal: what can be read stays as it was, what is lost is counted, the session goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatcli.errors import StorageError
from chatcli.messages import Text, ToolCall, UserMessage
from chatcli.session.entries import Compacted, Lost
from chatcli.session.journal import Journal, SessionLocked, parse
from chatcli.session.repair import LOST_NOTICE, repair_journal
from chatcli.session.session import Session

Create = Callable[[], Session]
Open = Callable[[str], Session]


@pytest.fixture
def path(create: Create) -> Path:
    """The journal of a closed session: two questions with a call each, a note and a summary between."""
    session = create()
    for number in (1, 2):
        session.add_user((Text(f"question {number}"),))
        call = ToolCall(id=f"call{number}", name="read")
        made = session.add_assistant((call,), provider="P", model="m", stop_reason="tool_calls")
        session.start_call(made, call)
        session.add_result(call_id=call.id, name="read", original=session.archive.put_text("result"))
        session.add_assistant((Text("done"),), provider="P", model="m", stop_reason="end")
        session.set_note("n", str(number))
    session.close()
    return session.archive.folder.parent / "journal.jsonl"


def damage(path: Path, *lines: int, by: bytes = b"\0garbage\xff") -> list[bytes]:
    """Overwrite lines, counted from 1; the lines as they were."""
    before = path.read_bytes().splitlines(keepends=True)
    after = [by + b"\n" if number in lines else line for number, line in enumerate(before, 1)]
    path.write_bytes(b"".join(after))
    return before


def test_a_journal_that_can_be_read_is_left_alone(path: Path) -> None:
    before = path.read_bytes()
    assert repair_journal(path) is None
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == ["journal.jsonl"]


def test_what_stands_before_and_behind_is_kept_byte_for_byte(path: Path, resume: Open) -> None:
    before = damage(path, 4, 5)
    damaged = path.read_bytes()
    with pytest.raises(StorageError) as refused:
        resume(path.parent.name)
    assert refused.value.hint == f"chatcli sessions repair {path.parent.name} opens what is intact."

    done = repair_journal(path)
    assert done is not None
    assert (done.kept, done.lost, done.unreadable) == (len(before) - 2, 2, (4, 5))
    assert done.original.read_bytes() == damaged
    after = path.read_bytes().splitlines(keepends=True)
    assert [line for number, line in enumerate(after, 1) if number not in (4, 5)] == before[:3] + before[5:]

    session = resume(path.parent.name)
    notice = session.transcript[2]
    assert isinstance(notice, UserMessage)
    assert (notice.seq, notice.parts) == (4, (Text(LOST_NOTICE, origin="notice"),))
    assert session.notes == {"n": "2"}
    session.close()


@pytest.mark.parametrize("wrong", [0, 1, 2, 3, 5, 7, 8, 10, 60, 606, 6_006, 66_666])
@pytest.mark.parametrize("line", [4, 6, 9])
def test_a_damaged_number_costs_its_own_line_alone(path: Path, line: int, wrong: int) -> None:
    before = damage(path, line, by=b'{"type":"note","seq":%d,"at":"","name":"n","value":"x"}' % wrong)
    done = repair_journal(path)
    assert done is not None
    assert (done.kept, done.lost, done.unreadable) == (len(before) - 1, 1, (line,))
    after = path.read_bytes().splitlines(keepends=True)
    assert after[: line - 1] + after[line:] == before[: line - 1] + before[line:]


def test_a_last_message_whose_own_number_is_another_is_damaged(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:12]))
    damage(path, 12, by=lines[11].rstrip().replace(b'"seq":12', b'"seq":96', 1))
    assert b'"type":"message"' in lines[11]
    done = repair_journal(path)
    assert done is not None
    assert (done.kept, done.lost, done.unreadable) == (11, 1, (12,))


def test_lines_that_were_put_between_cost_nothing(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"<<<<<<< HEAD\n", lines[1], *lines[3:]]))
    done = repair_journal(path)
    assert done is not None
    assert (done.lost, done.unreadable) == (0, (4, 5))
    assert path.read_bytes() == b"".join(lines)


def test_a_hole_without_line_ends_is_filled_up(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"\0" * 4096, *lines[6:]]))
    done = repair_journal(path)
    assert done is not None
    assert (done.lost, done.kept, done.unreadable) == (5, len(lines) - 5, (3,))
    recorded = parse(path.read_bytes(), path)
    assert [entry.seq for entry in recorded.entries if isinstance(entry, Lost)] == [4, 5, 6, 7]


def test_a_damaged_end_is_told_to_the_model(path: Path, resume: Open) -> None:
    before = damage(path, 12, 13, 14, 15, 16)
    assert repair_journal(path) is not None
    session = resume(path.parent.name)
    assert len(before) == 14
    assert session.transcript[-1] == UserMessage(seq=12, parts=(Text(LOST_NOTICE, origin="notice"),))
    session.close()


def test_an_undone_summary_that_is_lost_is_not_undone_again(create: Create, resume: Open) -> None:
    session = create()
    session.add_user((Text("question"),))
    session.record_compaction(
        Compacted(seq=0, at="", summary="s", reason="asked", upto_seq=2, before_tokens=9, after_tokens=1)
    )
    session.undo_compaction()
    session.close()
    path = session.archive.folder.parent / "journal.jsonl"
    damage(path, 3)
    assert repair_journal(path) is not None
    resume(session.id).close()


def test_the_beginning_cannot_be_replaced(path: Path) -> None:
    damage(path, 1)
    damaged = path.read_bytes()
    with pytest.raises(StorageError, match="line 1: where the session began is lost"):
        repair_journal(path)
    assert path.read_bytes() == damaged


def test_an_open_session_is_not_repaired(path: Path) -> None:
    journal, _recorded = Journal.open(path)
    with pytest.raises(SessionLocked):
        repair_journal(path)
    journal.close()


def test_each_repair_keeps_its_own_original(path: Path) -> None:
    damage(path, 4)
    first = repair_journal(path)
    damage(path, 6)
    second = repair_journal(path)
    assert first
    assert second
    assert first.original != second.original
    assert second.original.stat().st_mode & 0o777 == 0o600


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_overwritten_the_session_opens_again(
    path: Path, resume: Open, data: st.DataObject
) -> None:
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    start = data.draw(st.integers(first, len(whole) - 1))
    garbage = data.draw(st.binary(min_size=1, max_size=600))
    path.write_bytes(whole[:start] + garbage + whole[start + len(garbage) :])
    try:
        repair_journal(path)
        session = resume(path.parent.name)
        session.close()
        recorded = parse(path.read_bytes(), path)
        assert len(recorded.entries) + recorded.skipped == recorded.last_seq
    finally:
        path.write_bytes(whole)
        for file in path.parent.glob("damaged-*"):
            file.unlink()
