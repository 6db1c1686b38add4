"""What a text is, from its first characters: enough to tell the model what was cleared away."""

from __future__ import annotations

import re

_PROBE_CHARS = 200
_SOURCE = re.compile(r"^(?:(package)|(def)|(function))\b", re.MULTILINE)
_SOURCE_NAMES = ("Go source", "Python source", "JavaScript source")
_HEADER = re.compile(r"\A\[(?!true|false|null)[a-z][^\n\"{}]*\]\n(?=\s*\S)")
_LINE_NUMBER = re.compile(r"^\d+\t", re.MULTILINE)
_JSON_START = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*(?:[\[{\"\]]|-?\d|true|false|null))")


def content_type(text: str) -> str:
    """One of JSON, Go source, Python source, JavaScript source, diff, git log, text.

    A tool may have put `[lines 81-160 of 300]` above the content, and numbers before its lines.
    """
    start = _LINE_NUMBER.sub("", _HEADER.sub("", text[: 4 * _PROBE_CHARS].lstrip())).lstrip()
    if start.startswith(("{", "[")):
        return "JSON"
    if source := _SOURCE.search(start[:_PROBE_CHARS]):
        return _SOURCE_NAMES[(source.lastindex or 1) - 1]
    if re.match(r"diff\b|---(?!-)", start):
        return "diff"
    if re.match(r"commit\b", start):
        return "git log"
    return "text"


def looks_like_json(start: str, end: str) -> bool:
    """Whether a text begins and ends as a JSON object or array does. A `[INFO]` does not."""
    return bool(_JSON_START.match(start[:_PROBE_CHARS])) and end[-_PROBE_CHARS:].rstrip().endswith(("}", "]"))
