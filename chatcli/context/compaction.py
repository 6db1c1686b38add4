"""The transcript as a compaction shows it: what is past in words, what is in hand as it is.

A compaction leaves out the messages up to a point. In their place stand, in one message of chatcli:
what the user had said, verbatim and quoted as past, so that no order is carried out twice; the
summary; the list of tasks. Turns with results that the user pinned follow as they were, then what he
asked for in the run that goes on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from chatcli.messages import AssistantMessage, Attachment, Image, Message, Text, ToolResult, UserMessage
from chatcli.session.entries import Compacted

_HEADER = (
    "[To make room, {count} earlier messages are not shown any more. Below is what they came to. Results of "
    "tools in them are still in the archive, under the keys that are named.]"
)
_WORDS = (
    "What the user said in them, in order. It is past: done, or overtaken, unless the summary says that it "
    "is still open. Do not carry it out again."
)
_SUMMARY = "Summary:"
_PLAN = "The list of tasks as it stood:"
_PINNED = "The next {count} messages are past too: shown because the user wants their results kept in view."


def compacted(transcript: Sequence[Message], compaction: Compacted | None) -> Sequence[Message]:
    """`transcript` itself without a compaction. Pairing holds if `upto_seq` is just before a cut."""
    if compaction is None:
        return transcript
    head, cut = head_of(transcript, compaction)
    return [*head, *transcript[cut:]]


def head_of(transcript: Sequence[Message], compaction: Compacted) -> tuple[list[Message], int]:
    """What stands for the messages that are left out, and where those begin that are not."""
    cut = position_after(transcript, compaction.upto_seq)
    goes_on = cut < len(transcript) and not isinstance(transcript[cut], UserMessage)
    in_hand = _in_hand(transcript[:cut]) if goes_on else []
    live = {message.seq for message in in_hand}
    past = [m for m in transcript[:cut] if isinstance(m, UserMessage) and m.seq not in live]
    pinned = list(turns_of(compaction.pinned, transcript[:cut]))
    opening = _opening(compaction, cut - len(in_hand) - len(pinned), past, len(pinned))
    if compaction.only_task:
        in_hand = [_without_files(message) for message in in_hand]
    return [opening, *pinned, *in_hand], cut


def turns_of(seqs: Collection[int], messages: Sequence[Message]) -> Iterator[Message]:
    """The replies whose calls led to these results, each with all of its results."""
    reply: AssistantMessage | None = None
    results: list[Message] = []
    for message in (*messages, None):
        if isinstance(message, ToolResult):
            results.append(message)
        elif not isinstance(message, UserMessage):
            if reply and any(result.seq in seqs for result in results):
                yield from (reply, *results)
            reply, results = message, []


def begins_run(message: Message) -> bool:
    """Whether a message is the user's who starts a run, not one that was said while it went on."""
    return isinstance(message, UserMessage) and any(
        isinstance(part, Text) and part.origin == "context" for part in message.parts
    )


def position_after(messages: Sequence[Message], seq: int) -> int:
    """Where the first message behind this `seq` stands."""
    return bisect_right(messages, seq, key=lambda message: message.seq)


def _in_hand(messages: Sequence[Message]) -> list[UserMessage]:
    """What the user asked for in the run that goes on behind `messages`."""
    starts = [at for at, message in enumerate(messages) if begins_run(message)]
    since = messages[starts[-1] if starts else 0 :]
    said = [message for message in since if isinstance(message, UserMessage) and message.text]
    return said if starts else said[:1]


def _opening(compaction: Compacted, count: int, past: Sequence[UserMessage], pinned: int) -> UserMessage:
    sections = [_HEADER.format(count=count)]
    if words := list(_quoted(past, compaction.words_from_seq)):
        sections.append("\n".join([_WORDS, *words]))
    sections.append(f"{_SUMMARY}\n\n{compaction.summary}")
    if compaction.plan:
        sections.append(f"{_PLAN}\n{compaction.plan}")
    if pinned:
        sections.append(_PINNED.format(count=pinned))
    return UserMessage(seq=compaction.seq, parts=(Text("\n\n".join(sections), origin="notice"),))


def _quoted(past: Sequence[UserMessage], from_seq: int) -> Iterator[str]:
    number = 0
    for message in past:
        if not (words := message.text):
            continue
        number += 1
        if message.seq < from_seq:
            continue
        yield f'<said n="{number}">\n{words}\n</said>'
        yield from (_named(part) for part in message.parts if not isinstance(part, Text))


def _without_files(message: UserMessage) -> UserMessage:
    parts = tuple(p if isinstance(p, Text) else Text(_named(p), "context") for p in message.parts)
    return UserMessage(seq=message.seq, parts=parts)


def _named(file: Attachment | Image) -> str:
    if isinstance(file, Image):
        return file.described("no longer shown")
    original = file.original
    size = f"{original.lines} lines, {original.size_chars} chars"
    return f"[attached: {file.path} — {size}] <<ccr:{original.key}>>"


def may_begin(message: Message) -> bool:
    """Whether the part of a transcript that stays may begin with this message: no call loses its result."""
    return isinstance(message, AssistantMessage) or begins_run(message)
