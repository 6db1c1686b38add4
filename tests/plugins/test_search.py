"""Searching: what is found, how it is shown, and that the search without ripgrep says the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import chatcli_plugins.search
from chatcli.tools import InvalidArguments, ToolFailed
from chatcli_plugins.search import search
from tests.tools.fakes import FakeContext


@pytest.fixture(params=["ripgrep", "fallback"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with ripgrep and without it."""
    if request.param == "fallback":
        monkeypatch.setattr(chatcli_plugins.search, "ripgrep", lambda: None)
    return str(request.param)


@pytest.fixture
def without_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chatcli_plugins.search, "ripgrep", lambda: None)


def make(root: Path, **files: str | bytes) -> None:
    """Files by name, `__` for a slash and `_dot_` for a dot."""
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


pytestmark = pytest.mark.usefixtures("either")


async def test_lines_stand_under_their_file_with_numbers_and_exact_totals(context: FakeContext) -> None:
    make(context.root, b_dot_py="x = 1\nfoo = 2\n", a__c_dot_py="foo()\nbar\nfoo\n")
    assert await context.text(search, pattern="foo") == (
        "a/c.py\n1:foo()\n3:foo\nb.py\n2:foo = 2\n[3 matching lines in 2 files]"
    )


async def test_no_match_is_no_error(context: FakeContext) -> None:
    make(context.root, a="x")
    output = await context.call(search, pattern="nothing")
    assert output.text == "[no match for 'nothing' in .]"
    assert not output.is_error


@pytest.mark.parametrize(
    ("show", "text"),
    [
        ("files", "a\nb\n[3 matching lines in 2 files]"),
        ("counts", "a: 2\nb: 1\n[3 matching lines in 2 files]"),
    ],
)
async def test_files_alone(context: FakeContext, show: str, text: str) -> None:
    make(context.root, a="foo\nfoo\n", b="foo\n", c="bar\n")
    assert await context.text(search, pattern="foo", show=show) == text


async def test_context_lines_are_marked(context: FakeContext) -> None:
    make(context.root, a="1\n2\nfoo\n4\n5\n6\n7\nfoo\nfoo\n10\n")
    assert await context.text(search, pattern="foo", context=1) == (
        "a\n2-2\n3:foo\n4-4\n7-7\n8:foo\n9:foo\n10-10\n[3 matching lines in 1 files]"
    )


async def test_a_pattern_is_a_regex_or_plain_text(context: FakeContext) -> None:
    make(context.root, a="f(x)\nfx\nF(X)\n")
    assert "\n1:f(x)\n[1 " in await context.text(search, pattern="f(x)", fixed=True)
    assert "\n2:fx\n[1 " in await context.text(search, pattern="f(x)")
    assert "\n1:f(x)\n3:F(X)\n[2 " in await context.text(search, pattern=r"f\(x\)", ignore_case=True)


async def test_a_pattern_may_begin_with_a_dash(context: FakeContext) -> None:
    make(context.root, a="--pre=evil\n")
    assert "1:--pre=evil\n" in await context.text(search, pattern="--pre=evil")


async def test_globs_choose_files(context: FakeContext) -> None:
    make(
        context.root,
        a_dot_py="foo",
        a_dot_ts="foo",
        a_dot_tsx="foo",
        src__b_dot_py="foo",
        src__deep__c_dot_py="foo",
    )
    for glob, expected in {
        "*.py": ["a.py", "src/b.py", "src/deep/c.py"],
        "*.{ts,tsx}": ["a.ts", "a.tsx"],
        "src/*.py": ["src/b.py"],
        "src/**/*.py": ["src/b.py", "src/deep/c.py"],
        "**/deep/**": ["src/deep/c.py"],
        "!*.py": ["a.ts", "a.tsx"],
        "!src": ["a.py", "a.ts", "a.tsx"],
        "[!b].p?": ["a.py", "src/deep/c.py"],
        "/a.*": ["a.py", "a.ts", "a.tsx"],
    }.items():
        text = await context.text(search, pattern="foo", show="files", glob=glob)
        assert text.split("\n")[:-1] == expected, glob


async def test_pages_put_together_are_all_matches(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, max_chars=1_700, cap_chars=1_700)
    make(context.root, **{f"f{n}": "".join(f"foo {n} {m}\n" for m in range(20)) for n in range(5)})
    found: list[str] = []
    while True:
        text = await context.text(search, pattern="foo", offset=len(found))
        assert len(text) <= 1_700
        lines = text.split("\n")
        found += [line.partition(":")[2] for line in lines[:-1] if ":" in line]
        assert lines[-1].startswith("[100 matching lines in 5 files")
        if "go on with" not in lines[-1]:
            break
        assert f"go on with offset={len(found)}]" in lines[-1]
    assert found == [f"foo {n} {m}" for n in range(5) for m in range(20)]


async def test_max_results_cuts_the_list_but_not_the_totals(context: FakeContext) -> None:
    make(context.root, a="foo\n" * 10, b="foo\n")
    assert await context.text(search, pattern="foo", max_results=2) == (
        "a\n1:foo\n2:foo\n[11 matching lines in 2 files, shown 1-2: go on with offset=2]"
    )
    assert await context.text(search, pattern="foo", max_results=2, offset=9) == (
        "a\n10:foo\nb\n1:foo\n[11 matching lines in 2 files, shown 10-11]"
    )
    assert await context.text(search, pattern="foo", show="files", max_results=1) == (
        "a\n[11 matching lines in 2 files, shown 1-1: go on with offset=1]"
    )


async def test_a_page_behind_the_last_match_says_so(context: FakeContext) -> None:
    make(context.root, a="foo\n")
    text = await context.text(search, pattern="foo", offset=5)
    assert text == "[1 matching lines in 1 files, none from offset=5 on]"


async def test_a_match_in_a_very_long_line_is_clipped_around_it(context: FakeContext) -> None:
    make(context.root, a="é" * 40_000 + "needle" + "é" * 30_000)
    text = await context.text(search, pattern="needle")
    assert len(text) < 600
    assert "éneedleé" in text
    assert text.endswith(" [columns 39901-40300 of 70006]\n[1 matching lines in 1 files]")


async def test_further_matches_in_a_clipped_line_are_counted(context: FakeContext) -> None:
    make(context.root, a="needle" + "x" * 70_000 + "needle")
    assert " [columns 1-400 of 70012, 2 matches]\n" in await context.text(search, pattern="needle")


async def test_what_git_ignores_is_left_out_and_hidden_files_are_not(context: FakeContext) -> None:
    make(context.root, _dot_gitignore="*.log\n/build/\n", a_dot_log="foo", build__x="foo", a="foo")
    make(context.root, src__a_dot_log="foo", src__build__x="foo")
    make(context.root, _dot_github__ci="foo", _dot_git__config="foo", _dot_ignore="*")
    text = await context.text(search, pattern="foo", show="files")
    assert text.split("\n")[:-1] == [".github/ci", "a", "src/build/x"]


async def test_a_glob_finds_ignored_files_too(context: FakeContext) -> None:
    make(context.root, _dot_gitignore="*.log\n/build/\n", a_dot_log="foo", build__b_dot_log="foo")
    assert (await context.text(search, pattern="foo", show="files", glob="*.log")).startswith("a.log\n[")


async def test_links_are_not_followed(context: FakeContext, tmp_path: Path) -> None:
    make(tmp_path, outside__secret="foo")
    (context.root / "out").symlink_to(tmp_path / "outside")
    (context.root / "file").symlink_to(tmp_path / "outside" / "secret")
    (context.root / "loop").symlink_to(".")
    assert await context.text(search, pattern="foo") == "[no match for 'foo' in .]"


async def test_a_single_file_and_a_folder_outside_may_be_searched(
    context: FakeContext, tmp_path: Path
) -> None:
    make(context.root, src__a="foo\n", b="foo\n")
    assert (
        await context.text(search, pattern="foo", path="src/a") == "a\n1:foo\n[1 matching lines in 1 files]"
    )
    make(tmp_path, tool_results__budget_1_dot_txt="foo\n")
    text = await context.text(search, pattern="foo", path=str(tmp_path / "tool_results"))
    assert text == "budget_1.txt\n1:foo\n[1 matching lines in 1 files]"


async def test_binary_files_are_named_and_not_shown(context: FakeContext) -> None:
    make(context.root, a_dot_bin=b"foo\0\0foo\n", b_dot_bin=b"bar\0", c="foo\n")
    assert await context.text(search, pattern="foo") == (
        "c\n1:foo\n[1 matching lines in 1 files; 1 binary files match and are not shown: a.bin]"
    )


async def test_a_stray_nul_far_behind_does_not_hide_a_text(context: FakeContext) -> None:
    make(context.root, a="x\n" * 5_000 + "foo\n\0\nfoo\n")
    text = await context.text(search, pattern="foo")
    assert "5001:foo\n" in text
    assert "a has NUL bytes, each counted as the end of a line" in text
    # A file that is named keeps its own line numbers.
    text = await context.text(search, pattern="foo", path="a")
    assert text == "a\n5001:foo\n5003:foo\n[2 matching lines in 1 files]"


async def test_files_that_may_not_be_shown_are_named(context: FakeContext) -> None:
    make(context.root, a="foo\n", keys__id="foo\n")
    context.files.secret.add(context.root / "keys" / "id")
    text = await context.text(search, pattern="foo")
    told = "1 matching lines in 1 files; 1 more file matches but is not shown without asking: keys/id"
    assert text == f"a\n1:foo\n[{told}]"


@pytest.mark.parametrize(
    "data",
    [
        "foo é\n".encode("utf-16"),
        b"\xef\xbb\xbffoo\n",
        b"caf\xe9 foo\n",
        b"foo\r\nbar\r\n",
        b"foo",
        "foo\u2028bar\n".encode(),
    ],
)
async def test_other_encodings_and_line_ends_are_searched(context: FakeContext, data: bytes) -> None:
    make(context.root, a=data)
    assert (await context.text(search, pattern="foo")).endswith("[1 matching lines in 1 files]")
    if b"\r" in data:
        assert "1:foo\n" in await context.text(search, pattern="^foo$")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pattern": ""}, "must be one line"),
        ({"pattern": "a\nb"}, "must be one line"),
        ({"pattern": "a", "path": "nowhere"}, "does not exist"),
        ({"pattern": "a", "offset": -1}, "0 or more"),
        ({"pattern": "a", "max_results": 0}, "1 or more"),
        ({"pattern": "(unclosed"}, "unclosed group|needs ripgrep"),
        ({"pattern": r"(?=look)"}, "look-around|needs ripgrep"),
    ],
)
async def test_what_cannot_be_searched_is_refused(
    context: FakeContext, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises((ToolFailed, InvalidArguments), match=said):
        await context.call(search, **arguments)


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
async def test_files_without_permission_are_said(context: FakeContext) -> None:
    make(context.root, a="foo\n", b="foo\n")
    (context.root / "b").chmod(0)
    assert "could not be searched" in await context.text(search, pattern="foo")


def test_ripgrep_is_found_beside_the_interpreter_or_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, either: str
) -> None:
    if either == "fallback":
        pytest.skip("it is replaced there")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert chatcli_plugins.search.ripgrep() is None
    (tmp_path / "bin").mkdir()
    for place in (tmp_path / "bin" / "rg", tmp_path / "rg"):
        place.touch(mode=0o755)
        assert chatcli_plugins.search.ripgrep() == str(place)
