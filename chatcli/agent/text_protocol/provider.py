"""A model without tools, to the rest of the program one that has them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing

from chatcli.agent.text_protocol.rendering import as_text
from chatcli.events import ReasoningDelta, Reply, ReplyEvent, TextDelta, UsageSeen
from chatcli.messages import AssistantPart, Reasoning, Text, Usage
from chatcli.providers.base import CacheClass, Provider, Request
from chatcli.providers.replies import relay


class TextTools:
    """Calls and results are text on their way to the model and back, and nowhere else.

    `takes_tools` is asked before each request: some services know it, and only while they run.
    """

    def __init__(self, inner: Provider, takes_tools: Callable[[], Awaitable[bool]] | None = None) -> None:
        self.inner = inner
        self._takes_tools = takes_tools
        self.in_text = takes_tools is None
        """Whether the last request was put into text, and so probably the next one."""

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def model(self) -> str:
        return self.inner.model

    @property
    def cache(self) -> CacheClass:
        return self.inner.cache

    @property
    def window_tokens(self) -> int:
        return self.inner.window_tokens

    async def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        native = self._takes_tools is not None and await self._takes_tools()
        self.in_text = not native
        events = relay(self.inner.stream(request)) if native else self._in_text(request)
        async with aclosing(events):
            async for event in events:
                yield event

    async def aclose(self) -> None:
        await self.inner.aclose()

    async def _in_text(self, request: Request) -> AsyncGenerator[ReplyEvent, None]:
        from chatcli.agent.text_protocol.reading import CallReader  # a start needs no parser

        position = max(message.seq for message in request.messages)
        reader = CallReader(request.tools, position)
        usage = Usage()
        thoughts: list[str] = []
        async with aclosing(relay(self.inner.stream(as_text(request)))) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        for made in reader.feed(text):
                            yield made
                        if reader.made_up:
                            break
                    case Reply():
                        for made in reader.finish(event.stop_reason):
                            yield made
                        others = [part for part in event.parts if not isinstance(part, Text)]
                        yield reader.reply(others, event.stop_reason, event.usage, event.model)
                        return
                    case _:
                        if isinstance(event, UsageSeen):
                            usage = event.usage
                        elif isinstance(event, ReasoningDelta):
                            thoughts.append(event.text)
                        yield event
        if not reader.made_up:
            return
        # The connection is closed: what the model makes up is neither read nor paid for.
        others_so_far: list[AssistantPart] = [Reasoning(text="".join(thoughts))] if thoughts else []
        yield reader.reply(others_so_far, "tool_calls", usage, self.model)
