"""The vocabulary of the whole program: messages, tool calls, tool results, usage.

Everything here is frozen and encodes to the same JSON bytes in every process. A transcript is a
sequence of `Message`; it is only ever appended to. The *view* that a model sees is made of the
same types: there a `ToolResult` also carries `shown` and `text`.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from chatcli.errors import InvalidArguments

TextOrigin = Literal["user", "context", "notice"]
StopReason = Literal["end", "tool_calls", "max_tokens", "refusal", "pause", "cancelled"]
ResultStatus = Literal[
    "ok",
    "error",
    "denied",  # the user or the gate said no
    "cancelled",  # never started
    "interrupted",  # started, may have had effects
    "not_executed",  # an earlier call of the batch failed, or the mode runs no tools
    "missing",  # nothing is known: the synthetic result of pairing
]
PresentationKind = Literal[
    "whole",
    "capped",
    "preview",
    "reduced",  # a log or JSON, without what is like the rest
    "truncated",
    "summary",
    "deleted",  # the user had the original removed
]


class Archived(Struct, frozen=True, kw_only=True):
    """What the archive knows about one stored original.

    `size_chars` counts code points of the bytes read as UTF-8 (invalid bytes replaced).
    """

    key: str
    """First 16 hex digits of the SHA-256; empty when the original could not be stored."""
    sha256: str
    size_bytes: int
    size_chars: int
    lines: int
    omitted_bytes: int = 0
    """Bytes in the middle that the session's quota did not let in."""


class Presentation(Struct, frozen=True, kw_only=True):
    """How a result is shown to the model: decided once, journalled, then only changed by a rewrite."""

    kind: PresentationKind
    head_chars: int = 0
    tail_chars: int = 0
    error_chars: int = 0
    """Room for error-looking lines of the omitted middle, in chars."""
    saved: bool = False
    """Whether the marker may name a file in the workspace."""
    notice: str = ""
    """A line below the marker: how the model gets less, and how it looks into this result."""
    pinned: bool = False
    """The user wants it to stay as it is: no age shortens it."""


WHOLE = Presentation(kind="whole")
DELETED = Presentation(kind="deleted")


class Text(Struct, frozen=True, tag="text"):
    """Prose. `origin` tells the user's own words from context and notices that chatcli added."""

    text: str
    origin: TextOrigin = "user"


class Attachment(Struct, frozen=True, tag="attachment", kw_only=True):
    """A file that the user named with `@path`: `text` is what the model reads, the rest is archived."""

    path: str
    text: str
    original: Archived


class Image(Struct, frozen=True, tag="image", kw_only=True, omit_defaults=True):
    """A picture that the user named with `@path`. Sizes are pixels.

    In a transcript `data` is empty: the bytes lie in the archive. In a request it holds them.
    """

    path: str
    format: str
    """`png`, `jpeg`, `gif` or `webp`."""
    width: int
    height: int
    original: Archived
    data: bytes = b""

    @property
    def media_type(self) -> str:
        return f"image/{self.format}"

    @property
    def text(self) -> str:
        """How it is named beside the picture, or in place of it."""
        return self.described()

    def described(self, remark: str = "") -> str:
        facts = f"{self.width}x{self.height} {self.format.upper()}"
        return f"[image: {self.path} — {facts}{'; ' if remark else ''}{remark}]"


class Reasoning(Struct, frozen=True, tag="reasoning"):
    """Thinking that a model showed. `opaque` holds the vendor's own fields, replayed verbatim."""

    text: str = ""
    opaque: dict[str, Any] = {}


class ToolCall(Struct, frozen=True, tag="tool_call", kw_only=True):
    """What the model asked for. `arguments_json` is verbatim, so that it is sent back unchanged."""

    id: str
    name: str
    arguments_json: str = "{}"
    extra: dict[str, Any] = {}
    """Vendor fields of this call that must be replayed (signatures, item ids)."""

    def arguments(self) -> dict[str, Any]:
        """The parsed arguments. Raises `InvalidArguments` unless they are one JSON object."""
        try:
            parsed = msgspec.json.decode(self.arguments_json.strip() or "{}")
        except msgspec.DecodeError as error:
            raise InvalidArguments(f"arguments are not valid JSON: {error}") from error
        if not isinstance(parsed, dict):
            raise InvalidArguments(f"arguments must be a JSON object, not {type(parsed).__name__}")
        return parsed


UserPart = Text | Attachment | Image


class UserMessage(Struct, frozen=True, tag="user", kw_only=True):
    """`seq` is the number of the journal entry: the identity of a message in its session."""

    seq: int
    parts: tuple[UserPart, ...]

    @property
    def images(self) -> tuple[Image, ...]:
        return tuple(part for part in self.parts if isinstance(part, Image))

    @property
    def text(self) -> str:
        """The user's own words."""
        return "\n".join(p.text for p in self.parts if isinstance(p, Text) and p.origin == "user")


AssistantPart = Text | Reasoning | ToolCall


class AssistantMessage(Struct, frozen=True, tag="assistant", kw_only=True):
    """One reply of a model, parts in the order in which they were produced."""

    seq: int
    parts: tuple[AssistantPart, ...]
    provider: str
    model: str
    stop_reason: StopReason = "end"

    @property
    def text(self) -> str:
        return "".join(p.text for p in self.parts if isinstance(p, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(p for p in self.parts if isinstance(p, ToolCall))


class ToolResult(Struct, frozen=True, tag="tool_result", kw_only=True):
    """What came back for one call. The original bytes lie in the archive; this names them.

    In a transcript `shown` is None and `text` is empty. In a view `shown` tells how the result is
    presented and `text` is exactly what the model reads.
    """

    seq: int
    call_id: str
    name: str
    status: ResultStatus = "ok"
    original: Archived
    read_only: bool = False
    """This call changed nothing, so that its result may be shortened when it is old."""
    verbatim: bool = False
    """Asked for verbatim (recall): no stage shortens it in the turn in which it arrives."""
    cap_chars: int = 30_000
    """The tool's declared `max_result_chars`, clamped."""
    self_limited: bool = False
    """The tool paged its own output: only `cap_chars` limits it, not the per-result limit."""
    duration_seconds: float = 0.0
    brief: str = ""
    """A few words for people: `480 lines`, `exit 1`."""
    shown: Presentation | None = None
    text: str = ""

    @property
    def is_error(self) -> bool:
        return self.status != "ok"


Message = UserMessage | AssistantMessage | ToolResult


def originals_of(message: Message) -> tuple[Archived, ...]:
    """What a message names in the archive."""
    match message:
        case ToolResult():
            return (message.original,)
        case UserMessage():
            return tuple(part.original for part in message.parts if not isinstance(part, Text))
        case _:
            return ()


class ToolSchema(Struct, frozen=True, kw_only=True):
    """A tool as the model sees it. `parameters` is a JSON schema with a fixed key order."""

    name: str
    description: str
    parameters: dict[str, Any]


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one request in the normal form that every provider is mapped into.

    The classes do not overlap: `input` is what was neither read from nor written to a cache;
    `output` includes `reasoning`.
    """

    input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0
    reasoning: int = 0
    cost_usd: float | None = None
    """Only what the provider itself reported."""
    estimated: bool = False

    @property
    def cache_write(self) -> int:
        return self.cache_write_5m + self.cache_write_1h

    @property
    def context(self) -> int:
        """Tokens that stood in the window: everything sent, however it was billed."""
        return self.input + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        costs = [c for c in (self.cost_usd, other.cost_usd) if c is not None]
        return Usage(
            input=self.input + other.input,
            cache_read=self.cache_read + other.cache_read,
            cache_write_5m=self.cache_write_5m + other.cache_write_5m,
            cache_write_1h=self.cache_write_1h + other.cache_write_1h,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
            cost_usd=sum(costs) if costs else None,
            estimated=self.estimated or other.estimated,
        )
