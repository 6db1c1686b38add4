"""The page of a search that is shown, with exact totals of what is not."""

from __future__ import annotations

from collections import deque
from typing import Literal

from chatcli.tools.text import one_line

Show = Literal["lines", "files", "counts"]

LINE_CHARS = 400
"""Longer lines are clipped around their first match."""
_BEFORE_CHARS = 100
_MAX_NAMED = 10


class SearchResults:
    """Takes matches file by file, in order, and keeps those from `offset` on that have room.

    The unit of a page is a matching line, or a file when only files are shown.
    """

    def __init__(
        self,
        show: Show,
        *,
        context: int,
        offset: int,
        max_results: int | None,
        room_chars: int,
        places: str = "files",
    ) -> None:
        self.lines: list[str] = []
        self.matches = 0
        """Matching lines, shown or not."""
        self.files = 0
        self.shown = 0
        """Units on this page."""
        self.binaries: list[str] = []
        self.remarks: list[str] = []
        """What else must be said in the last line."""
        self._show = show
        self._context = context
        self._offset = offset
        self._left = max_results
        self._room_chars = room_chars
        self._places = places
        self._is_full = False
        self._file = ""
        self._file_matches = 0
        self._before: deque[str] = deque(maxlen=context or None)
        self._after_left = 0
        self._has_heading = False

    @property
    def units(self) -> int:
        return self.matches if self._show == "lines" else self.files

    @property
    def next_offset(self) -> int | None:
        """Where the next page begins; None when there is none."""
        end = self._offset + self.shown
        return end if end < self.units else None

    @property
    def wants_text(self) -> bool:
        """Whether a line that comes now may be shown; else matches need only be counted."""
        on_page = self._show == "lines" and self.matches >= self._offset and not self._is_full
        return on_page and (self._left != 0 or self._after_left > 0)

    def begin_file(self, name: str) -> None:
        self._file = one_line(name)
        self._file_matches = 0
        self._has_heading = False
        self._before.clear()
        self._after_left = 0

    def add_match(
        self, number: int, line: str, start: int, matches_in_line: int, *, part_from: int | None = None
    ) -> None:
        """A matching line; `start` is the character at which its first match begins.

        `line` may be a part of a longer one, which has `part_from` characters before it.
        """
        self.matches += 1
        self.files += self._file_matches == 0
        self._file_matches += 1
        if self._show == "lines":
            shown = f"{number}:{_clipped(line, start, matches_in_line, part_from)}"
            before = list(self._before)
            self._before.clear()
            self._after_left = self._context if self._take([*before, shown], self.matches) else 0

    def add_context(self, number: int, line: str) -> None:
        """A line near a match."""
        shown = f"{number}-{_clipped(line, 0, 0)}"
        if self._after_left:
            self._after_left -= 1
            self._append([shown])
        elif self._context:
            self._before.append(shown)

    def end_file(self, *, nul_ended_lines: bool = False) -> None:
        """`nul_ended_lines`: NUL bytes in the file were taken for ends of lines."""
        if nul_ended_lines:
            self.remarks.append(f"{self._file} has NUL bytes, each counted as the end of a line")
        if self._file_matches and self._show != "lines":
            shown = self._file if self._show == "files" else f"{self._file}: {self._file_matches}"
            self._take([shown], self.files)

    def text(self, nothing: str) -> str:
        """The page and its last line; `nothing` says what was looked for in vain."""
        facts = [self._found()] if self.matches else [nothing]
        if self.binaries:
            more = ", ..." if len(self.binaries) > _MAX_NAMED else ""
            named = ", ".join(self.binaries[:_MAX_NAMED]) + more
            facts.append(f"{len(self.binaries)} binary files match and are not shown: {named}")
        facts += self.remarks
        return "\n".join([*self.lines, f"[{'; '.join(facts)}]"])

    def _found(self) -> str:
        total = f"{self.matches} matching lines in {self.files} {self._places}"
        if self.next_offset is not None:
            shown = f"shown {self._offset + 1}-{self.next_offset}"
            return f"{total}, {shown}: go on with offset={self.next_offset}"
        if self._offset >= self.units:
            return f"{total}, none from offset={self._offset} on"
        if self._offset:
            return f"{total}, shown {self._offset + 1}-{self.units}"
        return total

    def _take(self, lines: list[str], unit: int) -> bool:
        """Show one unit if it is on this page and has room."""
        if unit <= self._offset or self._is_full or self._left == 0:
            return False
        if self._show == "lines" and not self._has_heading:
            lines = [self._file, *lines]
        if not self._append(lines):
            self._is_full = True
            return False
        self._has_heading = True
        self.shown += 1
        if self._left is not None:
            self._left -= 1
        return True

    def _append(self, lines: list[str]) -> bool:
        chars = sum(len(line) + 1 for line in lines)
        if chars > self._room_chars and self.lines:
            return False
        self._room_chars -= chars
        self.lines += lines
        return True


def _clipped(line: str, start: int, matches_in_line: int, part_from: int | None = None) -> str:
    """The line without its end; a very long one around its first match, with its columns from 1."""
    line = line.removesuffix("\n").removesuffix("\r")
    if len(line) <= LINE_CHARS:
        return line
    begin = max(0, min(start - _BEFORE_CHARS, len(line) - LINE_CHARS))
    end = begin + LINE_CHARS
    if part_from is not None:
        return f"{line[begin:end]} [columns {part_from + begin + 1}-{part_from + end}]"
    more = f", {matches_in_line} matches" if matches_in_line > 1 else ""
    return f"{line[begin:end]} [columns {begin + 1}-{end} of {len(line)}{more}]"
