"""What the model may have meant, when the text that it wants to replace is not in the file."""

from __future__ import annotations

import difflib
import time
from collections import Counter, defaultdict

_LIMIT_SECONDS = 0.5
_MAX_COMPARED = 40
"""Windows that are compared character by character, the most promising first."""
_MAX_SHOWN_CHARS = 800
_LIKENESS = 0.6
_MAX_CHARS = 5_000_000


def nearest(plain: str, old: str) -> str:
    """The place in the file that is most like `old`, as a sentence with its text; else empty."""
    if len(plain) > _MAX_CHARS:
        return ""
    lines, wanted = plain.split("\n"), old.replace("\r\n", "\n").strip("\n").split("\n")
    until = time.monotonic() + _LIMIT_SECONDS
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2("\n".join(wanted)[:_MAX_SHOWN_CHARS])
    best_likeness, best = _LIKENESS, -1
    for begin in _candidates(lines, wanted, until):
        if time.monotonic() > until:
            break
        matcher.set_seq1("\n".join(lines[begin : begin + len(wanted)])[:_MAX_SHOWN_CHARS])
        if matcher.real_quick_ratio() > best_likeness and matcher.quick_ratio() > best_likeness:
            likeness = matcher.ratio()
            if likeness > best_likeness:
                best_likeness, best = likeness, begin
    if best < 0:
        return ""
    found = lines[best : best + len(wanted)]
    where = f"line {best + 1}" if len(found) == 1 else f"lines {best + 1}-{best + len(found)}"
    same = [line.split() for line in found] == [line.split() for line in wanted]
    how = "differs only in white space" if same else f"{best_likeness:.0%} alike"
    return f" Nearest is {where} ({how}):\n" + "\n".join(found)[:_MAX_SHOWN_CHARS] + "\n"


def _candidates(lines: list[str], wanted: list[str], until: float) -> list[int]:
    """First lines of windows worth comparing: those that share most lines, else the most similar lines."""
    places = defaultdict(list)
    for number, line in enumerate(lines):
        places[line.strip()].append(number)
    votes: Counter[int] = Counter()
    for offset, line in enumerate(wanted):
        found = places.get(line.strip(), []) if line.strip() else []
        votes.update(max(0, number - offset) for number in found[:1_000])
    if votes:
        return [begin for begin, _ in votes.most_common(_MAX_COMPARED)]
    first = max(range(len(wanted)), key=lambda offset: len(wanted[offset]))
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted[first].strip()[:_MAX_SHOWN_CHARS])
    scored: list[tuple[float, int]] = []
    for number, line in enumerate(lines):
        if time.monotonic() > until - _LIMIT_SECONDS / 2:
            break
        matcher.set_seq1(line.strip()[:_MAX_SHOWN_CHARS])
        if matcher.real_quick_ratio() > _LIKENESS / 2 and (likeness := matcher.quick_ratio()) > _LIKENESS / 2:
            scored.append((-likeness, max(0, number - first)))
    return [begin for _, begin in sorted(scored)[:_MAX_COMPARED]]
