"""Files of all kinds and sizes, whole and by range."""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatcli.tools import InvalidArguments, ToolFailed
from chatcli_plugins.read import read
from tests.providers.pictures import png
from tests.tools.fakes import FakeContext

TEN = "".join(f"line {n}\n" for n in range(1, 11))


async def test_a_whole_file_is_exactly_its_text(context: FakeContext) -> None:
    (context.root / "a").write_text(TEN)
    output = await context.call(read, file="a")
    assert output.text == TEN
    assert output.brief == "10 lines"
    assert output.self_limited


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"start": 3, "end": 4}, "[lines 3-4 of 10]\nline 3\nline 4\n"),
        ({"start": 9}, "[lines 9-10 of 10]\nline 9\nline 10\n"),
        ({"end": 2}, "[lines 1-2 of 10]\nline 1\nline 2\n"),
        ({"start": 0, "end": 1}, "[lines 1-1 of 10]\nline 1\n"),
        ({"start": 9, "end": -1}, "[lines 9-10 of 10]\nline 9\nline 10\n"),
        ({"start": 9, "end": 99}, "[lines 9-10 of 10]\nline 9\nline 10\n"),
        ({"head": 1}, "[lines 1-1 of 10]\nline 1\n"),
        ({"tail": 2}, "[lines 9-10 of 10]\nline 9\nline 10\n"),
        ({"tail": 99}, f"[lines 1-10 of 10]\n{TEN}"),
        ({"start_char": 5, "chars": 3}, "[characters 5-8 of 71]\n1\nl"),
        ({"start_char": 66}, "[characters 66-71 of 71]\ne 10\n"),
        ({"start": 9, "numbers": True}, "[lines 9-10 of 10]\n9\tline 9\n10\tline 10\n"),
        ({"tail": 1, "numbers": True}, "[lines 10-10 of 10]\n10\tline 10\n"),
    ],
)
async def test_a_range_is_named_above_it(context: FakeContext, arguments: dict[str, int], text: str) -> None:
    (context.root / "a").write_text(TEN)
    assert await context.text(read, file="a", **arguments) == text


async def test_a_file_without_last_line_end_keeps_it_so(context: FakeContext) -> None:
    (context.root / "a").write_text("one\ntwo")
    assert await context.text(read, file="a") == "one\ntwo"
    assert await context.text(read, file="a", numbers=True) == "1\tone\n2\ttwo"


async def test_a_file_that_does_not_fit_says_how_to_go_on(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, max_chars=1_000)
    (context.root / "a").write_text("".join(f"line {n:04}\n" for n in range(1, 201)))
    text = await context.text(read, file="a")
    assert len(text) <= 1_000
    assert text.startswith("line 0001\n")
    assert text.endswith("line 0070\n[lines 1-70 of 200; go on with start=71]")
    assert (await context.text(read, file="a", start=71)).startswith("[lines 71-200 of 200]\nline 0071\n")


async def test_a_range_may_fill_the_cap_of_the_tool(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, max_chars=1_000, cap_chars=2_000)
    (context.root / "a").write_text("x" * 99 + "\n" + "y\n" * 2_000)
    text = await context.text(read, file="a", start=2)
    assert 1_900 > len(text) > 1_600
    assert text.startswith("[lines 2-851 of 2001]\ny\n")
    assert text.endswith("y\n[go on with start=852]")


async def test_numbers_count_against_the_limit(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, max_chars=1_000)
    (context.root / "a").write_text("\n" * 1_000)
    text = await context.text(read, file="a", numbers=True)
    assert len(text) <= 1_000
    last = text.rpartition("[lines 1-")[2].partition(" ")[0]
    assert f"\n{last}\t\n[" in text
    assert text.endswith(f"go on with start={int(last) + 1}]")


async def test_a_very_long_line_is_gone_on_with_by_characters(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, max_chars=1_000)
    (context.root / "a").write_text("first\n" + "abcdefghij" * 1_000 + "\nlast\n")
    assert (await context.text(read, file="a")).endswith("[lines 1-1 of 3; go on with start=2]")
    text = await context.text(read, file="a", start=2)
    assert text.startswith("[lines 2-3 of 3]\nabc")
    context.cap_chars = 1_000
    text = await context.text(read, file="a", start=2)
    assert text.startswith("[the first 700 characters of line 2 of 3]\nabc")
    assert text.endswith("j\n[go on with start_char=706]")
    assert (await context.text(read, file="a", start_char=706, chars=4)).endswith("]\nabcd")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (codecs.BOM_UTF8 + b"x\n", "x\n[UTF-8 with BOM]"),
        (codecs.BOM_UTF16_LE + "né\n".encode("utf-16-le"), "né\n[UTF-16-LE]"),
        (codecs.BOM_UTF16_BE + "né".encode("utf-16-be"), "né\n[UTF-16-BE]"),
        (b"caf\xe9\n", "café\n[CP1252]"),
        ("é界".encode() + b"\xff\n", "é界\ufffd\n[bytes that are no text are shown as \ufffd]"),
        (b"", "[empty file]"),
        (
            png(),
            "[binary, 45 bytes, PNG image, 1200x800; you can only see it when the user names it with @ in a"
            " message]",
        ),
        (b"\x89PNG\r\n\x1a\n\0\0", "[binary, 10 bytes, PNG image]"),
        (b"a\r\nb\rc\xe2\x80\xa8d\n", "a\r\nb\rc\u2028d\n"),
    ],
)
async def test_the_encoding_is_said_where_it_is_not_plain(
    context: FakeContext, data: bytes, text: str
) -> None:
    (context.root / "a").write_bytes(data)
    assert await context.text(read, file="a") == text


async def test_the_tail_of_an_utf_16_file(context: FakeContext) -> None:
    (context.root / "a").write_bytes(codecs.BOM_UTF16_LE + "one\ntwo é\n".encode("utf-16-le"))
    assert await context.text(read, file="a", tail=1) == "[lines 2-2 of 2; UTF-16-LE]\ntwo é\n"


async def test_a_tail_without_room_keeps_its_end(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, cap_chars=1_000)
    (context.root / "a").write_text("".join(f"line {n:04}\n" for n in range(1, 201)))
    text = await context.text(read, file="a", tail=150)
    assert text.startswith("[lines 131-200 of 200]\nline 0131\n")
    assert text.endswith("line 0200\n[the 80 lines before have no room: end=130]")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"head": 1, "tail": 1}, "only one of"),
        ({"start": 1, "start_char": 1}, "only one of"),
        ({"head": 0}, "'head' must be 1 or more"),
        ({"start": 5, "end": 2}, "lies before"),
    ],
)
async def test_ranges_that_make_no_sense_are_refused(
    context: FakeContext, arguments: dict[str, int], said: str
) -> None:
    (context.root / "a").write_text(TEN)
    with pytest.raises(InvalidArguments, match=said):
        await context.call(read, file="a", **arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({"start": 11}, "no line 11: the file has 10 lines"), ({"start_char": 71}, "the file has 71")],
)
async def test_a_range_behind_the_end_is_an_error(
    context: FakeContext, arguments: dict[str, int], said: str
) -> None:
    (context.root / "a").write_text(TEN)
    with pytest.raises(ToolFailed, match=said):
        await context.call(read, file="a", **arguments)


async def test_a_folder_is_refused_with_what_it_holds(context: FakeContext) -> None:
    (context.root / "src").mkdir()
    (context.root / "src" / "a.py").touch()
    with pytest.raises(ToolFailed, match=r"src is a folder; it holds a\.py"):
        await context.call(read, file="src")


async def test_a_missing_file_names_what_may_have_been_meant(context: FakeContext) -> None:
    (context.root / "deep" / "er").mkdir(parents=True)
    (context.root / "settings.py").touch()
    (context.root / "deep" / "er" / "loop.py").touch()
    with pytest.raises(ToolFailed, match=r"setting\.py does not exist; there is settings\.py"):
        await context.call(read, file="setting.py")
    with pytest.raises(ToolFailed, match=r"there is deep/er/loop\.py"):
        await context.call(read, file="src/loop.py")
    with pytest.raises(ToolFailed, match=r"does not exist$"):
        await context.call(read, file="zzz")


async def test_what_is_no_file_is_refused(context: FakeContext) -> None:
    os.mkfifo(context.root / "pipe")
    with pytest.raises(ToolFailed, match="pipe cannot be read: not a regular file"):
        await context.call(read, file="pipe")


@pytest.mark.parametrize("arguments", [{}, {"head": 1}, {"tail": 1}, {"start_char": 2, "chars": 1}])
async def test_what_was_read_is_noted_with_its_digest(
    context: FakeContext, arguments: dict[str, int]
) -> None:
    (context.root / "a").write_text(TEN)
    await context.call(read, file="a", **arguments)
    assert context.files.last_read(context.root / "a") == hashlib.sha256(TEN.encode()).hexdigest()


texts = st.text(alphabet="ab\n\r\t é界\u2028\x0b\x85🏳️‍🌈", max_size=400)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(texts, st.integers(320, 500))
def test_pages_put_together_are_the_file(context: FakeContext, text: str, limit_chars: int) -> None:
    (context.root / "a").write_bytes(text.encode())
    context.cap_chars = limit_chars
    whole, start = "", 0
    while start < len(text):
        page = asyncio.run(context.text(read, file="a", start_char=start))
        assert len(page) <= limit_chars
        header, _, body = page.partition("\n")
        begin, end = header.removeprefix("[characters ").partition(" ")[0].split("-")
        assert int(begin) == start
        whole, start = whole + body[: int(end) - start], int(end)
    assert whole == text


def test_a_large_file_is_read_by_range_in_little_memory(tmp_path: Path) -> None:
    """The file has holes, so that it costs no disk; its 200 MB are read all the same."""
    project = tmp_path / "project"
    project.mkdir()
    with (project / "big").open("wb") as file:
        for number in range(1, 1_001):
            file.write(b"%09d " % number + b"x" * 200_000 + b"\n")
    program = """
import asyncio, resource, sys
from pathlib import Path
from chatcli_plugins.read import read
from tests.tools.fakes import FakeContext

async def main():
    context = FakeContext(Path(sys.argv[1]))
    await context.text(read, file="big", start=1, end=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = await context.text(read, file="big", start=990, end=991)
    assert text.startswith("[the first 79700 characters of line 990; the file goes on, 200011000"), text[:200]
    text = await context.text(read, file="big", tail=1)
    assert "[the last 1 lines; 200011000 bytes in all]" in text, text[:200]
    text = await context.text(read, file="big", start_char=150_000_000, chars=10)
    assert text.endswith("bytes in all]\\nxxxxxxxxxx"), text
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)

asyncio.run(main())
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 30_000  # KB
