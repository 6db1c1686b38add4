"""Results of `read` for a named range: a header line, the text, and perhaps a note how to go on."""

from __future__ import annotations

import re

from msgspec import Struct

_HEADER = re.compile(r"^\[(?:lines (\d+)-(\d+) of (\d+)|[^\]]*)[^\]]*\]$")
_NOTE = re.compile(r"^\[[^\]]*(?:go on with|have no room)[^\]]*\]$")


class Excerpt(Struct, frozen=True, kw_only=True):
    """Lines `first` to `last` of `total`; all are 0 when the result did not say."""

    lines: tuple[str, ...]
    first: int = 0
    last: int = 0
    total: int = 0


def read_excerpt(text: str) -> Excerpt:
    lines = text.splitlines()
    header = _HEADER.match(lines[0]) if lines else None
    if header is None:
        return Excerpt(lines=tuple(lines))
    body = lines[1:-1] if len(lines) > 1 and _NOTE.match(lines[-1]) else lines[1:]
    first, last, total = (int(number or 0) for number in header.groups())
    return Excerpt(lines=tuple(body), first=first, last=last, total=total)
