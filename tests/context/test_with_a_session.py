"""The pipeline over a real archive, a real workspace and a real resume."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatcli.agent.store import SessionStore
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline, View
from chatcli.messages import Text, ToolCall, ToolResult
from chatcli.session.session import Session
from tests.context.builders import lines_of, shown_texts

QUOTA_BYTES = 1_000_000_000


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "project").mkdir()
    session = Session.create(
        tmp_path / "home", tmp_path / "project", tmp=tmp_path / "tmp", quota_bytes=QUOTA_BYTES
    )
    session.add_user((Text("Begin."),))
    yield session
    session.close()


def turn(session: Session, data: bytes) -> None:
    id = f"call/{len(session.transcript)}"
    session.add_assistant(
        (ToolCall(id=id, name="exec"),), provider="OFFLINE", model="m", stop_reason="tool_calls"
    )
    sink = session.archive.sink()
    sink.write(data)
    session.add_result(call_id=id, name="exec", original=sink.finish(), read_only=True)


def prepare(session: Session) -> View:
    view = Pipeline(Limits(), Ageing(), SessionStore(session)).prepare(session.transcript, session.shown)
    if view.decisions:
        session.record_decisions(view.decisions)
    return view


def file_in(text: str) -> Path:
    (path,) = re.findall(r"full output saved to (.+), @recall", text)
    return Path(path)


def test_the_file_that_a_marker_names_holds_every_byte(session: Session) -> None:
    data = lines_of(50_000, "ação 狐狸").encode() + b"\xff\xfe broken \x00\n"
    turn(session, data)
    (text,) = shown_texts(prepare(session).messages)
    assert file_in(text).read_bytes() == data


def test_the_marker_counts_the_chars_of_broken_bytes_as_they_are_shown(session: Session) -> None:
    data = (b"\xff\xf0\x9f\x98 \xc3\xa9\n") * 9_000
    turn(session, data)
    (text,) = shown_texts(prepare(session).messages)
    (omitted,) = re.findall(r"(\d+) chars omitted", text)
    head, _, tail = text.split("\n\n")
    assert len(head) + 1 + len(tail) + int(omitted) == len(data.decode("utf-8", "replace"))


def test_a_resumed_session_shows_the_same_bytes(session: Session, tmp_path: Path) -> None:
    for number in range(6):
        turn(session, f"{number}\n{lines_of(40_000)}".encode())
        before = prepare(session)
    session.close()
    resumed = Session.resume(tmp_path / "home", session.id, tmp=tmp_path / "tmp", quota_bytes=QUOTA_BYTES)
    after = prepare(resumed)
    assert after.decisions == ()
    assert after.messages == before.messages
    assert file_in(shown_texts(after.messages)[-1]).read_bytes() == f"5\n{lines_of(40_000)}".encode()
    resumed.close()


def test_a_huge_result_is_shown_by_its_ends(session: Session) -> None:
    data = b"first\n" + b"error: early\n" + b"a line of no interest\n" * 500_000 + b"error: late\nlast\n" * 80
    turn(session, data)
    (text,) = shown_texts(prepare(session).messages)
    assert text.startswith("first\n")
    assert text.endswith("error: late\nlast\n")
    assert len(text) < 7_000
    assert file_in(text).stat().st_size == len(data)


def test_an_original_that_was_deleted_is_said_to_be_gone(session: Session, tmp_path: Path) -> None:
    turn(session, b"x" * 50_000)
    prepare(session)
    for file in session.archive.folder.iterdir():
        file.unlink()
    (text,) = shown_texts(prepare(session).messages)
    assert "no longer in the archive" in text or text.startswith("xxx")


def test_a_deleted_result_is_shown_as_deleted_and_nothing_else_changes(session: Session) -> None:
    turn(session, lines_of(50_000).encode())
    turn(session, b"short")
    before = shown_texts(prepare(session).messages)
    (sha256, *_others) = [m.original.sha256 for m in session.transcript if isinstance(m, ToolResult)]
    session.delete_result(sha256)
    view = prepare(session)
    deleted, other = shown_texts(view.messages)
    assert re.fullmatch(r"\[Tool result deleted by the user — \d+ lines, \d+ chars\]", deleted)
    assert other == before[1]
    assert view.decisions == ()
    assert not file_in(before[0]).exists()
