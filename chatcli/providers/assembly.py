"""Puts one reply together while it streams, and yields the events of its pieces."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Literal

from msgspec import Struct

from chatcli.errors import InvalidArguments
from chatcli.events import ReasoningDelta, Reply, ReplyEvent, TextDelta, ToolCallDelta
from chatcli.messages import AssistantPart, Reasoning, StopReason, Text, ToolCall, Usage
from chatcli.providers.encoding import without_surrogates


class _Piece(Struct, kw_only=True):
    kind: Literal["text", "reasoning", "call"]
    chunks: list[str]
    opaque: dict[str, Any]
    """The vendor's own fields, replayed with the part."""
    call_id: str = ""
    name: str = ""
    closed: bool = False
    half: str = ""
    """First half of a character whose second half is in the next delta."""

    @property
    def text(self) -> str:
        return "".join(self.chunks)


class Assembly:
    """Parts of a reply by the key under which the service streams them, in order of appearance."""

    def __init__(self) -> None:
        self._pieces: dict[Hashable, _Piece] = {}
        self.chars = 0
        """Characters that the model has written so far, of all kinds."""

    def text(self, key: Hashable, text: str) -> Iterator[ReplyEvent]:
        piece = self._piece(key, "text")
        if text := self._add(piece, text):
            yield TextDelta(text)

    def reasoning(self, key: Hashable, text: str) -> Iterator[ReplyEvent]:
        piece = self._piece(key, "reasoning")
        if text := self._add(piece, text):
            yield ReasoningDelta(text)

    def seal(self, key: Hashable, **opaque: Any) -> None:
        """Keep the vendor's own fields of a reasoning part, which are replayed as they are."""
        self._piece(key, "reasoning").opaque.update(opaque)

    def call(
        self,
        key: Hashable,
        *,
        call_id: str = "",
        name: str = "",
        arguments: str = "",
        extra: dict[str, Any] | None = None,
    ) -> Iterator[ReplyEvent]:
        """A call begins, or goes on with the next piece of its arguments."""
        new = key not in self._pieces
        piece = self._piece(key, "call")
        piece.opaque.update(extra or {})
        piece.call_id = piece.call_id or call_id
        piece.name = piece.name or name
        arguments = self._add(piece, arguments)
        if arguments or new:
            yield ToolCallDelta(piece.call_id, piece.name, arguments)

    def close(self, key: Hashable) -> None:
        """The service says that this part is whole."""
        if piece := self._pieces.get(key):
            piece.closed = True

    def close_all(self) -> None:
        for piece in self._pieces.values():
            piece.closed = True

    def written(self, key: Hashable) -> str:
        """What has arrived for this part."""
        piece = self._pieces.get(key)
        return piece.text if piece else ""

    def reply(self, stop_reason: StopReason, usage: Usage, model: str) -> Reply:
        """The whole reply. A call in the middle of which it reached its limit stands without arguments."""
        pieces = list(self._pieces.values())
        cut = pieces[-1] if pieces and stop_reason == "max_tokens" and _is_cut_call(pieces[-1]) else None
        parts: list[AssistantPart] = []
        for piece in pieces:
            match piece.kind:
                case "text" if piece.text:
                    parts.append(Text(piece.text))
                case "reasoning" if piece.text or piece.opaque:
                    parts.append(Reasoning(text=piece.text, opaque=piece.opaque))
                case "call" if piece is cut:
                    if piece.call_id and piece.name:
                        parts.append(ToolCall(id=piece.call_id, name=piece.name, extra=piece.opaque))
                case "call" if piece.closed:
                    parts.append(_call_of(piece))
        if stop_reason == "end" and any(isinstance(part, ToolCall) for part in parts):
            stop_reason = "tool_calls"
        return Reply(
            parts=tuple(parts),
            stop_reason=stop_reason,
            usage=usage,
            model=model,
            cut_call_id=cut.call_id if cut and cut.name else "",
        )

    def _piece(self, key: Hashable, kind: Literal["text", "reasoning", "call"]) -> _Piece:
        if key not in self._pieces:
            self._pieces[key] = _Piece(kind=kind, chunks=[], opaque={})
        return self._pieces[key]

    def _add(self, piece: _Piece, text: str) -> str:
        """Take a delta in and return what of it is whole characters."""
        text = piece.half + text
        piece.half = ""
        if not text.isascii():
            if "\ud800" <= text[-1] <= "\udbff":
                text, piece.half = text[:-1], text[-1]
            text = without_surrogates(text)
        if text:
            piece.chunks.append(text)
            self.chars += len(text)
        return text


def _call_of(piece: _Piece) -> ToolCall:
    return ToolCall(id=piece.call_id, name=piece.name, arguments_json=piece.text or "{}", extra=piece.opaque)


def _is_cut_call(piece: _Piece) -> bool:
    """Services close the last block of a reply even when the limit fell into its arguments."""
    if piece.kind != "call":
        return False
    if not (piece.closed and piece.text.strip()):
        return True
    try:
        _call_of(piece).arguments()
    except InvalidArguments:
        return True
    return False
