"""A log with fewer lines: of lines that are alike the first few and the last stay, of all others every one.

Only lines of known kinds can be alike: progress of package managers and compilers, passed tests, log
records with a time or a level, and literal repetitions. A line of another kind is kept, and so is
every line that says something about an error or a warning.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from chatcli.context.cuts import without_ansi

_FEWEST_LINES = 20
_FIRST_KEPT = 3
_KNOWN_SHARE = 0.3
"""A text of which fewer lines are of a known kind is no log."""
_WORTH_SAYING = re.compile(
    r"error|\berr\b|fail|fatal|panic|exception|traceback|assert|warn|denied|refused|timed? ?out|abort"
    r"|cannot|can't|unable|undefined|not found|missing|deprecat|vulnerab|conflict|killed|critical"
    r"|\b[45]\d\d\b",  # statuses of HTTP
    re.IGNORECASE,
)
_PASSED = re.compile(
    r"^(?:.*\s)?(?P<passed>PASSED|SKIPPED|XFAIL|XPASS|ok)\b\s*(?:\[\s*\d+%\])?\s*$"
    r"|^\s*(?P<mark>[✓✔√]|--- PASS:|ok\s+\d+|PASS)\s"
)
_PROGRESS = re.compile(
    r"^\s*(?P<verb>Compiling|Checking|Downloading|Downloaded|Downloads?|Fetching|Fetched|Installing|Installed"
    r"|Unpacking|Preparing|Building|Built|Copying|Copied|Adding|Added|Updating|Resolving|Locking|Linking"
    r"|Collecting|Requirement already satisfied|Using cached|Setting up|Selecting previously|Get:\d+|Hit:\d+"
    r"|remote:|Receiving objects|Resolving deltas|npm (?:http|silly|verb|timing|info)|\[\s*\d+(?:%|/\d+)\])"
)
_RECORD = re.compile(
    r"^\W{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d|\d{10,13}\b"
    r"|(?:TRACE|DEBUG|INFO|NOTICE)\b)"
)
_CHANGES = re.compile(r"\"[^\"]*\"|'[^']*'|\S*[\d/]\S*")
"""What differs between records that are alike: quoted texts, and words with digits or slashes."""


def omitted_log_lines(lines: Sequence[str]) -> dict[int, int]:
    """The numbers, from 1, of lines that can be left out, each with one that is like it and stays.

    None when these lines are no log.
    """
    kinds = [_kind(line) for line in lines]
    if len(lines) < _FEWEST_LINES or sum(map(bool, kinds)) < _KNOWN_SHARE * len(lines):
        return {}
    alike: dict[str, list[int]] = defaultdict(list)
    for number, kind in enumerate(kinds, 1):
        if kind:
            alike[kind].append(number)
    return {number: same[0] for same in alike.values() for number in same[_FIRST_KEPT:-1]}


def _kind(line: str) -> str:
    """Lines of the same kind are alike; an empty one is no known kind."""
    text = without_ansi(line).rstrip()
    if passed := _PASSED.search(text):
        return f"passed {(passed['passed'] or passed['mark'])}"
    if not text or _WORTH_SAYING.search(text):
        return ""
    if progress := _PROGRESS.match(text):
        return f"progress {_CHANGES.sub('#', progress['verb'])}"
    if _RECORD.match(text):
        return f"record {_CHANGES.sub('#', text)}"
    return ""
