"""`chatcli sessions` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatcli.messages import Text
from chatcli.session.session import Session


@pytest.fixture
def new_session(cli, tmp_path: Path):
    def create(words: str, folder: Path | None = None) -> Session:
        session = Session.create(
            cli.home, folder or cli.project, tmp=tmp_path / "tmp", quota_bytes=1_000_000, version="0"
        )
        session.add_user((Text(words),))
        return session

    return create


def test_the_sessions_of_the_folder_are_listed(new_session, out, tmp_path: Path) -> None:
    mine = new_session("fix the \x1b[31mbug")
    mine.close()
    other = new_session("other", tmp_path)
    other.close()
    text = out("sessions")
    assert mine.id in text
    assert "fix the" in text
    assert "\x1b" not in text
    assert other.id not in text
    assert other.id in out("sessions", "--all")


def test_json_is_one_list(new_session, out) -> None:
    session = new_session("hello")
    session.close()
    (entry,) = json.loads(out("sessions", "--output", "json"))
    assert (entry["id"], entry["first_words"], entry["messages"]) == (session.id, "hello", 1)


def test_an_empty_list_says_so(out) -> None:
    assert out("sessions") == "No session of this folder yet.\n"


def test_deleting_removes_the_session(cli, new_session, out) -> None:
    session = new_session("hello")
    session.close()
    assert session.id in out("sessions", "delete", session.id)
    assert json.loads(out("sessions", "--all", "--output", "json")) == []


def test_an_open_session_is_not_deleted(cli, new_session) -> None:
    session = new_session("hello")
    ran = cli("sessions", "delete", session.id)
    assert ran.returncode == 6
    assert session.id in ran.stderr
    session.close()


def test_an_unknown_session_is_one_clear_line(cli) -> None:
    ran = cli("sessions", "delete", "nope")
    assert ran.returncode == 2
    assert "nope" in ran.stderr


def test_an_unknown_form_of_output_is_refused(cli) -> None:
    ran = cli("sessions", "--output", "xml")
    assert ran.returncode == 2
    assert "xml" in ran.stderr
