"""Edits change what they name and not one byte beside it, all of them or none."""

from __future__ import annotations

import asyncio
import codecs
import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatcli.tools import InvalidArguments, ToolFailed
from chatcli_plugins.patch import patch
from tests.tools.fakes import FakeContext

SOURCE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"


def edit(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old": old, "new": new, **more}


async def test_one_edit(context: FakeContext) -> None:
    (context.root / "a.py").write_text(SOURCE)
    output = await context.call(patch, file="a.py", edits=[edit("return 1", "return 10")])
    assert (context.root / "a.py").read_text() == SOURCE.replace("return 1", "return 10")
    assert output.text == "Patched a.py at line 2."
    assert "+    return 10" in output.diff


async def test_edits_apply_in_order_each_on_the_text_before_it(context: FakeContext) -> None:
    (context.root / "a.py").write_text(SOURCE)
    await context.call(patch, file="a.py", edits=[edit("one", "uno"), edit("uno()", "eins()")])
    assert "def eins():" in (context.root / "a.py").read_text()


async def test_several_files_are_written_in_one_go(context: FakeContext) -> None:
    for name in ("a.py", "b.py"):
        (context.root / name).write_text(SOURCE)
    output = await context.call(
        patch, file="a.py", edits=[edit("one", "uno"), edit("two", "due", file="b.py"), edit("two", "dos")]
    )
    assert output.text == "Patched a.py at lines 1, 5; b.py at line 5."
    assert len(context.files.writes) == 1


async def test_nothing_is_written_when_one_edit_fails(context: FakeContext) -> None:
    for name in ("a.py", "b.py"):
        (context.root / name).write_text(SOURCE)
    with pytest.raises(ToolFailed, match=r"Edit 2 of 2: 'old' is not in b\.py"):
        await context.call(
            patch, file="a.py", edits=[edit("one", "uno"), edit("nowhere to be found", "x", file="b.py")]
        )
    assert context.files.writes == []
    assert (context.root / "a.py").read_text() == SOURCE


async def test_a_match_that_is_not_unique_is_refused_with_its_lines(context: FakeContext) -> None:
    (context.root / "a.py").write_text(SOURCE)
    with pytest.raises(ToolFailed, match=r"'old' is 2 times in a\.py, at lines 2, 6\."):
        await context.call(patch, file="a.py", edits=[edit("return", "yield")])


async def test_overlapping_matches_are_not_unique(context: FakeContext) -> None:
    (context.root / "a").write_text("aaa")
    with pytest.raises(ToolFailed, match="2 times"):
        await context.call(patch, file="a", edits=[edit("aa", "b")])


async def test_all_replaces_every_match(context: FakeContext) -> None:
    (context.root / "a.py").write_text(SOURCE)
    output = await context.call(patch, file="a.py", edits=[edit("return", "yield", all=True)])
    assert (context.root / "a.py").read_text() == SOURCE.replace("return", "yield")
    assert output.text == "Patched a.py at lines 2, 6."


async def test_a_miss_shows_the_nearest_place(context: FakeContext) -> None:
    (context.root / "a.py").write_text(SOURCE)
    with pytest.raises(ToolFailed) as caught:
        await context.call(patch, file="a.py", edits=[edit("def two():\n  return 2\n", "x")])
    assert str(caught.value) == (
        "'old' is not in a.py. Nearest is lines 5-6 (differs only in white space):\n"
        "def two():\n    return 2\n"
        " Nothing was changed."
    )


async def test_a_file_that_may_hold_keys_is_not_shown_by_a_miss(context: FakeContext) -> None:
    path = context.root / ".env"
    path.write_text("TOKEN=abc\n")
    context.files.unshown.add(path)
    edits = [edit("TOKEN=x", "TOKEN=y")]
    with pytest.raises(ToolFailed, match="Read it first") as failed:
        await context.text(patch, file=".env", edits=edits)
    assert "abc" not in str(failed.value)
    context.files.note_read(path, hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(ToolFailed, match="TOKEN=abc"):
        await context.text(patch, file=".env", edits=edits)


async def test_a_miss_by_a_typo_shows_the_line(context: FakeContext) -> None:
    (context.root / "a.py").write_text(SOURCE)
    with pytest.raises(ToolFailed, match=r"Nearest is line 2 \(92% alike\):\n    return 1\n"):
        await context.call(patch, file="a.py", edits=[edit("    retrun 1", "x")])


async def test_a_miss_without_anything_near_says_only_that(context: FakeContext) -> None:
    (context.root / "a.py").write_text(SOURCE)
    with pytest.raises(ToolFailed) as caught:
        await context.call(patch, file="a.py", edits=[edit("@@@@ ????", "x")])
    assert str(caught.value) == "'old' is not in a.py. Nothing was changed."


async def test_a_miss_in_a_large_file_is_answered_soon(context: FakeContext) -> None:
    (context.root / "a").write_text("".join(f"value {n} = {n * n}\n" for n in range(200_000)))
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(ToolFailed):
        await context.call(patch, file="a", edits=[edit("valeu 7 = 50\nvaleu 8 = 65", "x")])
    assert loop.time() - began < 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"edits": [edit("", "x")]}, "'old' is empty"),
        ({"edits": [edit("one", "one")]}, "are the same"),
        ({"edits": []}, "'edits' is empty"),
        ({"edits": [edit("one", "x")], "file": ""}, "'file' is missing"),
        ({"edits": [edit("one", "x")], "file": "nowhere.py"}, "does not exist; create it with write"),
    ],
)
async def test_calls_that_make_no_sense_are_refused(
    context: FakeContext, arguments: dict[str, Any], said: str
) -> None:
    (context.root / "a.py").write_text(SOURCE)
    with pytest.raises((ToolFailed, InvalidArguments), match=said):
        await context.call(patch, **{"file": "a.py", **arguments})


async def test_a_file_that_changed_since_it_was_read_is_not_touched(context: FakeContext) -> None:
    path = context.root / "a.py"
    path.write_text(SOURCE)
    context.files.note_read(path, hashlib.sha256(b"something else").hexdigest())
    with pytest.raises(ToolFailed, match="has changed since you last read it"):
        await context.call(patch, file="a.py", edits=[edit("one", "uno")])


async def test_a_file_may_be_patched_again_without_reading(context: FakeContext) -> None:
    (context.root / "a.py").write_text(SOURCE)
    await context.call(patch, file="a.py", edits=[edit("one", "uno")])
    await context.call(patch, file="a.py", edits=[edit("two", "due")])


async def test_a_binary_file_is_refused(context: FakeContext) -> None:
    (context.root / "a").write_bytes(b"\x89PNG\r\n\x1a\n\0one")
    with pytest.raises(ToolFailed, match="binary"):
        await context.call(patch, file="a", edits=[edit("one", "uno")])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\nthree\r\n", b"one\r\n2\r\n2b\r\nthree\r\n"),
        (b"one\ntwo\r\nthree\n", b"one\n2\r\n2b\r\nthree\n"),
        (b"one\r\ntwo\nthree\r\n", b"one\r\n2\n2b\nthree\r\n"),
        (b"one\ntwo", b"one\n2\n2b"),
        (codecs.BOM_UTF8 + b"one\r\ntwo", codecs.BOM_UTF8 + b"one\r\n2\r\n2b"),
        (
            codecs.BOM_UTF16_LE + "é\ntwo".encode("utf-16-le"),
            codecs.BOM_UTF16_LE + "é\n2\n2b".encode("utf-16-le"),
        ),
        (b"caf\xe9\ntwo", b"caf\xe9\n2\n2b"),
        ("é界".encode() + b"\xff\ntwo\n", "é界".encode() + b"\xff\n2\n2b\n"),
    ],
)
async def test_line_ends_and_encoding_are_kept(context: FakeContext, before: bytes, after: bytes) -> None:
    (context.root / "a").write_bytes(before)
    await context.call(patch, file="a", edits=[edit("two", "2\n2b")])
    assert (context.root / "a").read_bytes() == after


async def test_text_over_crlf_lines_is_found_and_its_kept_lines_keep_their_ends(context: FakeContext) -> None:
    (context.root / "a").write_bytes(b"one\r\ntwo\nthree\r\nfour\r\n")
    await context.call(patch, file="a", edits=[edit("one\ntwo\nthree\n", "one\ntwo\nTHREE\n")])
    assert (context.root / "a").read_bytes() == b"one\r\ntwo\nTHREE\r\nfour\r\n"


async def test_a_character_that_the_encoding_lacks_is_refused(context: FakeContext) -> None:
    (context.root / "a").write_bytes(b"caf\xe9\n")
    with pytest.raises(ToolFailed, match="CP1252, which has no '界'"):
        await context.call(patch, file="a", edits=[edit("caf", "界")])


async def test_mode_bits_are_kept(context: FakeContext) -> None:
    (context.root / "a").write_text("one")
    (context.root / "a").chmod(0o751)
    await context.call(patch, file="a", edits=[edit("one", "uno")])
    assert (context.root / "a").stat().st_mode & 0o7777 == 0o751


def test_the_files_that_it_writes_are_named() -> None:
    arguments = patch.validate({"file": "a", "edits": [edit("x", "y"), edit("x", "y", file="b")]})
    assert patch.summary(arguments) == "a, b"


plain = st.text(alphabet="ab \n", max_size=40)


def run(context: FakeContext, path: Path, data: bytes, **edits: Any) -> bytes | None:
    """The file afterwards; None when the edit was refused."""
    path.write_bytes(data)
    context.files.digests.clear()
    try:
        asyncio.run(context.call(patch, file=path.name, edits=[edits]))
    except ToolFailed:
        assert path.read_bytes() == data
        return None
    return path.read_bytes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    plain,
    st.text(alphabet="ab \n", min_size=1, max_size=3),
    st.text(alphabet="abc\r\n", max_size=3),
    st.booleans(),
)
def test_it_is_the_same_as_replacing_in_a_string(
    context: FakeContext, text: str, old: str, new: str, everything: bool
) -> None:
    found = run(context, context.root / "a", text.encode(), old=old, new=new, all=everything)
    if found is not None:
        assert found.decode() == text.replace(old, new)
    elif old != new:
        assert text.count(old) == 0 or not everything


mixed = st.lists(st.sampled_from(["a", "b", " ", "\n", "\r\n", "\r", "é"]), max_size=30).map("".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mixed, mixed, st.sampled_from(["x\ny", "z", "", "X\n", "\n"]))
def test_everything_outside_an_edit_keeps_its_bytes(
    context: FakeContext, before: str, after: str, new: str
) -> None:
    text = f"{before}<old\r\ntext>{after}"
    found = run(context, context.root / "a", text.encode(), old="<old\ntext>", new=new)
    assert found is not None
    assert found.startswith(before.encode())
    assert found.endswith(after.encode())
    middle = found[len(before.encode()) : len(found) - len(after.encode())].decode()
    assert middle.replace("\r\n", "\n") == new
