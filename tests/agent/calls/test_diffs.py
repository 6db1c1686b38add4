"""The diff of a change is the one that `git diff` would show."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from chatcli.agent.calls.diffs import unified_diff
from chatcli.tools.api import FileChange


def diff(before: bytes | None, after: bytes) -> str:
    return unified_diff("f.txt", FileChange(path=Path("/p/f.txt"), before=before, after=after))


def test_a_changed_line_has_no_line_that_is_not_there():
    assert diff(b"one\n", b"two\n") == "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-one\n+two\n"


def test_a_new_file_comes_from_nothing():
    assert diff(None, b"one\n") == "--- /dev/null\n+++ b/f.txt\n@@ -0,0 +1 @@\n+one\n"


def test_a_missing_final_newline_is_told():
    assert diff(b"one", b"one\n").endswith("-one\n\\ No newline at end of file\n+one\n")


def test_other_line_separators_do_not_end_a_line():
    assert "+a\u2028b\x0bc\n" in diff(b"x\n", "a\u2028b\x0bc\n".encode())


def test_binary_files_are_told_by_size():
    assert "4 bytes replaced by 2 bytes" in diff(b"\0\1\2\3", b"\0\1")


@given(st.text(alphabet="ab\n\r", max_size=40), st.text(alphabet="ab\n\r", max_size=40))
def test_added_and_removed_lines_lead_from_one_to_the_other(before, after):
    text = diff(before.encode(), after.encode())
    assert (text == "") == (before == after)
    for line in text.split("\n")[2:-1]:
        assert line[:1] in "+-@\\ "
