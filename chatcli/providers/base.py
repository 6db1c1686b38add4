"""What every provider is to the rest of the program: one request in, one stream of events out.

An adapter speaks one wire format; a `ProviderSpec` is one row of the table of providers. Adapters
map errors into `chatcli.errors`, usage into `chatcli.messages.Usage`, and never retry: that is
`chatcli.providers.retry`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal, Protocol

from msgspec import Struct

from chatcli.events import ReplyEvent
from chatcli.messages import Message, ToolSchema
from chatcli.settings import CacheTtl

CacheClass = Literal["explicit", "automatic", "none"]
Wire = Literal[
    "anthropic",
    "responses",
    "chat",
    "gemini",
    "ollama",
    "bedrock",  # Anthropic's wire for Claude, Converse for all others
    "copilot",  # chat, Responses or Anthropic's, as the service says for each model
    "assistant",  # Responses, with the instructions of an assistant in front
    "stackspot",
    "local",
    "offline",
]
ToolForm = Literal[
    "schema",  # natively: as JSON
    "described",  # in the text of the system prompt
    "line",  # there too, and a grammar holds the arguments
]


class Block(Struct, frozen=True):
    """One named block of the system prompt. Blocks are sent in order, stable ones first."""

    name: str
    text: str


class Marks(Struct, frozen=True, kw_only=True):
    """Where cache breakpoints go, for wires that have explicit ones. At most four in all."""

    last_tool: bool = False
    system_block: int | None = None
    """Index into `Request.system`: the breakpoint stands behind that block."""
    messages: tuple[int, ...] = ()
    """Indexes into `Request.messages`: behind the last wire block of that message."""
    ttl: CacheTtl = "5m"
    """How long a prefix is kept that nobody reads. Of all of them: a longer one behind a shorter one
    would be refused."""


class Request(Struct, frozen=True, kw_only=True):
    """One request, independent of any wire format.

    `messages` is a view: every `ToolResult` carries its `text`. It begins with a user message and
    pairing holds.
    """

    model: str
    system: tuple[Block, ...]
    tools: tuple[ToolSchema, ...]
    """Sorted by name; the same list in every request of a session, whatever the mode."""
    tool_form: ToolForm = "schema"
    """How they reach the model, for estimates: nothing that is sent depends on it."""
    messages: tuple[Message, ...]
    marks: Marks = Marks()
    max_output_tokens: int = 0
    """0: the model's own limit from the catalogue."""
    cache_key: str = ""
    """Stable per session; routes automatic caches."""
    fence: str = ""
    """A word drawn once a session, which no tool can know: marks results where they are text."""
    calls_run: bool = True
    """False where a call would only be refused: in chat, and where a summary is asked for."""


class Provider(Protocol):
    """One configured service."""

    @property
    def name(self) -> str:
        """As in the table: `CLAUDEAI`, `OPENAI`, `OLLAMA`, `OFFLINE` ..."""
        ...

    @property
    def model(self) -> str: ...

    @property
    def cache(self) -> CacheClass: ...

    @property
    def window_tokens(self) -> int:
        """Size of the model's window; a safe assumption for unknown models."""
        ...

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        """Send one request. The last event is a `Reply`; anything else raises a `ProviderError`.

        Closing the iterator (or cancelling the task) closes the connection at once.
        """
        ...

    async def aclose(self) -> None:
        """Close connections. The provider is not used afterwards."""
        ...
