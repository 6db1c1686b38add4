"""What can be left out of a log or of JSON because of what it is. Chosen by content, never by tool.

Only what is understood is left out, each place is named, and the whole stays in the archive. It is used
when `CHATCLI_COMPRESSION` is on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from chatcli.context.content_type import content_type
from chatcli.context.reduce_json import Reducer, omitted_json_lines
from chatcli.context.reduce_log import omitted_log_lines

FEWEST_CHARS = 4_000
MOST_CHARS = 2_000_000
"""Longer results are shown by their ends alone: looking at every line would take too long."""
_LIKE_NAMED = 3
_WORTH_A_GAP = 3
_WORTHWHILE = 0.75
"""What is left must be shorter than this part of the original."""


class Reduced(Struct, frozen=True, kw_only=True):
    """A shorter text, in which every omission is named in its place."""

    text: str
    kept_chars: int
    """Characters of the original in it; the others are omitted."""
    what: str
    """What was left out, in words: `1180 items of arrays`."""


class Gap(Struct, frozen=True):
    """Lines `first`..`last`, from 1, are left out; each is like one of the lines `like`, if it names any."""

    first: int
    last: int
    like: tuple[int, ...] = ()

    def __str__(self) -> str:
        named = ", ".join(map(str, self.like[:_LIKE_NAMED]))
        more = ", ..." if len(self.like) > _LIKE_NAMED else ""
        like = f" like {named}{more}" if named else ""
        return f"[... {self.last - self.first + 1} lines{like} omitted: {self.first}-{self.last}]"


def may_be_reduced(size_chars: int) -> bool:
    return FEWEST_CHARS < size_chars <= MOST_CHARS


def reduce(text: str) -> Reduced | None:
    """The reduced text, a pure function of `text`; None when it is neither, or hardly shorter."""
    if not may_be_reduced(len(text)):
        return None
    reduced = _reduced(text)
    return reduced if reduced and len(reduced.text) < _WORTHWHILE * len(text) else None


def _reduced(text: str) -> Reduced | None:
    lines, kind = text.split("\n"), content_type(text)
    if omitted := omitted_json_lines(lines):
        return _without(text, lines, dict.fromkeys(omitted))
    if kind == "JSON" and (document := _reduced_document(text)):
        return document
    if kind not in ("text", "JSON"):  # a log may begin with a bracket
        return None
    return _without(text, lines, omitted_log_lines(lines))


def _reduced_document(text: str) -> Reduced | None:
    reducer = Reducer(text)
    shown = reducer.document()
    if shown is None:
        return None
    parts = [f"{reducer.omitted_items} items of arrays"] if reducer.omitted_items else []
    parts += [f"the middle of {reducer.cut_strings} long strings"] if reducer.cut_strings else []
    return Reduced(text=shown, kept_chars=reducer.kept_chars, what=" and ".join(parts) or "white space")


def _without(text: str, lines: Sequence[str], omitted: Mapping[int, int | None]) -> Reduced:
    """The lines but for those with these numbers; a line in brackets stands for each gap."""
    shown: list[str] = []
    at = omitted_chars = omitted_lines = 0
    for gap in _gaps(omitted):
        gap_chars = sum(len(line) + 1 for line in lines[gap.first - 1 : gap.last])
        if gap_chars > _WORTH_A_GAP * len(str(gap)):
            shown += [*lines[at : gap.first - 1], str(gap)]
            at = gap.last
            omitted_chars += gap_chars
            omitted_lines += gap.last - gap.first + 1
    return Reduced(
        text="\n".join([*shown, *lines[at:]]),
        kept_chars=len(text) - omitted_chars,
        what=f"{omitted_lines} of {len(lines)} lines",
    )


def _gaps(omitted: Mapping[int, int | None]) -> Iterator[Gap]:
    first, like = 0, set[int]()
    for number in sorted(omitted):
        if number - 1 not in omitted:
            first, like = number, set()
        if (same := omitted[number]) is not None:
            like.add(same)
        if number + 1 not in omitted:
            yield Gap(first, number, tuple(sorted(like)))
