"""The side call in which the model sums up what will be left out.

It sends what the conversation has sent before, unchanged, and asks at the end: so the service reads
all of it from its cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from msgspec import structs

from chatcli.agent.reply import StreamedReply
from chatcli.agent.run import Run
from chatcli.errors import BadRequest, ContentRefused, ContextOverflow
from chatcli.events import ReasoningDelta, RunEvent, TextDelta, ToolCallDelta
from chatcli.messages import Message, Text, UserMessage
from chatcli.providers.base import Request

_MOST_TOKENS = 8_000
_KEEP = "The user wants this to be kept in particular: {keep}"


async def summarise(run: Run, request: Request, history: Sequence[Message], keep: str = "") -> str:
    """The model's summary of `history`, a beginning of the messages of `request`.

    Empty when the service does not take it, when the model says nothing, and when there is no model.
    """
    if run.provider.name == "OFFLINE":
        return ""
    question = _question() + (f"\n\n{_KEEP.format(keep=keep)}" if keep else "")
    asked = UserMessage(seq=0, parts=(Text(question, origin="notice"),))
    stored = [mark for mark in run.stored_marks if mark < len(history)]
    side = structs.replace(
        request,
        messages=(*history, asked),
        marks=structs.replace(request.marks, messages=tuple(stored[-1:])),
        max_output_tokens=min(request.max_output_tokens or _MOST_TOKENS, _MOST_TOKENS),
        calls_run=False,
    )

    def listen(event: RunEvent) -> None:
        if not isinstance(event, TextDelta | ReasoningDelta | ToolCallDelta):
            run.listen(event)

    answer = StreamedReply(run.provider, run.retry, run.meter, listen, turn=run.turns, purpose="summary")
    try:
        reply = await answer.receive(side)
    except (ContextOverflow, ContentRefused, BadRequest):
        return ""
    return "".join(part.text for part in reply.parts if isinstance(part, Text)).strip()


@cache
def _question() -> str:
    return files("chatcli.agent").joinpath("prompts", "summary.md").read_text(encoding="utf-8").strip()
