"""Reads what `rg --json` prints, event by event, in constant memory."""

from __future__ import annotations

import base64
from collections.abc import Callable

import msgspec
from msgspec import Struct

from chatcli_plugins.search_results import LINE_CHARS, SearchResults

_MAX_EVENT_BYTES = 64 << 20
"""A matching line whose event is longer is only counted."""
_MATCH, _CONTEXT = b'{"type":"match"', b'{"type":"context"'


class _Text(Struct, frozen=True):
    text: str | None = None
    bytes: str | None = None

    def decoded(self) -> str:
        if self.text is not None:
            return self.text
        return base64.b64decode(self.bytes or "").decode("utf-8", "replace")

    def characters(self, size_bytes: int) -> int:
        """How many characters the first so many bytes are."""
        raw = self.text.encode() if self.text is not None else base64.b64decode(self.bytes or "")
        return len(raw[:size_bytes].decode("utf-8", "replace"))


class _Span(Struct, frozen=True):
    start: int


class _Data(Struct, frozen=True):
    path: _Text = _Text()
    lines: _Text = _Text()
    line_number: int | None = None
    submatches: tuple[_Span, ...] = ()
    binary_offset: int | None = None


class _Event(Struct, frozen=True):
    type: str
    data: _Data


class RipgrepReader:
    """A writer for ripgrep's output. `accept` tells for each file whether its lines may be shown."""

    def __init__(self, results: SearchResults, accept: Callable[[str], bool]) -> None:
        self._results = results
        self._accept = accept
        self._decoder = msgspec.json.Decoder(_Event)
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._accepted = True

    def write(self, data: bytes, /) -> None:
        *complete, rest = data.split(b"\n")
        for line in complete:
            self._event(b"".join([*self._pending, line]))
            self._pending, self._pending_bytes = [], 0
        if rest:
            self._pending_bytes += len(rest)
            if self._pending_bytes <= _MAX_EVENT_BYTES:
                self._pending.append(rest)

    def _event(self, line: bytes) -> None:
        if self._pending_bytes > _MAX_EVENT_BYTES:
            if self._accepted:
                self._results.add_match(0, "(a matching line that is too long to show)", 0, 1)
            return
        if not self._results.wants_text and line.startswith((_MATCH, _CONTEXT)):
            # Millions of lines that are only counted would take minutes to decode.
            if self._accepted and line.startswith(_MATCH):
                self._results.add_match(0, "", 0, 1)
            return
        event = self._decoder.decode(line)
        data = event.data
        if event.type == "begin":
            name = data.path.decoded().removeprefix("./")
            self._accepted = self._accept(name)
            self._results.begin_file(name)
        elif not self._accepted:
            return
        elif event.type == "match":
            text = data.lines.decoded()
            starts = data.submatches
            # Bytes are counted as characters only where the difference would show.
            start = data.lines.characters(starts[0].start) if starts and len(text) > LINE_CHARS else 0
            self._results.add_match(data.line_number or 0, text, start, len(starts))
        elif event.type == "context":
            self._results.add_context(data.line_number or 0, data.lines.decoded())
        elif event.type == "end":
            self._results.end_file(nul_ended_lines=data.binary_offset is not None)
