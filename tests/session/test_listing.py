from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chatcli.errors import UsageError
from chatcli.messages import Text, Usage
from chatcli.session import layout, listing
from chatcli.session.entries import UsageRecord
from chatcli.session.session import Session

Create = Callable[[], Session]


def named(home: Path, project: Path, *names: str) -> None:
    for name in names:
        layout.session_folder(home, name).mkdir(parents=True)


def test_an_empty_home_has_no_sessions(home: Path, project: Path) -> None:
    assert listing.list_sessions(home) == []
    assert listing.latest(home, project) is None


def test_a_session_is_described(create: Create, home: Path, project: Path) -> None:
    session = create()
    session.set_state(mode="chat")
    session.add_user((Text("context", origin="context"), Text("  what is\n here?\n")))
    session.add_assistant((Text("files"),), provider="P", model="m", stop_reason="end")
    (info,) = listing.list_sessions(home)
    assert (info.id, info.folder, info.first_words) == (session.id, str(project), "what is here?")
    assert (info.messages, info.locked, info.problem) == (2, True, "")
    assert info.started < info.last_active
    session.close()
    (info,) = listing.list_sessions(home)
    assert not info.locked


def test_looking_at_a_session_does_not_lock_it(create: Create, home: Path, tmp: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    session.close()
    listing.list_sessions(home)
    Session.resume(home, session.id, tmp=tmp, quota_bytes=1).close()


def test_messages_are_counted_behind_a_long_end(create: Create, home: Path) -> None:
    session = create()
    session.add_user((Text("x" * 300_000),))
    record = UsageRecord(
        provider="P", model="m", purpose="answer", usage=Usage(), cost_usd=None, turn=1, seconds=1
    )
    for _number in range(500):
        session.record_usage(record)
    (info,) = listing.list_sessions(home)
    assert (info.messages, info.first_words) == (1, "x" * 100)
    session.close()


def test_a_first_message_too_long_to_look_at_has_no_words(create: Create, home: Path) -> None:
    session = create()
    session.add_user((Text("x" * 2_000_000),))
    (info,) = listing.list_sessions(home)
    assert (info.messages, info.first_words, info.problem) == (1, "", "")
    session.close()


def test_broken_sessions_are_listed_last_with_the_reason(create: Create, home: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    named(home, home, "no-journal", "garbage", "empty")
    (layout.session_folder(home, "garbage") / "journal.jsonl").write_bytes(b"{]\n")
    (layout.session_folder(home, "empty") / "journal.jsonl").touch()
    first, *broken = listing.list_sessions(home)
    assert first.id == session.id
    assert {info.id for info in broken} == {"no-journal", "garbage", "empty"}
    assert all(info.problem for info in broken)
    session.close()


def test_a_torn_end_does_not_hide_the_rest(create: Create, home: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    session.close()
    with (layout.session_folder(home, session.id) / "journal.jsonl").open("ab") as file:
        file.write(b'{"type":"message","num')
    (info,) = listing.list_sessions(home)
    assert info.messages == 1
    assert info.last_active


def test_the_latest_session_of_a_folder_has_messages(
    create: Create, home: Path, project: Path, tmp: Path
) -> None:
    older, newer, empty = create(), create(), create()
    older.add_user((Text("hi"),))
    newer.add_user((Text("hi"),))
    elsewhere = Session.create(home, tmp, tmp=tmp, quota_bytes=1)
    elsewhere.add_user((Text("hi"),))
    assert listing.latest(home, project) == newer.id
    assert listing.latest(home, project / ".." / project.name) == newer.id
    for session in (older, newer, empty, elsewhere):
        session.close()
    assert listing.latest(home, project) == newer.id


def test_an_id_is_found_by_its_beginning_or_end(home: Path, project: Path) -> None:
    named(home, project, "20260101-0000-aaaaaa", "20260102-0000-bbbbbb", "20260102-0000-bbbbbb-2")
    assert listing.find(home, "20260101") == "20260101-0000-aaaaaa"
    assert listing.find(home, "aaa") == "20260101-0000-aaaaaa"
    assert listing.find(home, "20260102-0000-bbbbbb") == "20260102-0000-bbbbbb"
    with pytest.raises(UsageError, match="More than one"):
        listing.find(home, "20260102")
    with pytest.raises(UsageError, match="no session"):
        listing.find(home, "cccc")
