"""HTML as readable markdown: one pass over the tags, in memory that does not grow with their depth.

No tree is built: a page of 200,000 nested elements costs as much as one of 200,000 in a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import urljoin

from msgspec import Struct

_FED_CHARS = 1 << 16


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOID = _names("area base br col embed hr img input link meta source track wbr")
_NO_TEXT = _names("script style template svg noscript iframe object select math canvas")
_END_IMPLIED = _names("p li td th tr dt dd thead tbody option body html main")
"""Their end tags are often left out: what is left out of them ends with the next block at the latest."""
_AROUND = _names("nav footer aside")
_AROUND_ROLES = _names("navigation banner contentinfo complementary search dialog")
_AROUND_NAMES = re.compile(r"\b(?:cookie|consent|gdpr|newsletter|breadcrumb)", re.IGNORECASE)
_UNSEEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d]*[1-9])", re.IGNORECASE
)
_PARAGRAPHS = _names("p h1 h2 h3 h4 h5 h6 table ul ol pre blockquote figure dl")
_BLOCKS = _PARAGRAPHS | _names(
    "address article body caption dd details div dt fieldset figcaption form header hr html legend li main"
    " section summary tbody tfoot thead tr center"
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_SPACE = re.compile(r"[ \t\n\r\f]+")
_SOFT_HYPHEN = "\u00ad"
_BLANK_LINES = re.compile(r"\n{3,}")
_MIN_MAIN_SHARE = 0.25
_MIN_MAIN_CHARS = 200
_MAX_LIST_DEPTH = 8


class Page(Struct, frozen=True, kw_only=True):
    """`left_out`: navigation and the like, around the content, or what no reader sees, was dropped."""

    title: str
    text: str
    left_out: bool


def read_page(html: str, base_url: str, check: Callable[[], None]) -> Page:
    """The content of a page; the whole page when its content cannot be told from what is around it."""
    content = _Renderer(base_url, around=False)
    content.read(html, check)
    if content.is_broken or not content.text:
        content = _Renderer(base_url, around=True)
        content.read(html, check)
    return Page(title=content.title, text=content.text, left_out=content.left_out)


class _Renderer(HTMLParser):
    """`around`: keep what stands around the content."""

    def __init__(self, base_url: str, *, around: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.title = self.text = ""
        self.left_out = False
        self._base_url = base_url
        self._around = around
        self._parts: list[str] = []
        self._titles: list[str] = []
        self._in_title = False
        self._skipped = ""
        self._skipped_depth = self._pre_depth = self._main_depth = 0
        self._lists: list[int | None] = []
        """Of each open list the number of its last item; None without numbers."""
        self._link: tuple[str, int] | None = None
        self._cells = 0
        self._row_is_header = False
        self._main_starts = 0
        self._main: list[tuple[int, int]] = []

    def read(self, html: str, check: Callable[[], None]) -> None:
        """Sets `title`, `text` and `left_out`."""
        for start in range(0, len(html), _FED_CHARS):
            check()
            self.feed(html[start : start + _FED_CHARS])
        self.close()
        if self._main_depth:
            self._main.append((self._main_starts, len(self._parts)))
        self.title = _SPACE.sub(" ", "".join(self._titles)).strip()
        self.text = _tidy("".join(self._parts))
        main = _tidy("".join(part for start, end in self._main for part in self._parts[start:end]))
        if not self._around and len(main) >= max(_MIN_MAIN_CHARS, _MIN_MAIN_SHARE * len(self.text)):
            self.left_out = self.left_out or len(main) < len(self.text)
            self.text = main

    @property
    def is_broken(self) -> bool:
        """Something that was left out never ended, so that it took the rest of the page with it."""
        return bool(self._skipped)

    # What the parser calls

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped in _END_IMPLIED and tag in _BLOCKS:
            self._skipped = ""
        if self._skipped:
            self._skipped_depth += tag == self._skipped
            return
        attributes = {name: value or "" for name, value in attrs}
        if tag == "title":
            self._in_title = not self._titles
        elif tag in _NO_TEXT or self._is_around(tag, attributes):
            self._skipped, self._skipped_depth = tag, 1
        else:
            self._open(tag, attributes)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """In HTML the slash means nothing."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._skipped in _END_IMPLIED and tag in _BLOCKS and tag != self._skipped:
            self._skipped = ""
        if self._skipped:
            self._skipped_depth -= tag == self._skipped
            if self._skipped_depth == 0:
                self._skipped = ""
        elif tag == "title":
            self._in_title = False
        else:
            self._close(tag)

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        if self._in_title:
            self._titles.append(data)
        elif self._pre_depth:
            self._write(data)
        else:
            text = _SPACE.sub(" ", data.replace(_SOFT_HYPHEN, ""))
            begins = not self._parts or self._parts[-1].endswith((" ", "\n", "["))
            self._write_words(text.lstrip(" ") if begins else text)

    # Elements

    def _is_around(self, tag: str, attributes: dict[str, str]) -> bool:
        if self._around or tag in _VOID or tag in {"body", "html", "main"}:
            return False
        around = "hidden" in attributes or _UNSEEN_STYLE.search(attributes.get("style", "")) is not None
        if tag not in _END_IMPLIED:
            named = f"{attributes.get('id', '')} {attributes.get('class', '')}"
            around = (
                around
                or tag in _AROUND
                or attributes.get("role") in _AROUND_ROLES
                or attributes.get("aria-hidden") == "true"
                or _AROUND_NAMES.search(named) is not None
            )
        self.left_out = self.left_out or around
        return around

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in {"tr", "table"}:
            self._end_row()
        self._break(tag)
        match tag:
            case "main" | "article":
                self._main_starts = self._main_starts if self._main_depth else len(self._parts)
                self._main_depth += 1
            case "ul" | "ol":
                self._lists.append(0 if tag == "ol" else None)
            case "li":
                self._bullet()
            case "tr":
                self._cells, self._row_is_header = 0, False
            case "td" | "th":
                self._begin_cell(tag)
            case "pre":
                self._pre_depth += 1
                self._write("```\n")
            case "br":
                self._write(" " if self._cells else "\n")
            case "a":
                self._begin_link(attributes.get("href", ""))
            case "img" if alt := _SPACE.sub(" ", attributes.get("alt", "")).strip():
                self._write_words(f"(image: {alt})")
            case _:
                self._write(self._sign(tag))

    def _close(self, tag: str) -> None:
        match tag:
            case "main" | "article" if self._main_depth:
                self._main_depth -= 1
                if self._main_depth == 0:
                    self._main.append((self._main_starts, len(self._parts)))
            case "ul" | "ol":
                del self._lists[-1:]
            case "tr" | "table":
                self._end_row()
            case "pre" if self._pre_depth:
                self._pre_depth -= 1
                self._write("\n```")
            case "a":
                self._end_link()
            case "code":
                self._write(self._sign(tag))
        self._break(tag)

    def _sign(self, tag: str) -> str:
        return "" if self._pre_depth else "`" if tag == "code" else _HEADINGS.get(tag, "")

    def _begin_cell(self, tag: str) -> None:
        self._write(" | " if self._cells else "| ")
        self._cells += 1
        self._row_is_header = self._row_is_header or tag == "th"

    def _end_row(self) -> None:
        if self._cells:
            self._write(" |" + f"\n|{' --- |' * self._cells}" * self._row_is_header)
        self._cells = 0

    def _begin_link(self, target: str) -> None:
        """Links do not nest: one that is open ends here."""
        self._end_link()
        self._link = (target, len(self._parts))
        self._write("[")

    def _end_link(self) -> None:
        """A link without words, and one within the page, is only its words."""
        if self._link is None:
            return
        (target, start), self._link = self._link, None
        words = "".join(self._parts[start + 1 :])
        url = "" if self._pre_depth or not words.strip() else _absolute(self._base_url, target)
        # A link around whole blocks would need brackets over several lines.
        if not url or "\n" in words.strip():
            self._parts[start] = ""
        self._parts[-1] = self._parts[-1].rstrip(" ") if url else self._parts[-1]
        if url:
            self._write(f" ({url})" if "\n" in words.strip() else f"]({url})")

    def _bullet(self) -> None:
        depth = min(len(self._lists), _MAX_LIST_DEPTH)
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number + 1
        self._write("  " * (depth - 1) + ("- " if number is None else f"{number + 1}. "))

    def _break(self, tag: str) -> None:
        """A cell is one line, whatever stands in it."""
        if tag not in _BLOCKS:
            return
        if self._cells:
            self._write("" if self._parts[-1].endswith(" ") else " ")
        elif tag in _PARAGRAPHS and not self._lists:
            self._write("\n\n")
        elif self._parts and not self._parts[-1].endswith("\n"):
            self._write("\n")

    def _write_words(self, text: str) -> None:
        """What the page says; what `_write` gets besides are signs of markdown."""
        self._write(text.replace("|", r"\|") if self._cells else text)

    def _write(self, text: str) -> None:
        if text:
            self._parts.append(text)


def _absolute(base_url: str, target: str) -> str:
    """The address of a link; empty for what leads nowhere else."""
    target = target.strip()
    if not target or target[0] == "#" or target.lower().startswith(("javascript:", "data:")):
        return ""
    try:
        return urljoin(base_url, target).replace(" ", "%20").replace("|", "%7C")
    except ValueError:
        return ""


def _tidy(text: str) -> str:
    """No spaces at line ends, at most one blank line in a row."""
    lines = [line.rstrip() for line in text.split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()
