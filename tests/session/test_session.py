from __future__ import annotations

import errno
import stat
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatcli.errors import StorageError, UsageError
from chatcli.messages import AssistantMessage, Presentation, Text, ToolCall, ToolResult, Usage
from chatcli.session.entries import Decision, UsageRecord
from chatcli.session.journal import SessionLocked
from chatcli.session.session import CANCELLED, INTERRUPTED, Session

Create = Callable[[], Session]
Open = Callable[[str], Session]


def reply(session: Session, *call_ids: str, text: str = "") -> AssistantMessage:
    calls = [ToolCall(id=call_id, name="read") for call_id in call_ids]
    return session.add_assistant(
        (Text(text), *calls), provider="P", model="m", stop_reason="tool_calls" if calls else "end"
    )


def answer(session: Session, call_id: str, text: str = "result") -> ToolResult:
    return session.add_result(call_id=call_id, name="read", original=session.archive.put_text(text))


def record(turn: int = 1) -> UsageRecord:
    return UsageRecord(
        provider="P",
        model="m",
        purpose="answer",
        usage=Usage(input=turn),
        cost_usd=None,
        turn=turn,
        seconds=0.5,
    )


def memory(session: Session) -> dict[str, Any]:
    """Everything that a resume must bring back."""
    return {
        "id": session.id,
        "folder": session.folder,
        "parent": session.parent,
        "transcript": list(session.transcript),
        "shown": dict(session.shown),
        "notes": dict(session.notes),
        "usage": list(session.usage),
        "state": (session.mode, session.provider, session.model, session.autonomy, session.prompt_key),
    }


def crash(session: Session) -> None:
    """What a SIGKILL leaves: no closing entry, the lock free, the workspace as it was."""
    session._journal.close()
    session.workspace.remove(keep=True)


def test_a_new_session_is_private_and_waits_for_its_first_words(
    create: Create, home: Path, project: Path
) -> None:
    session = create()
    folder = home / "sessions" / session.id
    assert [found.name for found in folder.parent.iterdir()] == [session.id]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (home, folder.parent, folder)} == {0o700}
    assert {path.name for path in folder.iterdir()} == {"journal.jsonl", "archive", "checkpoints"}
    assert (session.folder, session.transcript) == (project, [])
    session.close()


def test_a_session_in_which_nothing_was_said_is_dropped(create: Create, home: Path) -> None:
    session = create()
    session.set_state(mode="chat")
    session.close()
    assert list((home / "sessions").iterdir()) == []


def test_the_number_of_a_message_is_that_of_its_entry(create: Create) -> None:
    session = create()
    user = session.add_user((Text("hi"),))
    session.set_note("a", "b")
    message = reply(session, "c1")
    session.start_call(message, message.calls[0])
    result = answer(session, "c1")
    assert [m.seq for m in (user, message, result)] == [2, 4, 6]
    session.close()


def test_a_closed_session_resumes_as_it_was(create: Create, resume: Open) -> None:
    session = create()
    session.add_user((Text("hi"),))
    message = reply(session, "c1")
    session.start_call(message, message.calls[0])
    result = answer(session, "c1")
    session.record_decisions([Decision(result.seq, Presentation(kind="preview", head_chars=4), "first")])
    session.record_usage(record())
    session.set_note("todo", "1")
    session.set_state(mode="agent", provider="P", model="m", autonomy="ask", prompt_key="k")
    session.set_state(mode="coder")
    session.close()
    session.close()
    resumed = resume(session.id)
    assert memory(resumed) == memory(session)
    assert (resumed.mode, resumed.provider) == ("coder", "P")
    assert (resumed.repaired, resumed.torn_bytes, resumed.workspace_moved) == ((), 0, False)
    assert resumed.workspace.root == session.workspace.root
    resumed.close()


def test_open_calls_are_closed_on_resume_in_call_order(create: Create, resume: Open) -> None:
    session = create()
    session.add_user((Text("hi"),))
    message = reply(session, "c1", "c2", "c3", "c4")
    for call in message.calls[:3]:
        session.start_call(message, call)
    answer(session, "c2")
    crash(session)
    resumed = resume(session.id)
    closed = [(r.call_id, r.name, r.status, resumed.archive.text(r.original)) for r in resumed.repaired]
    assert closed == [
        ("c1", "read", "interrupted", INTERRUPTED),
        ("c3", "read", "interrupted", INTERRUPTED),
        ("c4", "read", "cancelled", CANCELLED),
    ]
    assert resumed.transcript[-3:] == list(resumed.repaired)
    resumed.close()
    again = resume(session.id)
    assert again.repaired == ()
    assert again.transcript == resumed.transcript
    again.close()


def test_ids_that_repeat_in_every_turn_do_not_close_each_other(create: Create, resume: Open) -> None:
    session = create()
    session.add_user((Text("hi"),))
    first = reply(session, "read:0")
    session.start_call(first, first.calls[0])
    answer(session, "read:0")
    reply(session, "read:0")
    crash(session)
    resumed = resume(session.id)
    assert [(r.call_id, r.status) for r in resumed.repaired] == [("read:0", "cancelled")]
    resumed.close()


def test_repeated_and_empty_ids_get_what_pairing_expects(create: Create, resume: Open) -> None:
    session = create()
    session.add_user((Text("hi"),))
    reply(session, "a", "a", "", "b")
    crash(session)
    resumed = resume(session.id)
    assert [r.call_id for r in resumed.repaired] == ["a", "b"]
    resumed.close()


def test_a_torn_entry_is_reported_once(create: Create, resume: Open, home: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    crash(session)
    with (home / "sessions" / session.id / "journal.jsonl").open("ab") as file:
        file.write(b'{"type":"mess')
    resumed = resume(session.id)
    assert resumed.torn_bytes == 13
    resumed.close()
    again = resume(session.id)
    assert again.torn_bytes == 0
    again.close()


def test_an_open_session_can_be_forked_but_not_resumed(create: Create, resume: Open, fork: Open) -> None:
    session = create()
    session.add_user((Text("hi"),))
    message = reply(session, "c1")
    answer(session, "c1", "the result")
    with pytest.raises(SessionLocked) as caught:
        resume(session.id)
    copy = fork(caught.value.session_id)
    assert copy.id != session.id
    assert copy.parent == session.id
    assert copy.transcript == session.transcript
    assert copy.archive.text(copy.transcript[-1].original.key) == "the result"  # type: ignore[union-attr]
    assert copy.workspace.root != session.workspace.root
    assert copy.workspace_moved
    copy.add_user((Text("only here"),))
    assert session.transcript[-2:] == [message, session.transcript[-1]]
    session.close()
    copy.close()
    again = resume(copy.id)
    assert memory(again) == memory(copy)
    again.close()


def test_a_fork_keeps_what_a_newer_chatcli_wrote(create: Create, fork: Open, home: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    crash(session)
    newer = b'{"type":"hologram","seq":3,"at":"2030"}\n'
    with (home / "sessions" / session.id / "journal.jsonl").open("ab") as file:
        file.write(newer)
    copy = fork(session.id)
    assert copy.skipped_entries == 1
    assert newer in (home / "sessions" / copy.id / "journal.jsonl").read_bytes()
    copy.close()


def test_a_workspace_that_somebody_else_took_moves(create: Create, resume: Open, tmp: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    session.close()
    session.workspace.root.symlink_to(tmp)
    resumed = resume(session.id)
    assert resumed.workspace_moved
    assert resumed.workspace.root != session.workspace.root
    resumed.close()
    again = resume(session.id)
    assert (again.workspace.root, again.workspace_moved) == (resumed.workspace.root, False)
    again.close()


def test_the_workspace_comes_back_where_it_was_when_tmpdir_changed(
    create: Create, home: Path, tmp_path: Path
) -> None:
    session = create()
    session.add_user((Text("hi"),))
    session.close()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    resumed = Session.resume(home, session.id, tmp=elsewhere, quota_bytes=1)
    assert resumed.workspace.root == session.workspace.root
    resumed.close()


def test_no_memory_without_disk(
    create: Create, resume: Open, home: Path, full_at: Callable[[int], AbstractContextManager[None]]
) -> None:
    session = create()
    session.add_user((Text("hi"),))
    before = memory(session)
    size = (home / "sessions" / session.id / "journal.jsonl").stat().st_size
    with full_at(size + 10):
        with pytest.raises(StorageError):
            session.add_user((Text("lost"),))
        with pytest.raises(StorageError):
            session.set_note("lost", "lost")
        session.close()
    assert memory(session) == before
    resumed = resume(session.id)
    assert memory(resumed) == before
    resumed.close()


def test_a_session_that_cannot_be_made_leaves_nothing(home: Path, project: Path, tmp: Path) -> None:
    home.mkdir()
    (home / "sessions").write_text("a file")
    with pytest.raises(StorageError):
        Session.create(home, project, tmp=tmp, quota_bytes=1)
    assert list(tmp.iterdir()) == []


def test_a_full_disk_at_the_beginning_leaves_nothing(
    home: Path, project: Path, tmp: Path, full_at: Callable[[int], AbstractContextManager[None]]
) -> None:
    with full_at(20), pytest.raises(StorageError) as caught:
        Session.create(home, project, tmp=tmp, quota_bytes=1)
    assert caught.value.exit_code == 6
    assert list(tmp.iterdir()) == []
    assert list((home / "sessions").iterdir()) == []


def test_a_fork_copies_where_it_cannot_link(
    create: Create, fork: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = create()
    session.add_user((Text("hi"),))
    original = session.archive.put(b"data")

    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EXDEV, "another disk")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    copy = fork(session.id)
    assert copy.archive.text(original) == "data"
    assert stat.S_IMODE((copy.archive.folder / original.sha256).stat().st_mode) == 0o600
    session.close()
    copy.close()


def test_a_journal_without_beginning_is_no_session(
    create: Create, resume: Open, home: Path, tmp: Path
) -> None:
    session = create()
    session.add_user((Text("hi"),))
    session.close()
    (home / "sessions" / session.id / "journal.jsonl").write_bytes(b"")
    for _attempt in range(2):
        with pytest.raises(StorageError, match="does not begin"):
            resume(session.id)
    assert list(tmp.iterdir()) == []


def test_ids_may_be_shortened(create: Create, resume: Open) -> None:
    session = create()
    session.add_user((Text("hi"),))
    session.close()
    resumed = resume(session.id[-6:])
    assert resumed.id == session.id
    resumed.close()


@pytest.mark.parametrize("wanted", ["", "../..", "nothing", "."])
def test_unknown_ids_are_wrong_usage(create: Create, resume: Open, wanted: str) -> None:
    session = create()
    with pytest.raises(UsageError):
        resume(wanted)
    session.close()


def test_undo_is_journalled(create: Create, project: Path, home: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    path = project / "a"
    session.checkpoints.before_write(2, path, content=None, mode=0o644, after=b"x")
    path.write_bytes(b"x")
    done = session.undo()
    assert done is not None
    assert done.removed == (path,)
    assert session.undo() is None
    session.close()
    assert b'"type":"undone","turn":2' in (home / "sessions" / session.id / "journal.jsonl").read_bytes()


def test_ten_thousand_entries_resume_within_a_second(create: Create, resume: Open, home: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    crash(session)
    path = home / "sessions" / session.id / "journal.jsonl"
    opened, line = path.read_bytes().splitlines(keepends=True)
    long = line.replace(b'"hi"', b'"' + b"word " * 100 + b'"')
    lines = [long.replace(b'"seq":2', b'"seq":%d' % seq) for seq in range(2, 10_002)]
    path.write_bytes(opened + b"".join(lines))
    began = time.process_time()
    resumed = resume(session.id)
    assert time.process_time() - began < 1
    assert len(resumed.transcript) == 10_000
    resumed.close()


words = st.text(max_size=20)
ids = st.sampled_from(["a", "b", "c", ""])
operations = st.one_of(
    st.tuples(st.just("user"), words),
    st.tuples(st.just("reply"), st.lists(ids, max_size=3)),
    st.tuples(st.just("start"), ids),
    st.tuples(st.just("result"), ids, words),
    st.tuples(st.just("show"), st.integers(0, 9)),
    st.tuples(st.just("usage"), st.integers(0, 9)),
    st.tuples(st.just("note"), words, words),
    st.tuples(st.just("state"), words),
    st.tuples(st.just("crash")),
    st.tuples(st.just("close")),
)


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(operations, max_size=25))
def test_whatever_happened_a_resume_brings_it_back(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Any, ...]]
) -> None:
    base = tmp_path_factory.mktemp("session")
    session = Session.create(base / "home", base, tmp=base, quota_bytes=1_000)
    session.add_user((Text("hi"),))
    for step in steps:
        match step:
            case ("user", text):
                session.add_user((Text(text), Text("context", origin="context")))
            case ("reply", calls):
                reply(session, *calls)
            case ("start", call_id):
                session.start_call(reply(session, call_id), ToolCall(id=call_id, name="read"))
            case ("result", call_id, text):
                answer(session, call_id, text)
            case ("show", head):
                session.record_decisions(
                    [Decision(head, Presentation(kind="capped", head_chars=head), "age")]
                )
            case ("usage", turn):
                session.record_usage(record(turn))
            case ("note", name, value):
                session.set_note(name, value)
            case ("state", mode):
                session.set_state(mode=mode)
            case (end,):
                if end == "crash":
                    crash(session)
                else:
                    session.close()
                before = memory(session)
                session = Session.resume(base / "home", session.id, tmp=base, quota_bytes=1_000)
                repaired = len(session.repaired)
                after = memory(session)
                after["transcript"] = after["transcript"][: len(after["transcript"]) - repaired]
                assert after == before
                assert session.unanswered() == []
    crash(session)
