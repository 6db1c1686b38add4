"""A guess at what an answer would say (HyDE): closer in meaning to a note than the question is.

A small request of its own: it needs nothing of the conversation, so sending its prefix, even from the cache,
would cost more.
"""

from __future__ import annotations

from chatcli.agent.aside import answer_alone
from chatcli.agent.run import Run
from chatcli.errors import LimitReached, ProviderError
from chatcli.events import Notice
from chatcli.i18n import _
from chatcli.messages import Text, UserMessage
from chatcli.providers.base import Request

_ASK = (
    "Somebody keeps short notes about themselves and their projects. Write one note of at most 30 words that"
    " would answer the question below, in its language, inventing what you do not know. The note alone.\n\n"
    "Question: {question}"
)
_MOST_TOKENS = 200
_MAX_QUESTION_CHARS = 1_000


async def imagine(run: Run, question: str) -> str:
    """What such a note might say; empty when the model does not answer, or when there is none."""
    if run.provider.name == "OFFLINE":
        return ""
    asked = Text(_ASK.format(question=question[:_MAX_QUESTION_CHARS]), origin="notice")
    request = Request(
        model=run.provider.model,
        system=(),
        tools=(),
        messages=(UserMessage(seq=0, parts=(asked,)),),
        max_output_tokens=_MOST_TOKENS,
    )

    try:
        return await answer_alone(run, request, "memory")
    except ProviderError as error:
        run.listen(Notice("warning", _("Recalled without a guess: {why}").format(why=error.message)))
        return ""
    except LimitReached:
        return ""  # the request that follows tells it
