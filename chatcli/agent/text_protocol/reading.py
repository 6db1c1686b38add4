"""One reply in which calls are text: the events of its pieces, and its parts in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chatcli.agent.text_protocol.arguments import arguments_json, envelope
from chatcli.agent.text_protocol.scanner import CallScanner, Written
from chatcli.events import Reply, ReplyEvent, TextDelta, ToolCallDelta
from chatcli.messages import AssistantPart, StopReason, Text, ToolCall, ToolSchema, Usage


class CallReader:
    """Feed it the text as it comes. What becomes a call is never told as text.

    `position` is the number of the last message that was sent: ids are made of it, so that they
    repeat in no session.
    """

    def __init__(self, tools: Sequence[ToolSchema], position: int) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._position = position
        self._scanner = CallScanner(self._tools)
        self._read = 0
        """How many of the scanner's calls were looked at."""
        self._texts: list[str] = []
        self._space: list[str] = []
        """White space that is told when words follow it."""
        self._calls: list[ToolCall] = []
        self._grew = False
        self._unreadable = False

    @property
    def made_up(self) -> bool:
        """The model goes on as if it had been answered: what it writes from now on is of no use."""
        return self._scanner.made_up

    def feed(self, text: str) -> Iterator[ReplyEvent]:
        self._scanner.feed(text)
        yield from self._news()

    def finish(self, stop_reason: StopReason) -> Iterator[ReplyEvent]:
        """The text is over. A call in the middle of which it ended is none, unless only its limit cut it."""
        self._scanner.finish(cut=stop_reason == "max_tokens")
        yield from self._news()
        cut = self._scanner.cut
        if cut is not None and stop_reason != "max_tokens":
            yield from self._give_up(cut)
        elif not self._calls and self._is_call(self._scanner.last_block):
            self._unreadable = True

    def reply(
        self, others: Sequence[AssistantPart], stop_reason: StopReason, usage: Usage, model: str
    ) -> Reply:
        """The whole reply; `others` are its parts that are no text."""
        calls, cut_call_id = list(self._calls), ""
        cut = self._scanner.cut
        if cut is not None and cut.draft.name and stop_reason == "max_tokens":
            cut_call_id = self._next_id()
            calls.append(ToolCall(id=cut_call_id, name=_bare(cut.draft.name)))
        text = "".join(self._texts)
        return Reply(
            parts=(*others, *((Text(text),) if text.strip() else ()), *calls),
            stop_reason="tool_calls" if calls and stop_reason == "end" else stop_reason,
            usage=usage,
            model=model,
            cut_call_id=cut_call_id,
            unreadable_call=self._unreadable,
        )

    def _news(self) -> Iterator[ReplyEvent]:
        yield from self._tell(self._scanner.take_shown())
        for written in self._scanner.calls[self._read :]:
            self._read += 1
            yield from self._add(written)
        draft = self._scanner.draft
        if draft.growing:
            piece = "".join(draft.growing)
            draft.growing.clear()
            self._grew = True
            yield ToolCallDelta(self._next_id(), _bare(draft.name), piece)

    def _add(self, written: Written) -> Iterator[ReplyEvent]:
        call = self._call_of(written)
        if call is None:
            yield from self._give_up(written)
            return
        self._calls.append(call)
        rest = "".join(written.draft.growing) if self._grew else call.arguments_json
        written.draft.growing.clear()
        self._grew = False
        yield ToolCallDelta(call.id, call.name, rest)

    def _call_of(self, written: Written) -> ToolCall | None:
        """None when it cannot be read."""
        draft = written.draft
        name, arguments = draft.name, arguments_json(draft, self._tools.get(_bare(draft.name)))
        if not name or draft.spelling == "{":
            found = envelope(draft.arguments or "")
            if found is None:
                return None
            name, arguments = found
        if arguments is None and _bare(name) in self._tools:
            return None
        return ToolCall(id=self._next_id(), name=_bare(name), arguments_json=arguments or "{}")

    def _give_up(self, written: Written) -> Iterator[ReplyEvent]:
        """It was meant as a call, and stays what the model wrote."""
        self._unreadable = True
        self._grew = False
        if self._texts and not self._space:
            self._space.append("\n")
        yield from self._tell(written.raw)

    def _tell(self, text: str) -> Iterator[ReplyEvent]:
        words = text.rstrip()
        if words:
            told = "".join(self._space) + words
            self._space.clear()
            self._texts.append(told)
            yield TextDelta(told)
        if len(words) < len(text):
            self._space.append(text[len(words) :])

    def _next_id(self) -> str:
        return f"call_{self._position}_{len(self._calls) + 1}"

    def _is_call(self, block: str) -> bool:
        """A block of code that begins and ends with a call was meant to be some."""
        if not block.rstrip().endswith((">", "}", "]")):
            return False
        scanner = CallScanner(self._tools)
        scanner.feed(block)
        scanner.finish()
        return bool(scanner.calls) and not scanner.take_shown().strip()


def _bare(name: str) -> str:
    return name.removeprefix("@")
