"""A GGUF model on this machine, held to valid calls by a grammar."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import msgspec
from msgspec import structs

from chatcli.errors import ProviderError
from chatcli.events import Reply, ReplyEvent
from chatcli.i18n import _
from chatcli.messages import StopReason, Usage
from chatcli.providers.assembly import Assembly
from chatcli.providers.base import CacheClass, Request
from chatcli.providers.complaints import cut
from chatcli.providers.error_bodies import failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.local.body import NO_MARKS, render, turn_marks_of
from chatcli.providers.local.engine import Engine
from chatcli.providers.local.gguf import BadGguf, read_turn_marks
from chatcli.providers.local.models import NAME, LocalModel, find_model, is_installed
from chatcli.providers.replies import Chunk, read_reply, relay
from chatcli.providers.service import Service
from chatcli.providers.usage import chat_usage
from chatcli.settings import Settings

_REPLY_SHARE = 4
"""Of the window, a reply takes at most one part in so many."""
_BEGINNING = re.compile(r'\{"tool": ("[^"]*"), "arguments": ')
_STOP_REASONS: dict[str, StopReason] = {"stop": "end", "length": "max_tokens"}


def connect(name: str, settings: Settings, home: Path | None) -> Local:
    """The provider for a model by name or path, else for the largest in `home`.

    Raises a `ProviderError` when the library is not installed or there is no such model.
    """
    if not is_installed():
        raise ProviderError(
            _("LOCAL needs llama.cpp, and it is not installed."),
            hint="pip install 'chatcli[local]'",
            provider=NAME,
        )
    return Local(find_model(name, home), window_tokens=settings.context_window_tokens)


class Local:
    """`window_tokens` overrides what the model is run with by itself; 0: it does not."""

    name = NAME
    cache: CacheClass = "automatic"

    def __init__(self, model: LocalModel, *, window_tokens: int = 0, engine: Engine | None = None) -> None:
        self.about = model
        self.model = model.name
        self.window_tokens = window_tokens or model.window_tokens
        self._engine = engine or Engine(model.path, self.window_tokens)
        self._marks: re.Pattern[str] | None = None
        self._service = Service(
            name=NAME,
            model=model.name,
            base_url=str(model.path),
            cache=self.cache,
            window_tokens=self.window_tokens,
            max_output_tokens=self.window_tokens // _REPLY_SHARE,
        )

    async def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        body = render(
            self._service.visible(request),
            output_tokens=self._service.output_limit(request),
            looks_first=not self.about.decides,
            turn_marks=await self._turn_marks(),
        )
        position = max(message.seq for message in request.messages)
        reader = LocalReader(self._service, constrained="grammar" in body, position=position)
        async with aclosing(relay(read_reply(self._engine.ask(body), reader))) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        await self._engine.aclose()

    async def _turn_marks(self) -> re.Pattern[str]:
        """Read from the file once. What is wrong with it is told when it is loaded."""
        if self._marks is None:
            try:
                words = await asyncio.to_thread(read_turn_marks, self.about.path)
            except (BadGguf, OSError):
                return NO_MARKS
            self._marks = turn_marks_of(words)
        return self._marks


class LocalReader:
    """Reads what llama.cpp streams. Ids of calls are invented: they follow from the position.

    `constrained`: the reply follows the grammar, so one that begins with `{` is lines of calls.
    """

    def __init__(self, service: Service, *, constrained: bool, position: int) -> None:
        self.complete = False
        self._service = service
        self._constrained = constrained
        self._position = position
        self._assembly = Assembly()
        self._calls = 0
        self._line = ""
        """The call that is being written."""
        self._told_chars = 0
        """How much of its arguments has been told."""
        self._finish = ""
        self._usage = Usage()

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        if chunk.get("error"):
            raise error_of(failure_of(200, chunk), self._service)
        if progress := chunk.get("prompt_progress"):
            found = progress["cache"]
            self._usage = Usage(input=progress["total"] - found, cache_read=found, estimated=True)
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            if thought := delta.get("reasoning_content"):
                yield from self._assembly.reasoning("thought", thought)
            if text := delta.get("content"):
                yield from self._written(text)
            if text or thought:  # only now was all of the prompt read
                self._usage = structs.replace(self._usage, output=self._usage.output + 1, estimated=False)
            self._finish = choice.get("finish_reason") or self._finish
        if usage := chunk.get("usage"):
            self.complete = True
            self._usage = chat_usage(usage)
            if self._finish != "length":
                yield from self._call(whole=True)

    def usage(self) -> Usage:
        return self._usage

    def finish(self) -> Reply:
        if not self.complete:
            raise cut(self._service)
        stop_reason = _STOP_REASONS.get(self._finish, "end")
        return self._assembly.reply(stop_reason, self._usage, self._service.model)

    def _written(self, text: str) -> Iterator[ReplyEvent]:
        begins = not self._assembly.chars and not self._calls and text.startswith("{")
        if not (self._line or self._calls or (self._constrained and begins)):
            yield from self._assembly.text("text", text)
            return
        *lines, last = (self._line + text).split("\n")
        for line in lines:
            self._line = line
            yield from self._call(whole=True)
        self._line = last
        yield from self._call(whole=False)

    def _call(self, *, whole: bool) -> Iterator[ReplyEvent]:
        """What is new of the call in this line. Its last character may be the one that ends the line."""
        beginning = _BEGINNING.match(self._line)
        if beginning is None:
            return
        key = f"call_{self._position}_{self._calls + 1}"
        arguments = self._line[beginning.end() : -1]
        yield from self._assembly.call(
            key,
            call_id=key,
            name=msgspec.json.decode(beginning[1]),
            arguments=arguments[self._told_chars :],
        )
        self._told_chars = len(arguments)
        if whole:
            self._assembly.close(key)
            self._calls += 1
            self._line, self._told_chars = "", 0
