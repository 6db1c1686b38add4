"""The side call in which the model sums up what will be left out.

It sends what the conversation has sent before, unchanged, and asks at the end: so the service reads
all of it from its cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from chatcli.agent.aside import ask_aside
from chatcli.agent.prompts import prompt
from chatcli.agent.run import Run
from chatcli.messages import Message
from chatcli.providers.base import Request

_MOST_TOKENS = 8_000
_KEEP = "The user wants this to be kept in particular: {keep}"


async def summarise(run: Run, request: Request, history: Sequence[Message], keep: str = "") -> str:
    """The model's summary of `history`, a beginning of the messages of `request`.

    Empty when the service does not take it, when the model says nothing, and when there is no model.
    """
    question = prompt("summary") + (f"\n\n{_KEEP.format(keep=keep)}" if keep else "")
    return await ask_aside(run, request, history, question, purpose="summary", most_tokens=_MOST_TOKENS)
