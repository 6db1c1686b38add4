"""Learns lasting facts from what the user says: with their consent, in their words, with the words as source.

The model only points at what is worth keeping. A fact stays out unless its quote stands word for word in a
message of the user, and unless the fact says little that the quote does not: nothing that a file, a page or
the model said becomes a fact by this way.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from chatcli.agent.aside import ask_aside
from chatcli.agent.calls.memories import project_of
from chatcli.agent.prompts import prompt
from chatcli.agent.requests import draft
from chatcli.agent.run import Run
from chatcli.errors import UsageError
from chatcli.memory.fact import CATEGORIES, EVERYWHERE, MAX_FACT_CHARS, Category, Fact, clean_text, fold
from chatcli.memory.grounding import rests_on, spaced
from chatcli.memory.store import Memory
from chatcli.memory.words import keywords
from chatcli.messages import Message, UserMessage
from chatcli.session.session import Session

_NOTE = "learnt"
_MOST_TOKENS = 800
_MOST_FACTS = 5
_MAX_MESSAGE_CHARS = 4_000
"""A longer message is material, not something that the user says of themselves."""
_CONFIDENCE = 0.8
_TITLE_CHARS = 160

_LASTING = (
    r"\b(?:always|never|from now on|i (?:prefer|like|hate|use|live|work (?:in|at|as|with|from))"
    r"|i(?:'m| am) (?:an?|from|allergic|not an?)|we use|call me"
    r"|my (?:name|job|role|team|company|editor|family|wife|husband|son|daughter)"
    r"|sempre|nunca|de agora em diante|prefiro|gosto|odeio|eu uso|sou|moro|trabalho (?:em|na|no|com|como)"
    r"|usamos|me cham[oe]|meu (?:nome|time|editor|filho|marido)|minha (?:equipe|empresa|filha|esposa))\b"
)
"""What sounds as if it stayed true: a free look before the model is asked."""


class Pointed(Struct, frozen=True):
    """One line of the model's answer."""

    fact: str
    quote: str
    category: str = "general"


def says_something_lasting(session: Session) -> bool:
    """Whether the user said anything, since it was last learnt from, that sounds as if it stayed true."""
    return any(re.search(_LASTING, fold(message.text)) for message in _new_messages(session))


async def learn(run: Run, memory: Memory) -> list[Fact]:
    """Remember what the user's new messages say, and what the session is about; what was new. Asks the model.

    Raises a `ProviderError`, `MoneyLimit`, and what keeps a fact from being remembered: then the messages
    are looked at again.
    """
    session = run.session
    messages = _new_messages(session)
    if not messages:
        return []
    request = draft(run, rewrites=False).request  # as it was sent before: the cache holds that
    answer = await ask_aside(
        run, request, request.messages, prompt("learn"), purpose="memory", most_tokens=_MOST_TOKENS
    )
    batch = f"{session.id}-{messages[-1].seq}"
    facts = [_draft(pointed, session, batch) for pointed in grounded(answer, messages)]
    if facts and (episode := _episode(session, batch)):
        facts.append(episode)
    kept = await asyncio.to_thread(memory.add, facts) if facts else []
    session.set_note(_NOTE, str(messages[-1].seq))
    return [fact for fact in kept if fact.batch == batch]


def grounded(answer: str, messages: Sequence[UserMessage]) -> list[Pointed]:
    """What of a model's answer really rests on the words of these messages."""
    said = [spaced(message.text) for message in messages]
    return [pointed for pointed in _read(answer) if _rests_on(pointed, said)][:_MOST_FACTS]


def _read(answer: str) -> Iterator[Pointed]:
    for line in answer.splitlines():
        try:
            yield msgspec.json.decode(line.strip().removesuffix(","), type=Pointed)
        except msgspec.DecodeError:
            continue  # prose around the lines, or `none`


def _rests_on(pointed: Pointed, said: Sequence[str]) -> bool:
    quote = spaced(pointed.quote)
    if len(keywords(quote)) < 2 or not any(quote in message for message in said):
        return False
    try:
        return rests_on(clean_text(pointed.fact), quote)
    except UsageError:
        return False


def _draft(pointed: Pointed, session: Session, batch: str) -> Fact:
    category: Category = next((known for known in CATEGORIES if known == pointed.category), "general")
    return Fact(
        text=pointed.fact,
        category=category,
        scope="" if category in EVERYWHERE else project_of(session.folder),
        said_by="model",
        session=session.id,
        quote=" ".join(pointed.quote.split()),
        batch=batch,
        confidence=_CONFIDENCE,
    )


def _episode(session: Session, batch: str) -> Fact | None:
    """What the session was about, by the words with which the user began it; none where those are secret."""
    messages = _own_messages(session.transcript)
    try:
        words = clean_text(messages[0].text[:MAX_FACT_CHARS])
    except UsageError:
        return None
    title = words if len(words) <= _TITLE_CHARS else words[:_TITLE_CHARS] + "…"
    return Fact(
        text=f"{title} (session {session.id})",
        category="episode",
        scope=project_of(session.folder),
        session=session.id,
        quote=title,
        batch=batch,
    )


def _new_messages(session: Session) -> list[UserMessage]:
    """Short messages in the user's own words that were not learnt from yet."""
    upto = int(session.notes.get(_NOTE, "0"))
    return [
        m for m in _own_messages(session.transcript) if m.seq > upto and len(m.text) <= _MAX_MESSAGE_CHARS
    ]


def _own_messages(messages: Sequence[Message]) -> list[UserMessage]:
    return [message for message in messages if isinstance(message, UserMessage) and message.text.strip()]
