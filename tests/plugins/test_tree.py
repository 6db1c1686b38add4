"""What is in a folder, in a fixed order, with everything that is left out named or counted."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from chatcli.tools import InvalidArguments, ToolFailed
from chatcli_plugins.tree import tree
from tests.tools.fakes import FakeContext


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.touch()


async def test_names_are_indented_and_sorted_with_sizes(context: FakeContext) -> None:
    make(context.root, "b/", "b/two", "a.txt", "Z", "b/.hidden")
    (context.root / "a.txt").write_bytes(b"x" * 1_234)
    (context.root / "b" / "two").write_bytes(b"x" * 20_000)
    assert await context.text(tree) == (
        "./\nZ  0\na.txt  1.2K\nb/\n  .hidden  0\n  two  20K\n[1 folders, 4 files]"
    )


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (999, "999"),
        (1_000, "1.0K"),
        (10_300, "10K"),
        (1_023_000, "999K"),
        (1_024_000, "1.0M"),
        (3 << 40, "3.0T"),
    ],
)
async def test_sizes_are_short(context: FakeContext, size: int, shown: str) -> None:
    with (context.root / "a").open("wb") as file:
        file.truncate(size)
    assert f"a  {shown}\n" in await context.text(tree)


async def test_what_lies_deeper_is_counted(context: FakeContext) -> None:
    make(context.root, "a/b/c/d/e", "a/b/c/f", "g/")
    assert await context.text(tree, depth=2) == (
        "./\na/\n  b/ (1)\ng/\n[3 folders, 0 files; 1 folders below depth 2 not opened]"
    )
    assert "      d/ (1)\n      f  0\n" in await context.text(tree, depth=4)


async def test_ignored_entries_are_named_and_not_shown(context: FakeContext) -> None:
    make(context.root, ".git/HEAD", "build/x", "a.pyc", "a.py", "src/a.pyc", "src/keep.pyc", "src/.gitignore")
    (context.root / ".gitignore").write_text("*.pyc\nbuild/\n")
    (context.root / "src" / ".gitignore").write_text("!keep.pyc\n")
    text = await context.text(tree)
    assert text == (
        "./\n.gitignore  13\na.py  0\nsrc/\n  .gitignore  10\n  keep.pyc  0\n"
        "[1 folders, 4 files; 4 ignored and not counted: .git/, a.pyc, build/, src/a.pyc]"
    )


async def test_all_shows_what_git_ignores_but_not_git_itself(context: FakeContext) -> None:
    make(context.root, ".git/HEAD", "build/x")
    (context.root / ".gitignore").write_text("build\n")
    text = await context.text(tree, all=True)
    assert "build/\n  x  0\n" in text
    assert "1 ignored and not counted: .git/]" in text


async def test_a_folder_inside_the_project_obeys_the_rules_above_it(context: FakeContext) -> None:
    make(context.root, "src/a.pyc", "src/a.py")
    (context.root / ".gitignore").write_text("*.pyc\n")
    assert await context.text(tree, path="src") == (
        "src/\na.py  0\n[0 folders, 1 files; 1 ignored and not counted: a.pyc]"
    )


async def test_an_ignored_folder_that_is_asked_for_is_shown(context: FakeContext) -> None:
    make(context.root, "build/x")
    (context.root / ".gitignore").write_text("build/\n")
    assert "x  0" in await context.text(tree, path="build")


async def test_links_are_shown_and_not_followed(context: FakeContext, tmp_path: Path) -> None:
    make(tmp_path, "outside/secret")
    (context.root / "loop").symlink_to(".")
    (context.root / "out").symlink_to(tmp_path / "outside")
    text = await context.text(tree)
    assert "loop -> .\n" in text
    assert f"out -> {tmp_path}/outside\n" in text
    assert "secret" not in text


async def test_pages_put_together_are_all_entries(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, max_chars=1_700, cap_chars=1_700)
    make(context.root, *(f"folder{n}/file{m}" for n in range(5) for m in range(9)))
    names, offset = [], 0
    while True:
        text = await context.text(tree, offset=offset)
        assert len(text) <= 1_700
        lines = text.split("\n")[1:]
        if offset and lines[0].startswith("[in "):
            lines = lines[1:]
        names += [line.strip().partition("  ")[0] for line in lines[:-1]]
        if "go on with offset=" not in lines[-1]:
            break
        offset = int(lines[-1].partition("offset=")[2].rstrip("]"))
    assert len(names) == 50
    assert names[:3] == ["folder0/", "file0", "file1"]


async def test_a_page_that_begins_deep_says_where(context: FakeContext) -> None:
    make(context.root, "a/b/c", "a/b/d")
    assert (await context.text(tree, offset=3)).startswith("./\n[in a/b/]\n    d  0\n")


async def test_what_is_no_file_and_odd_names_are_shown_safely(context: FakeContext) -> None:
    os.mkfifo(context.root / "pipe")
    (context.root / "two\nlines\x1b[2J").touch()
    text = await context.text(tree)
    assert "pipe (not a file)\n" in text
    assert "two\\nlines\\x1b[2J  0\n" in text


async def test_hostile_ignore_lines_are_skipped(context: FakeContext) -> None:
    make(context.root, "a" * 200, "b.pyc")
    slow = "a*" * 30 + "b"
    (context.root / ".gitignore").write_bytes(b"\\\n[\n" + slow.encode() + b"\n*.pyc\n\xff\xfe[z-a]\n")
    text = await context.text(tree)
    assert "1 ignored and not counted: b.pyc" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "nowhere"}, "does not exist"),
        ({"path": "file"}, "is a file; use read"),
        ({"depth": 0}, "must be 1 or more"),
        ({"offset": -1}, "0 or more"),
    ],
)
async def test_calls_that_make_no_sense_are_refused(
    context: FakeContext, arguments: dict[str, object], said: str
) -> None:
    make(context.root, "file")
    with pytest.raises((ToolFailed, InvalidArguments), match=said):
        await context.call(tree, **arguments)


RULES = """
*.log
!keep.log
/top
doc/*.txt
**/cache
a/**/z
build/
!build/
tmp?
[xy]1
\\!bang
# comment
trail\x20\x20
sp\\ ace
"""
PATHS = (
    "a.log", "keep.log", "sub/a.log", "sub/keep.log", "top", "sub/top", "doc/a.txt", "doc/sub/b.txt",
    "cache/x", "sub/cache/y", "a/z", "a/b/c/z", "build/x", "tmp1", "tmp12", "x1", "y1", "z1",
    "!bang", "trail", "sp ace",
    "nested/.gitignore", "nested/b.md", "nested/deep/b.md", "nested/keep.md",
)  # fmt: skip


async def test_it_ignores_what_git_ignores(context: FakeContext) -> None:
    make(context.root, *PATHS)
    (context.root / ".gitignore").write_text(RULES)
    (context.root / "nested" / ".gitignore").write_text("*.md\n!keep.md\n")
    git(context.root, "init", "-q")
    (context.root / ".git" / "info" / "exclude").write_text("z1\n!a.log\n")
    listed = git(context.root, "ls-files", "-z", "--others", "--exclude-standard")
    assert await shown_files(context) == sorted(filter(None, listed.split("\0")))


def git(folder: Path, *command: str) -> str:
    argv = ["git", "-c", "core.excludesFile=/dev/null", *command]
    return subprocess.run(argv, cwd=folder, capture_output=True, check=True, text=True).stdout


async def shown_files(context: FakeContext) -> list[str]:
    """The paths of the files in a tree."""
    paths, folders = [], [""]
    for line in (await context.text(tree, depth=20)).split("\n")[1:-1]:
        depth = (len(line) - len(line.lstrip(" "))) // 2
        name = line.strip().rpartition("  ")[0] or line.strip()
        folders = folders[: depth + 1]
        if name.endswith("/"):
            folders.append(f"{folders[-1]}{name}")
        else:
            paths.append(f"{folders[-1]}{name}")
    return sorted(paths)
