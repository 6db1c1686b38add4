"""A question to the model aside from the conversation, which it does not become part of.

It sends what the conversation has sent before, unchanged, and asks at the end: so the service reads
all of it from its cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from chatcli.agent.images import with_bytes
from chatcli.agent.reply import StreamedReply
from chatcli.agent.run import Run
from chatcli.errors import BadRequest, ContentRefused, ContextOverflow
from chatcli.events import Purpose, ReasoningDelta, RunEvent, TextDelta, ToolCallDelta
from chatcli.messages import Message, Text, UserMessage
from chatcli.providers.base import Request


async def ask_aside(
    run: Run,
    request: Request,
    history: Sequence[Message],
    question: str,
    *,
    purpose: Purpose,
    most_tokens: int,
) -> str:
    """What the model answers to `question` after `history`, a beginning of the messages of `request`.

    Empty when the service does not take it, when the model says nothing, and when there is no model.
    """
    if run.provider.name == "OFFLINE":
        return ""
    asked = UserMessage(seq=0, parts=(Text(question, origin="notice"),))
    stored = [mark for mark in run.stored_marks if mark < len(history)]
    side = structs.replace(
        request,
        messages=(*history, asked),
        marks=structs.replace(request.marks, messages=tuple(stored[-1:])),
        max_output_tokens=min(request.max_output_tokens or most_tokens, most_tokens),
        calls_run=False,
    )
    try:
        return await answer_alone(run, with_bytes(side, run.session.archive), purpose)
    except (ContextOverflow, ContentRefused, BadRequest):
        return ""


async def answer_alone(run: Run, request: Request, purpose: Purpose) -> str:
    """The text of one reply that is shown to nobody, billed like any other. Raises a `ProviderError`."""

    def listen(event: RunEvent) -> None:
        if not isinstance(event, TextDelta | ReasoningDelta | ToolCallDelta):
            run.listen(event)

    answer = StreamedReply(run.provider, run.retry, run.meter, listen, turn=run.turns, purpose=purpose)
    reply = await answer.receive(request)
    return "".join(part.text for part in reply.parts if isinstance(part, Text)).strip()
