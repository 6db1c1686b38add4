"""What an archived result is, in a few lines: size, type, and what its JSON is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from chatcli.tools import StoreEntry
from chatcli.tools.text import SNIFFED_BYTES, binary_kind, sniff
from chatcli_plugins.recall_json import Document, Span, children, find_document

MAX_JSON_BYTES = 32_000_000
"""Larger originals are not parsed: that would take many times their size in memory."""
_KEYS_CHARS = 1_000
_KEY_CHARS = 80


def describe(entry: StoreEntry, file: BinaryIO) -> str:
    """Lines of facts; the first says what it is."""
    beginning = file.read(SNIFFED_BYTES)
    encoding = sniff(beginning, whole=entry.size_bytes <= SNIFFED_BYTES)
    sizes = f"{entry.lines} lines, {entry.size_chars} chars, {entry.size_bytes} bytes"
    lost = f"\n{entry.omitted_bytes} bytes of the middle were not stored" if entry.omitted_bytes else ""
    if encoding is None:
        return f"{entry.tool}: {sizes}, binary, {binary_kind(beginning)}{lost}"
    if entry.size_bytes > MAX_JSON_BYTES:
        looks = ", perhaps JSON (too large to be parsed)" if beginning.lstrip()[:1] in (b"{", b"[") else ""
        return f"{entry.tool}: {sizes}, text{looks}{lost}"
    document = find_document((beginning + file.read()).decode("utf-8", "replace"))
    if document is None:
        return f"{entry.tool}: {sizes}, text{lost}"
    return f"{entry.tool}: {sizes}, {_json(document)}{lost}"


def _json(document: Document) -> str:
    root = Span("", document.start, document.end)
    kind, members = children(document, root)
    spans = document.lines or (root,)
    others = sum(map(bool, map(str.strip, _without(document.text, spans).split("\n"))))
    note = f"\n{others} other lines are no part of it" if others else ""
    if kind == "object":
        return f"JSON object of {len(members)} keys{note}\n{_keys(document, members)}"
    name = f"JSON lines, {len(members)} records" if document.lines else f"JSON array of {len(members)} items"
    first = members[0][1] if members else None
    if first is None or children(document, first)[0] != "object":
        return f"{name}{note}"
    return f"{name}{note}\n[0] has the keys {_keys(document, children(document, first)[1])}"


def _keys(document: Document, members: Sequence[tuple[str | int, Span]]) -> str:
    shown: list[str] = []
    for key, span in members:
        shown.append(f"{str(key)[:_KEY_CHARS]}: {_type(document, span)}")
        if sum(map(len, shown)) > _KEYS_CHARS:
            break
    more = [f"and {len(members) - len(shown)} more"] if len(members) > len(shown) else []
    return ", ".join([*shown, *more])


def _without(text: str, spans: Sequence[Span]) -> str:
    parts, at = [], 0
    for span in spans:
        parts.append(text[at : span.start])
        at = span.end
    return "".join([*parts, text[at:]])


def _type(document: Document, span: Span) -> str:
    kind, members = children(document, span)
    return f"{kind} of {len(members)}" if kind in ("array", "object") else kind
