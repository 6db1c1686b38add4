"""Whole files: created, replaced when they are known, kept in their form."""

from __future__ import annotations

import codecs
import hashlib

import pytest

from chatcli.tools import ToolFailed
from chatcli_plugins.read import read
from chatcli_plugins.write import write
from tests.tools.fakes import FakeContext


async def test_a_file_is_created_with_its_folders(context: FakeContext) -> None:
    output = await context.call(write, file="deep/er/a.txt", content="one\ntwo\n")
    assert (context.root / "deep/er/a.txt").read_text() == "one\ntwo\n"
    assert output.text == "Created deep/er/a.txt: 2 lines, 8 bytes."


async def test_an_empty_file_may_be_created(context: FakeContext) -> None:
    await context.call(write, file="empty", content="")
    assert (context.root / "empty").read_bytes() == b""


async def test_a_file_that_was_not_read_is_not_replaced(context: FakeContext) -> None:
    (context.root / "a").write_text("precious")
    with pytest.raises(ToolFailed, match="a exists and you have not read it"):
        await context.call(write, file="a", content="new")
    assert (context.root / "a").read_text() == "precious"


async def test_a_file_that_was_read_is_replaced(context: FakeContext) -> None:
    (context.root / "a").write_text("old")
    await context.call(read, file="a")
    output = await context.call(write, file="a", content="new\n")
    assert (context.root / "a").read_text() == "new\n"
    assert output.text == "Replaced a: 1 lines, 4 bytes."
    assert context.files.last_read(context.root / "a") == hashlib.sha256(b"new\n").hexdigest()


async def test_a_file_that_changed_since_it_was_read_is_not_replaced(context: FakeContext) -> None:
    (context.root / "a").write_text("old")
    await context.call(read, file="a")
    (context.root / "a").write_text("changed by somebody else")
    with pytest.raises(ToolFailed, match="has changed since you last read it"):
        await context.call(write, file="a", content="new")


async def test_an_empty_file_may_be_filled_without_reading(context: FakeContext) -> None:
    (context.root / "a").touch()
    await context.call(write, file="a", content="new")
    assert (context.root / "a").read_text() == "new"


async def test_the_same_content_is_not_written_again(context: FakeContext) -> None:
    (context.root / "a").write_text("same")
    await context.call(read, file="a")
    assert (await context.call(write, file="a", content="same")).brief == "unchanged"
    assert context.files.writes == []


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "c\nd\n", b"c\r\nd\r\n"),
        (b"a\r\nb\n", "c\nd\n", b"c\nd\n"),
        (b"a\r\nb\r\n", "c\r\nd\n", b"c\r\nd\n"),
        (codecs.BOM_UTF8 + b"a", "é", codecs.BOM_UTF8 + "é".encode()),
        (b"caf\xe9", "th\xe9", b"th\xe9"),
        (b"caf\xe9", "界", "界".encode()),
    ],
)
async def test_line_ends_and_encoding_of_the_file_are_kept(
    context: FakeContext, before: bytes, content: str, after: bytes
) -> None:
    (context.root / "a").write_bytes(before)
    await context.call(read, file="a")
    await context.call(write, file="a", content=content)
    assert (context.root / "a").read_bytes() == after


async def test_a_folder_is_refused(context: FakeContext) -> None:
    (context.root / "src").mkdir()
    with pytest.raises(ToolFailed, match="src cannot be opened"):
        await context.call(write, file="src", content="x")
