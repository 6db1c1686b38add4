"""A reply while it streams in: finished lines are handed out once, the rest can be looked at.

What was handed out never changes and does not depend on the pieces in which the text arrived. The
width may change in between; it applies to what is rendered from then on.
"""

from __future__ import annotations

from chatcli.terminal.blocks import Block, BlockSplitter
from chatcli.terminal.code import CodeColours
from chatcli.terminal.markdown import Markdown

_PREVIEW_CHARS = 4_000


class MarkdownStream:
    """One reply, in pieces."""

    def __init__(self, *, color: bool) -> None:
        self._color = color
        self._splitter = BlockSplitter()
        self._rest = ""
        self._colours = CodeColours("")

    def feed(self, text: str, columns: int) -> list[str]:
        """The lines that are finished now."""
        complete, newline, self._rest = (self._rest + text).rpartition("\n")
        if not newline:
            return []
        lines: list[str] = []
        for line in complete.split("\n"):
            lines += self._render(self._splitter.feed(line + "\n"), columns)
        return lines

    def finish(self, columns: int) -> list[str]:
        """Everything that is left."""
        rest, self._rest = self._rest, ""
        return self._render(self._splitter.finish(rest), columns)

    def preview(self, columns: int, rows: int) -> list[str]:
        """The unfinished end as it looks at the moment: at most `rows` lines."""
        source = (self._splitter.pending + self._rest)[-_PREVIEW_CHARS:]
        if not source.strip() or rows < 1:
            return []
        markdown = Markdown(columns, color=self._color)
        if self._splitter.fence:
            return markdown.code([(self._rest[-_PREVIEW_CHARS:], "")])[-rows:]
        gap = [""] if self._splitter.gap else []
        return [*gap, *markdown.block(source)][-rows:]

    def _render(self, blocks: list[Block], columns: int) -> list[str]:
        lines: list[str] = []
        for block in blocks:
            markdown = Markdown(columns, color=self._color)
            if block.gap:
                lines.append("")
            match block.kind:
                case "markdown":
                    lines += markdown.block(block.source)
                case "fence_open":
                    self._colours = CodeColours(block.source.lstrip("`~"))
                    lines.append(markdown.dim(block.source))
                case "code":
                    lines += markdown.code(self._colours.line(block.source))
                case "fence_close":
                    lines.append(markdown.dim(block.source))
        return lines
