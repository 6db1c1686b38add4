"""A scripted model that carries a change out on a real source tree.

It searches, reads, writes a test, sees it fail, patches, and sees it pass. Where something stands it
takes from the results, so that it goes wrong, and says so as a violation, when a tool does not tell
the truth.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from tests.wire.script import Answer, by_turn, call, reply, think
from tests.wire.seen import Seen

TEST_COMMAND = "python -m unittest -q test_task"


class Task(Struct, frozen=True, kw_only=True):
    """One change. `old` is a pattern that matches, in the file, just what `new` replaces."""

    package: str
    request: str
    definition: str
    """The line to search for."""
    old: str
    new: str
    test: str


HTTPX = Task(
    package="httpx",
    request='unquote("") in httpx raises IndexError. Make it return the empty string, with a test.',
    definition="def unquote(",
    old=r"    return value\[1:-1\] if .*",
    new="    return value[1:-1] if value and value[0] == value[-1] == '\"' else value",
    test="""\
import unittest

from httpx._utils import unquote


class Unquote(unittest.TestCase):
    def test_an_empty_value_stays_empty(self):
        self.assertEqual(unquote(""), "")

    def test_quotes_are_removed(self):
        self.assertEqual(unquote('"ação ✓"'), "ação ✓")
""",
)

RICH = Task(
    package="rich",
    request="pick_unit_and_suffix in rich fails without suffixes. Let it return one byte, with a test.",
    definition="def pick_unit_and_suffix(",
    old=r'    """Pick a suffix and base for the given size\."""\n',
    new='    """Pick a suffix and base for the given size."""\n    unit, suffix = 1, ""\n',
    test="""\
import unittest

from rich.filesize import pick_unit_and_suffix


class Pick(unittest.TestCase):
    def test_without_suffixes_it_is_bytes(self):
        self.assertEqual(pick_unit_and_suffix(5, [], 1000), (1, ""))
""",
)


def coder(task: Task) -> Callable[[Seen], Answer]:
    """The script that carries out `task`, on whichever wire."""

    def look(seen: Seen) -> Answer:
        assert task.request in seen.user_texts[-1]
        return reply(
            think(f"Where is {task.definition}?"),
            *("I look ", "for it."),
            call("search", pattern=task.definition, fixed=True, glob="*.py"),
            call("tree", path=task.package, depth=1),
        )

    def read(seen: Seen) -> Answer:
        file, line = _found(seen)
        assert task.package in seen.results[1].text
        return reply(
            think("There it is."),
            call("read", file=file, start=line, end=line + 12),
            call("write", file="test_task.py", content=task.test),
        )

    def fail_first(seen: Seen) -> Answer:
        assert not any(result.is_error for result in seen.results), seen.results
        return reply("The test must fail first.", call("exec", command=TEST_COMMAND))

    def patch(seen: Seen) -> Answer:
        assert "FAILED" in seen.last_result, seen.last_result
        file, _ = _found(seen)
        old = re.search(task.old, seen.results[2].text)
        assert old, seen.results[2].text
        return reply(
            think("Now mend it."), call("patch", file=file, edits=[{"old": old[0], "new": task.new}])
        )

    def pass_then(seen: Seen) -> Answer:
        assert "Patched" in seen.last_result, seen.last_result
        return reply("And again.", call("exec", command=TEST_COMMAND), call("read", file=_found(seen)[0]))

    def tell(seen: Seen) -> Answer:
        ran, after = seen.new_results
        assert "OK" in ran.text, ran.text
        assert task.new.strip() in after.text
        return reply("Done: ", f"{_found(seen)[0]} is mended, ", "the test passes. ✓")

    return by_turn(look, read, fail_first, patch, pass_then, tell)


def _found(seen: Seen) -> tuple[str, int]:
    """File and line of the first match of the first search."""
    match = re.search(r"^(?P<file>\S+\.py)\n(?P<line>\d+):", seen.results[0].text, re.MULTILINE)
    assert match, seen.results[0].text
    return match["file"], int(match["line"])
