"""Deleting a result reaches its bytes everywhere in the session, and the journal says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chatcli.errors import StorageError
from chatcli.messages import DELETED, Text, ToolCall, ToolResult
from chatcli.session.session import Session
from chatcli.session.workspace import file_name

SECRET = b"the secret\n" * 1_000

Create = Callable[[], Session]
Open = Callable[[str], Session]


def with_result(session: Session, data: bytes = SECRET) -> ToolResult:
    id = f"call_{len(session.transcript)}"
    session.add_user((Text("Go."),))
    session.add_assistant(
        (ToolCall(id=id, name="exec"),), provider="OFFLINE", model="m", stop_reason="tool_calls"
    )
    return session.add_result(call_id=id, name="exec", original=session.archive.put(data))


def files_with(folder: Path, data: bytes) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and data in path.read_bytes()]


def test_bytes_are_gone_from_archive_and_workspace_and_the_journal_keeps_the_sizes(
    create: Create, tmp_path: Path
) -> None:
    session = create()
    result, other = with_result(session), with_result(session, b"harmless")
    for call_id in (result.call_id, "attached_0123abcd"):
        assert session.workspace.expose(call_id, result.original, session.archive)
    assert len(files_with(tmp_path, b"the secret")) == 3
    used_bytes = session.archive.used_bytes
    session.delete_result(result.original.sha256)
    assert files_with(tmp_path, b"the secret") == []
    assert session.archive.used_bytes == used_bytes - len(SECRET)
    with pytest.raises(StorageError):
        session.archive.text(result.original)
    assert session.archive.text(other.original) == "harmless"
    assert result in session.transcript


def test_the_text_that_was_read_before_is_forgotten_too(create: Create) -> None:
    session = create()
    result = with_result(session)
    assert session.archive.text(result.original)
    session.delete_result(result.original.sha256)
    with pytest.raises(StorageError):
        session.archive.text(result.original)


def test_every_result_with_these_bytes_is_shown_as_deleted_also_after_a_resume(
    create: Create, resume: Open
) -> None:
    session = create()
    one, other, twin = with_result(session), with_result(session, b"harmless"), with_result(session)
    session.delete_result(one.original.sha256)
    session.close()
    resumed = resume(session.id)
    assert resumed.shown == {one.seq: DELETED, twin.seq: DELETED}
    assert resumed.deleted == {one.original.sha256}
    assert resumed.archive.has(other.original.key)


def test_a_deletion_that_was_interrupted_is_finished_on_resume(create: Create, resume: Open) -> None:
    session = create()
    result = with_result(session)
    session.delete_result(result.original.sha256)
    session.close()
    # As if the process had been killed between the journal and the files.
    kept = session.archive.folder / result.original.sha256
    exposed = session.workspace.tool_results / file_name("call_0", result.original)
    exposed.parent.mkdir(parents=True, mode=0o700)
    session.workspace.root.chmod(0o700)
    for path in (kept, exposed):
        path.write_bytes(SECRET)
    resume(session.id)
    assert not kept.exists()
    assert not exposed.exists()


def test_the_same_bytes_may_come_again_and_stay(create: Create, resume: Open) -> None:
    session = create()
    old = with_result(session)
    session.delete_result(old.original.sha256)
    again = with_result(session)
    session.close()
    resumed = resume(session.id)
    assert resumed.archive.text(again.original) == SECRET.decode()
    assert resumed.deleted == set()
    assert resumed.shown == {old.seq: DELETED}


def test_the_journal_holds_no_byte_of_a_result(create: Create, home: Path) -> None:
    session = create()
    result = with_result(session)
    (journal,) = home.rglob("journal.jsonl")
    assert result.original.key.encode() in journal.read_bytes()
    assert b"the secret" not in journal.read_bytes()
