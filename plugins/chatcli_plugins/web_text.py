"""From the bytes of an answer to text: what it is, how it is encoded, what of it is shown."""

from __future__ import annotations

import codecs
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from chatcli.tools import Fetched, ToolContext, ToolFailed, in_thread
from chatcli.tools.text import binary_kind, sniff

_META_BYTES = 4_096
_META = re.compile(
    rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{1,40})|<\?xml[^>]{0,100}encoding=["']([\w.:-]{1,40})""",
    re.I,
)
_HTML_START = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b", re.I | re.S)
_WINDOWS = frozenset({"iso8859-1", "latin-1", "ascii", "cp1252"})
_NOT_OF_THE_WEB = frozenset(
    {
        "utf-7",
        "unicode_escape",
        "raw_unicode_escape",
        "unicode-escape",
        "raw-unicode-escape",
        "idna",
        "punycode",
        "undefined",
    }
)
_READ_SECONDS = 15.0
_SHELL_TEXT_CHARS = 400
_SHELL_HTML_CHARS = 2_000


class Document(Struct, frozen=True, kw_only=True):
    """`remarks` are facts in our words; `title` is the page's."""

    kind: str
    text: str
    title: str = ""
    remarks: tuple[str, ...] = ()


async def read_document(ctx: ToolContext, answer: Fetched, *, raw: bool) -> Document:
    """Raises `ToolFailed` for a page or PDF that cannot be read within its limits."""
    body, declared = answer.body, answer.content_type
    if body.startswith(b"%PDF-") and not raw:
        return await _pdf(ctx, body)
    if not _is_text(body, declared):
        kind = f"{declared or 'unknown type'}, {binary_kind(body)}"
        return Document(kind=kind, text=f"[{kind}, {len(body)} bytes: nothing to show as text]")
    text, encoding = decode(body, answer.headers.get("content-type", ""), whole=not answer.stopped)
    text = text.replace("\r\n", "\n")
    remarks = (encoding,) if encoding != "utf-8" else ()
    html = declared in {"text/html", "application/xhtml+xml"} or _HTML_START.match(body) is not None
    if raw or not html or _is_json(text):
        return Document(kind=declared or "text", text=text, remarks=remarks)
    return await _html(text, answer.url, remarks)


def decode(body: bytes, content_type: str, *, whole: bool = True) -> tuple[str, str]:
    """The text and its encoding: by BOM, header, `meta`, then by what the bytes are.

    A header that says Latin-1 is not believed where the bytes are UTF-8: nothing else looks like it.
    """
    sniffed = sniff(body)
    if sniffed and sniffed.bom:
        return body[len(sniffed.bom) :].decode(sniffed.codec, "replace"), sniffed.codec
    header = re.search(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", content_type, re.I)
    meta = _META.search(body[:_META_BYTES])
    named = header[1] if header else (meta[1] or meta[2]).decode() if meta else ""
    codec = _codec(named)
    if codec in {"", "utf-8", *_WINDOWS}:
        codec = "utf-8" if _is_utf_8(body, whole) else codec if codec not in {"", "utf-8"} else _other(body)
    return body.decode("cp1252" if codec in _WINDOWS else codec, "replace"), codec


def _codec(name: str) -> str:
    """Only encodings of text: Python has others, such as `zip`."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    textual = getattr(found, "_is_text_encoding", False) and found.name not in _NOT_OF_THE_WEB
    return found.name if textual else ""


def _is_utf_8(body: bytes, whole: bool) -> bool:
    try:
        codecs.utf_8_decode(body, "strict", whole)
    except UnicodeDecodeError:
        return False
    return True


def _other(body: bytes) -> str:
    sniffed = sniff(body)
    return sniffed.codec if sniffed else "utf-8"


def _is_text(body: bytes, declared: str) -> bool:
    major = declared.partition("/")[0]
    if major in {"image", "audio", "video", "font"} and "svg" not in declared:
        return False
    return not body or sniff(body) is not None


def _is_json(text: str) -> bool:
    """Some servers send JSON as HTML."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


async def _html(text: str, url: str, remarks: tuple[str, ...]) -> Document:
    from chatcli_plugins.web_html import read_page

    until = time.monotonic() + _READ_SECONDS

    def read(check: Callable[[], None]) -> Document:
        def check_time() -> None:
            check()
            if time.monotonic() > until:
                raise ToolFailed(f"the page is no HTML that can be read in {_READ_SECONDS:g} s; try raw=true")

        page = read_page(text, url, check_time)
        facts = (*remarks, *(("without navigation and the like",) if page.left_out else ()))
        if len(page.text) < _SHELL_TEXT_CHARS and len(text) > _SHELL_HTML_CHARS and "<script" in text:
            facts = (*facts, "there is little text: the page may build itself by script, which is not run")
        return Document(kind="text/html", title=page.title, text=page.text, remarks=facts)

    return await in_thread(read)


async def _pdf(ctx: ToolContext, body: bytes) -> Document:
    """In a process of its own: what is made to break a PDF reader breaks only that."""
    program = Path(__file__).with_name("web_pdf.py")
    ended = await ctx.processes.helper(
        [sys.executable, "-I", str(program)], cwd=program.parent, stdin=body, timeout_seconds=30.0
    )
    if ended.exit_code != 0:
        return Document(
            kind="application/pdf", text=f"[PDF document, {len(body)} bytes: its text cannot be read]"
        )
    return Document(kind="application/pdf", text=ended.output.decode("utf-8", "replace"))
