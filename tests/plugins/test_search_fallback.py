"""The search without ripgrep says the same as ripgrep, character by character, or leaves it to ripgrep."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import chatcli_plugins.search
import chatcli_plugins.search_fallback
from chatcli_plugins.search import search
from chatcli_plugins.search_patterns import compile_pattern
from tests.tools.fakes import FakeContext

letters = "ab1_ .é界Kſ\t-"
plain_atoms = [*"ab1_é界K", " ", r"\.", r"\-"]
class_atoms = [".", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S"]
bracket_atoms = ["[ab]", "[^a]", r"[\w-]", r"[^\d ]", "[a-z]", "[]a]", "[é-ü]", "(?:ab)", "(a|b)", "(?i:b)"]
atoms = st.sampled_from(plain_atoms + class_atoms + bracket_atoms)
anchors = st.sampled_from(["", "", "", "^", "$", r"\b"])
repeats = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "+?"])
patterns = st.lists(
    st.tuples(anchors, atoms, repeats).map("".join) | st.just("|"), min_size=1, max_size=4
).map("".join)
contents = st.tuples(
    st.lists(st.text(alphabet=letters, max_size=12), max_size=6),
    st.sampled_from(["\n", "\n", "\r\n"]),
    st.booleans(),
    st.sampled_from([b"", b"", b"\xe9", b"\xef\xbb\xbf"]),
)
names = st.sampled_from(["a", "b.py", "B.py", "src/a.py", "src/z/é.txt", "a.d/x", "a/x", ".h/y"])


@settings(
    max_examples=120,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(
    tree=st.dictionaries(names, contents, max_size=5),
    pattern=patterns,
    ignore_case=st.booleans(),
    context_lines=st.integers(0, 2),
    show=st.sampled_from(["lines", "lines", "counts"]),
    glob=st.sampled_from(["", "", "*.py", "!*.py", "src/**", "a*"]),
    piece_bytes=st.sampled_from([1, 8, 1 << 20]),
)
def test_the_search_without_ripgrep_says_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tree: dict[str, tuple[list[str], str, bool, bytes]],
    pattern: str,
    ignore_case: bool,
    context_lines: int,
    show: str,
    glob: str,
    piece_bytes: int,
) -> None:
    assume(compile_pattern(pattern, ignore_case=ignore_case, fixed=False) is not None)
    shutil.rmtree(tmp_path, ignore_errors=True)
    tmp_path.mkdir()
    context = FakeContext(tmp_path)
    for name, (lines, end, is_ended, extra) in tree.items():
        path = context.root / name
        if any(parent.is_file() for parent in path.parents) or path.is_dir():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(extra + end.join(lines).encode() + (end.encode() if is_ended else b""))

    def run() -> str:
        return asyncio.run(
            context.text(
                search, pattern=pattern, ignore_case=ignore_case, context=context_lines, show=show, glob=glob
            )
        )

    with_ripgrep = run()
    with monkeypatch.context() as patched:
        patched.setattr(chatcli_plugins.search, "ripgrep", lambda: None)
        patched.setattr(chatcli_plugins.search_fallback, "_PIECE_BYTES", piece_bytes)
        assert run() == with_ripgrep


UNSURE = r"a++ \p{L} \x41 (?=a) a{,3} [a&&b] [[:alpha:]] \1 \z \<a *a a|* (?s). \Ba [\W] a\nb (?P<n>a) [a (a"


@pytest.mark.parametrize("pattern", UNSURE.split())
def test_patterns_that_python_may_take_otherwise_are_left_to_ripgrep(pattern: str) -> None:
    assert compile_pattern(pattern, ignore_case=False, fixed=False) is None


def test_a_fixed_pattern_is_taken_literally() -> None:
    compiled = compile_pattern("a.b(", ignore_case=False, fixed=True)
    assert compiled.search("xa.b(y").group() == "a.b("
    assert re.escape("a.b(") != "a.b("
