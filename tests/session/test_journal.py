from __future__ import annotations

import stat
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatcli.errors import StorageError
from chatcli.messages import (
    AssistantMessage,
    AssistantPart,
    Message,
    Reasoning,
    Text,
    ToolCall,
    UserMessage,
    UserPart,
)
from chatcli.session.entries import FORMAT, Entry, MessageAdded, NoteSet, Opened, Resumed, now
from chatcli.session.journal import Journal, SessionLocked, parse
from chatcli.session.repair import repair_journal

Full = Callable[[int], AbstractContextManager[None]]


def note(seq: int, value: str = "value") -> NoteSet:
    return NoteSet(seq=seq, at=now(), name="name", value=value)


def opened(*, format: int = 1, version: str = "1.0") -> Opened:
    return Opened(
        seq=1, at=now(), session_id="id", folder="/p", workspace="/w", version=version, format=format
    )


def written(path: Path, count: int) -> list[Entry]:
    journal = Journal.create(path)
    entries: list[Entry] = [journal.append(note(seq, "x" * seq)) for seq in range(1, count + 1)]
    journal.close()
    return entries


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session-id" / "journal.jsonl"


@pytest.fixture(autouse=True)
def folder(path: Path) -> None:
    path.parent.mkdir()


def test_entries_come_back_in_order(path: Path) -> None:
    entries = written(path, 5)
    journal, recorded = Journal.open(path)
    journal.close()
    assert list(recorded.entries) == entries
    assert (recorded.last_seq, recorded.torn_bytes, recorded.skipped) == (5, 0, 0)


def test_the_file_is_private(path: Path) -> None:
    written(path, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_each_entry_is_one_line(path: Path) -> None:
    journal = Journal.create(path)
    journal.append(note(1, "two\nlines\r\n\u2028\x00"))
    journal.close()
    assert path.read_bytes().count(b"\n") == 1


def test_an_entry_out_of_order_is_a_bug(path: Path) -> None:
    journal = Journal.create(path)
    with pytest.raises(ValueError, match="does not follow"):
        journal.append(note(2))
    journal.close()


def test_half_characters_are_replaced_in_memory_as_on_disk(path: Path) -> None:
    message = AssistantMessage(
        seq=1,
        parts=(Text("a\ud83d"), Reasoning(opaque={"\udfff": ["\ud800", 1]}), ToolCall(id="\ud800", name="n")),
        provider="P",
        model="m",
    )
    journal = Journal.create(path)
    entry = journal.append(MessageAdded(seq=1, at=now(), message=message, number=1))
    journal.close()
    assert entry.message.text == "a\ufffd"
    assert parse(path.read_bytes(), path).entries == (entry,)


def test_bytes_from_the_command_line_that_are_utf8_together_are_kept(path: Path) -> None:
    smuggled = "olá".encode().decode("ascii", "surrogateescape")
    journal = Journal.create(path)
    assert journal.append(note(1, smuggled)).value == "olá"
    journal.close()


def test_a_second_writer_is_refused_and_told_the_session(path: Path) -> None:
    journal = Journal.create(path)
    with pytest.raises(SessionLocked) as caught:
        Journal.open(path)
    assert caught.value.session_id == "session-id"
    journal.close()
    Journal.open(path)[0].close()


def test_a_journal_that_was_removed_meanwhile_is_not_opened(path: Path) -> None:
    with pytest.raises(StorageError, match="No such file"):
        Journal.open(path)


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(min_value=0, max_value=1_000), count=st.integers(min_value=0, max_value=6))
def test_truncated_anywhere_it_opens_with_every_complete_entry(
    tmp_path_factory: pytest.TempPathFactory, cut: int, count: int
) -> None:
    path = tmp_path_factory.mktemp("torn") / "journal.jsonl"
    entries = written(path, count)
    data = path.read_bytes()[:cut]
    path.write_bytes(data)
    journal, recorded = Journal.open(path)
    complete = data.count(b"\n")
    assert list(recorded.entries) == entries[:complete]
    assert journal.torn_bytes == len(data) - recorded.size_bytes
    assert path.read_bytes() == data[: recorded.size_bytes]
    after = journal.append(note(complete + 1))
    journal.close()
    assert parse(path.read_bytes(), path).entries == (*entries[:complete], after)


def test_a_last_line_of_which_blocks_were_lost_is_torn(path: Path) -> None:
    written(path, 2)
    with path.open("ab") as file:
        file.write(b"\0" * 40 + b'"}\n')
    journal, recorded = Journal.open(path)
    journal.close()
    assert (journal.torn_bytes, recorded.last_seq) == (43, 2)


@pytest.mark.parametrize("garbage", [b"\n", b"{not json}\n", b'{"type":"note","seq":2}\n', b"[]\n"])
def test_a_broken_line_in_the_middle_is_named(path: Path, garbage: bytes) -> None:
    written(path, 2)
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + garbage + second)
    with pytest.raises(StorageError, match=r"journal\.jsonl, line 2"):
        Journal.open(path)
    Journal.create(path.with_name("other")).close()


def test_a_missing_line_is_noticed(path: Path) -> None:
    written(path, 3)
    first, _second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + third)
    with pytest.raises(StorageError, match="line 2"):
        Journal.open(path)


def test_a_failed_opening_gives_the_lock_back(path: Path) -> None:
    path.write_bytes(b"{}\n{}\n")
    for _attempt in range(2):
        with pytest.raises(StorageError, match="line 1"):
            Journal.open(path)


def test_what_a_newer_chatcli_added_is_skipped_and_kept(path: Path) -> None:
    written(path, 1)
    newer = b'{"type":"hologram","seq":2,"at":"2030","depth":3}\n'
    wider = msgspec.json.encode(msgspec.to_builtins(note(3)) | {"colour": "red"}) + b"\n"
    with path.open("ab") as file:
        file.write(newer + wider)
    journal, recorded = Journal.open(path)
    journal.append(note(4))
    journal.close()
    assert recorded.skipped == 1
    assert [entry.seq for entry in recorded.entries] == [1, 3]
    assert newer + wider in path.read_bytes()


@pytest.mark.parametrize("resumed", [False, True])
def test_a_newer_format_says_what_wrote_it_and_is_not_repaired(path: Path, resumed: bool) -> None:
    journal = Journal.create(path)
    journal.append(opened(format=1 if resumed else 99, version="9.9"))
    journal.append(Resumed(seq=2, at=now(), workspace="/w", version="9.9", format=99 if resumed else 1))
    journal.close()
    with path.open("ab") as file:
        file.write(b'{"type":"message","seq":3,"at":"","message":{"type":"smell"},"number":1}\n')
    before = path.read_bytes()
    for read in (Journal.open, repair_journal):
        with pytest.raises(StorageError) as caught:
            read(path)
        assert caught.value.hint == "It was written by chatcli 9.9: update this one."
    assert path.read_bytes() == before


def test_what_messages_may_hold_belongs_to_the_format() -> None:
    """Whoever adds to it raises `FORMAT`: an older chatcli would take such a message for damage."""
    kinds = get_args(Message) + get_args(UserPart) + get_args(AssistantPart)
    tags = {kind.__struct_config__.tag for kind in kinds}
    messages = {"user", "assistant", "tool_result"}
    parts = {"text", "attachment", "image", "reasoning", "tool_call"}
    assert (FORMAT, tags) == (2, messages | parts)


def test_a_write_that_the_disk_refuses_leaves_no_trace(path: Path, full_at: Full) -> None:
    journal = Journal.create(path)
    first = journal.append(note(1))
    size = path.stat().st_size
    with full_at(size + 20), pytest.raises(StorageError) as caught:
        journal.append(note(2))
    assert caught.value.exit_code == 6
    assert path.stat().st_size == size
    second = journal.append(note(2))
    journal.close()
    assert parse(path.read_bytes(), path).entries == (first, second)


def test_a_full_disk_before_the_first_byte_is_the_same(path: Path, full_at: Full) -> None:
    journal = Journal.create(path)
    journal.append(note(1))
    with full_at(path.stat().st_size), pytest.raises(StorageError):
        journal.append(note(2))
    journal.append(note(2))
    journal.close()
    assert parse(path.read_bytes(), path).last_seq == 2


def test_what_cannot_be_read_back_is_not_written(path: Path) -> None:
    journal = Journal.create(path)
    call = ToolCall(id=None, name="n")  # type: ignore[arg-type]
    message = AssistantMessage(seq=1, parts=(call,), provider="P", model="m")
    with pytest.raises(msgspec.ValidationError):
        journal.append(MessageAdded(seq=1, at=now(), message=message, number=1))
    assert path.stat().st_size == 0
    journal.append(MessageAdded(seq=1, at=now(), message=UserMessage(seq=1, parts=(Text("x"),)), number=1))
    journal.close()
