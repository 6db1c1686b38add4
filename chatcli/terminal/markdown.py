"""Markdown blocks as lines for the terminal, by rich.

Lines carry no padding on the right and nothing but colours: no links, no titles. Text is made safe
where it is put in, behind the parser, because an entity may spell what its source does not show.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatcli.gate.screen import safe_text
from chatcli.terminal.blocks import parser
from chatcli.terminal.cells import width_cells, wrap

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.console import RenderableType
    from rich.segment import Segment
    from rich.text import Text

_NARROWEST_COLUMN_CELLS = 8
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})
_INLINE_STYLES = {"strong_open": "bold", "em_open": "italic", "s_open": "strike", "link_open": "underline"}


class Markdown:
    """Renders blocks for one width."""

    def __init__(self, columns: int, *, color: bool) -> None:
        from rich.color import ColorSystem
        from rich.console import Console

        self._columns = max(columns, 10)
        self._color_system = ColorSystem.STANDARD if color else None
        self._console = Console(file=io.StringIO(), width=self._columns, legacy_windows=False)

    def block(self, source: str) -> list[str]:
        """One block of markdown source: a paragraph, an item of a list, a table ..."""
        return self._nodes(parser().parse(source), self._columns)

    def code(self, fragments: Sequence[tuple[str, str]]) -> list[str]:
        """One line of code; it is broken at the right edge, never at a word."""
        from rich.text import Text

        text = Text()
        for piece, style in fragments:
            text.append(safe_text(piece).expandtabs(4), style)
        offsets, position = [], 0
        for row in wrap(text.plain, self._columns)[:-1]:
            position += len(row)
            offsets.append(position)
        return [line for row in text.divide(offsets) for line in self._lines(row, self._columns)]

    def dim(self, text: str) -> str:
        """One short line in the background: the marks of a fence, a rule."""
        return "".join(self._lines(_plain(text, "dim"), self._columns)[:1])

    def _nodes(self, tokens: Sequence[Token], columns: int) -> list[str]:
        lines: list[str] = []
        for node in _siblings(tokens):
            rows = self._node(node, columns)
            if lines and rows and node[0].type not in _LISTS:
                lines.append("")
            lines += rows
        return lines

    def _node(self, node: Sequence[Token], columns: int) -> list[str]:
        first, inside = node[0], node[1:-1]
        match first.type:
            case "paragraph_open":
                return self._lines(_inline(inside[0]), columns)
            case "heading_open":
                text = _inline(inside[0])
                text.stylize("bold underline" if first.tag == "h1" else "bold")
                return self._lines(text, columns)
            case "bullet_list_open" | "ordered_list_open":
                return [line for item in _siblings(inside) for line in self._item(item, columns)]
            case "blockquote_open":
                bar = self.dim("│")
                return [f"{bar} {line}".rstrip() for line in self._nodes(inside, columns - 2)]
            case "table_open":
                return self._table(inside, columns)
            case "fence" | "code_block":
                return self._fence(first)
            case "hr":
                return [self.dim("─" * min(columns, 40))]
            case _:
                return self._lines(_plain(first.content.rstrip("\n")), columns)

    def _item(self, item: Sequence[Token], columns: int) -> list[str]:
        mark = f"{item[0].info}{item[0].markup} " if item[0].info else "• "
        rows = self._nodes(item[1:-1], columns - len(mark)) or [""]
        leads = (mark, *(" " * len(mark) for _row in rows[1:]))
        return [(lead + row).rstrip() for lead, row in zip(leads, rows, strict=True)]

    def _fence(self, token: Token) -> list[str]:
        from chatcli.terminal.code import CodeColours

        mark = token.markup or "```"
        colours = CodeColours(token.info)
        rows = [row for line in token.content.splitlines() for row in self.code(colours.line(line))]
        return [self.dim(mark + token.info), *rows, self.dim(mark)]

    def _table(self, tokens: Sequence[Token], columns: int) -> list[str]:
        header, *rows = _table_rows(tokens)
        sides = [str(token.attrs.get("style", "")) for token in tokens if token.type == "th_open"]
        if len(header) * (_NARROWEST_COLUMN_CELLS + 2) > columns:
            return self._records(header, rows, columns)
        from rich import box
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for cell, side in zip(header, sides, strict=True):
            table.add_column(cell, overflow="fold", justify="right" if side.endswith("right") else "left")
        for row in rows:
            table.add_row(*row)
        return self._lines(table, columns)

    def _records(self, header: list[Text], rows: list[list[Text]], columns: int) -> list[str]:
        """A table too wide for the screen: one paragraph a row, one line a cell."""
        from rich.text import Text

        lines: list[str] = []
        for row in rows:
            if lines:
                lines.append("")
            for name, cell in zip(header, row, strict=False):
                lines += self._lines(Text.assemble(name, ": ", cell), columns)
        return lines

    def _lines(self, renderable: RenderableType, columns: int) -> list[str]:
        """Rendered rows with their trailing blanks taken off."""
        lines = []
        for row in self._rows(renderable, max(columns, 4)):
            while row and not row[-1].text.strip():
                row.pop()
            parts = []
            for number, segment in enumerate(row, start=1):
                text = segment.text.rstrip() if number == len(row) else segment.text
                style = segment.style
                parts.append(style.render(text, color_system=self._color_system) if style else text)
            lines.append("".join(parts))
        return lines

    def _rows(self, renderable: RenderableType, columns: int) -> list[list[Segment]]:
        """Rows that fit also where the terminal draws the parts of a joined emoji one by one."""
        rows = self._console.render_lines(renderable, self._console.options.update(width=columns), pad=False)
        widths = [sum(width_cells(segment.text) for segment in row) for row in rows]
        if max(widths, default=0) <= columns:
            return rows
        joined = max(w - sum(s.cell_length for s in row) for w, row in zip(widths, rows, strict=True))
        narrower = self._console.options.update(width=max(columns - joined, 4))
        return self._console.render_lines(renderable, narrower, pad=False)


def _siblings(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The nodes of one level, each with everything inside it."""
    nodes, begin, depth = [], 0, 0
    for index, token in enumerate(tokens, start=1):
        depth += token.nesting
        if depth == 0:
            nodes.append(tokens[begin:index])
            begin = index
    return nodes


def _table_rows(tokens: Sequence[Token]) -> list[list[Text]]:
    rows: list[list[Text]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_inline(token))
    return rows


def _inline(token: Token) -> Text:
    text = _plain("")
    styles: list[str] = []
    addresses: list[str] = []
    for child in token.children or ():
        style = " ".join(styles)
        if child.type == "link_open":
            addresses.append(str(child.attrs.get("href", "")))
        match child.type:
            case "code_inline":
                text.append(safe_text(child.content), f"{style} cyan".strip())
            case "softbreak":
                text.append(" ")
            case "hardbreak":
                text.append("\n")
            case "image":
                text.append(safe_text(f"{child.content} ({child.attrs.get('src', '')})"), style)
            case "link_close":
                styles.pop()
                if not text.plain.endswith(address := safe_text(addresses.pop())):
                    text.append(f" ({address})", "dim")
            case kind if kind in _INLINE_STYLES:
                styles.append(_INLINE_STYLES[kind])
            case kind if kind.endswith("_close"):
                styles.pop()
            case _:
                text.append(safe_text(child.content), style)
    return text


def _plain(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(safe_text(text), style, overflow="fold")
