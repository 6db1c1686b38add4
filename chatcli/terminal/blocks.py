"""Cuts markdown, as it is written, into blocks that can no longer change.

A block is handed out once, when the lines behind it show that it has ended: paragraphs, headings,
tables, quotes, single items of a list. The lines of a code fence are handed out one by one. The
decision is made after each complete line and depends on nothing else, so that it does not matter in
which pieces a text arrives.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LONGEST_BLOCK_CHARS = 64_000
"""A block that grows beyond this is handed out as it is, so that work and memory stay bounded."""
_PARSED_SHARE = 16
"""A block is parsed again when it has grown by this part of itself; a short one at each line."""

_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)\n?")
_MAY_START_A_BLOCK = re.compile(r" {0,3}(?:[#*+>`~|=<_-]|\d{1,9}[.)])")


class Block(Struct, frozen=True, kw_only=True):
    """Markdown source that stands for itself, or one line of a code fence."""

    kind: Literal["markdown", "fence_open", "code", "fence_close"]
    source: str
    """Without the last line end; the lines that open and close a fence keep their marks."""
    gap: bool = False
    """An empty line belongs before it."""


_ENDED_BY_AN_EMPTY_LINE = frozenset({"paragraph_open", "heading_open", "table_open", "hr"})


class Fence(Struct, frozen=True):
    """An open code fence."""

    mark: str
    indent: int


class BlockSplitter:
    """Takes complete lines, returns the blocks that are finished."""

    def __init__(self) -> None:
        self.fence: Fence | None = None
        self._lines: list[str] = []
        self._size_chars = 0
        self._parsed_lines = 0
        self._spaced = False
        self._any = False

    @property
    def pending(self) -> str:
        """The source that is not handed out yet."""
        return "".join(self._lines)

    @property
    def gap(self) -> bool:
        """An empty line belongs before what comes next."""
        return self._any and self._spaced

    def feed(self, line: str) -> list[Block]:
        """Take one line that ends with a newline."""
        if self.fence:
            return [self._code_line(line)]
        # The parser takes a lone carriage return for the end of a line, and its line numbers count.
        line = line.rstrip("\r\n").replace("\r", "␍") + "\n"
        if not self._lines and not line.strip():
            self._spaced = self._any
            return []
        beside_blank = not line.strip() or (bool(self._lines) and not self._lines[-1].strip())
        self._append(line)
        if _FENCE.match(line) or (self._is_due() and (beside_blank or _MAY_START_A_BLOCK.match(line))):
            return self._split()
        return self._take(len(self._lines)) if self._size_chars > _LONGEST_BLOCK_CHARS else []

    def finish(self, rest: str) -> list[Block]:
        """Everything that is left, `rest` being the line that had no end."""
        blocks = self.feed(rest + "\n") if rest else []
        if self.fence is None and self._lines:
            blocks += self._take(len(self._lines))
        self.fence = None
        return blocks

    def _is_due(self) -> bool:
        """Whether enough has come to parse it all again: a table of thousands of rows stays affordable."""
        return len(self._lines) - self._parsed_lines > self._parsed_lines // _PARSED_SHARE

    def _append(self, line: str) -> None:
        self._lines.append(line)
        self._size_chars += len(line)

    def _code_line(self, line: str) -> Block:
        fence = self.fence
        assert fence is not None
        text = line.rstrip("\r\n")
        closing = text.strip(" \t")
        lead = len(text) - len(text.lstrip(" "))
        if len(closing) >= len(fence.mark) and set(closing) == {fence.mark[0]} and lead < 4:
            self.fence = None
            return Block(kind="fence_close", source=closing)
        return Block(kind="code", source=text[min(lead, fence.indent) :])

    def _split(self) -> list[Block]:
        """Hand out all but the last block; step into a fence that has just been opened."""
        tokens = parser().parse(self.pending)
        last = _top_level(tokens)[-1].type
        ended = last in _ENDED_BY_AN_EMPTY_LINE and not self._lines[-1].strip()
        blocks = self._take(len(self._lines) if ended else _starts(tokens)[-1])
        if last == "fence":
            opening = _FENCE.match(self._lines[0])
            assert opening is not None
            self.fence = Fence(opening[2], len(opening[1]))
            blocks.append(Block(kind="fence_open", source=self._lines[0].strip(), gap=self._any))
            self._lines.clear()
            self._size_chars = 0
            self._any, self._spaced = True, True
        elif self._size_chars > _LONGEST_BLOCK_CHARS:
            blocks += self._take(len(self._lines))
        self._parsed_lines = len(self._lines)
        return blocks

    def _take(self, count: int) -> list[Block]:
        """The first `count` lines, cut into blocks."""
        if not count:
            return []
        taken, self._lines = self._lines[:count], self._lines[count:]
        self._size_chars = sum(map(len, self._lines))
        self._parsed_lines = 0
        starts = [*_starts(parser().parse("".join(taken))), len(taken)]
        blocks = []
        for begin, end in pairwise(starts):
            source = "".join(taken[begin:end])
            solid = _stands_alone(source)
            blocks.append(
                Block(kind="markdown", source=source.rstrip("\n"), gap=self._any and (self._spaced or solid))
            )
            self._any = True
            self._spaced = solid or not taken[end - 1].strip()
        return blocks


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables, without what a later line could change: references, setext headings."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable(["lheading", "reference"])


def _top_level(tokens: list[Token]) -> list[Token]:
    return [token for token in tokens if token.level == 0 and token.map]


def _starts(tokens: list[Token]) -> list[int]:
    """First lines of the blocks: of each item in a list, else of each top-level token."""
    starts = []
    for token in tokens:
        if not token.map:
            continue
        listed = token.type in {"bullet_list_open", "ordered_list_open"}
        if (token.level == 0 and not listed) or (token.level == 1 and token.type == "list_item_open"):
            starts.append(token.map[0])
    return starts


def _stands_alone(source: str) -> bool:
    """Headings and tables have an empty line around them, whatever the source says."""
    first = source.lstrip()
    return first.startswith("#") or first.startswith("|")
