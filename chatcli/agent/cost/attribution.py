"""What the money went to: the results of each tool, the prompt, the words, the replies.

Every request sends everything again. So each part of it, a result of a tool for instance, is paid
for once when it comes, and a little in every later request that carries it. What a part costs in a
request follows from where it stands: a service reads the beginning from its cache, writes what
comes behind it, and takes the rest as plain input, each at its own price. The sizes of the parts
are estimated, and scaled so that they add up to what the request was billed for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from chatcli.agent.cost.money import Bill, Money, money_of
from chatcli.messages import AssistantMessage, Message, ToolResult
from chatcli.session.entries import UsageRecord
from chatcli.session.sent import Part

ShareKind = Literal[
    "tool",  # the results of one tool
    "system",  # the system prompt
    "tools",  # the descriptions of all tools
    "words",  # what the user said, with files and notes
    "replies",  # what the model wrote: as output, and carried on
    "side",  # requests that do not send the conversation
    "unknown",  # prompts whose parts are not known: of an older chatcli, or cut off at once
]
Group = tuple[ShareKind, str]
_REPLIES: Group = ("replies", "")
_SIDE: Group = ("side", "")
_UNKNOWN: Group = ("unknown", "")


class Share(Struct, frozen=True, kw_only=True):
    """One group of parts."""

    kind: ShareKind
    name: str
    """Of the tool; empty for the other kinds."""
    count: int
    """Parts, each counted once: results, messages ..."""
    tokens: int
    """Their size when they were first sent; for replies what was billed as output."""
    carried_tokens: int
    """Tokens of all requests that were theirs."""
    money: Money


def shares(bills: Iterable[Bill], transcript: Sequence[Message]) -> tuple[Share, ...]:
    """All groups, the dearest first. They add up to what was billed."""
    book = _Book(transcript)
    for bill in bills:
        book.charge(bill)
    return book.shares()


class _Book:
    def __init__(self, transcript: Sequence[Message]) -> None:
        self._messages = {message.seq: message for message in transcript}
        self._parts: list[Part] = []
        """Of the last answered request."""
        self._sizes: Counter[Group] = Counter()
        """Their estimated tokens, by group."""
        self._seen: set[tuple[str, str]] = set()
        self._counts: Counter[Group] = Counter()
        self._tokens: defaultdict[Group, float] = defaultdict(float)
        self._carried: defaultdict[Group, float] = defaultdict(float)
        self._money: defaultdict[Group, Money] = defaultdict(Money)

    def charge(self, bill: Bill) -> None:
        record = bill.record
        if record.purpose == "subagent":  # all others send the conversation
            self._charge_aside(record)
        elif record.row is None:  # cut off before the service said anything: like the one before
            self._pay(bill, self._parts, self._sizes)
        else:
            same, added = record.row.same, record.row.added
            sizes = self._sizes - self._sized(self._parts[same:]) + self._sized(added)
            parts = self._parts if record.purpose == "answer" else self._parts.copy()
            parts[same:] = added
            self._count(added, _scale(record, sizes))
            self._pay(bill, parts, sizes)
            if record.purpose == "answer":
                self._sizes = sizes

    def shares(self) -> tuple[Share, ...]:
        found = [
            Share(
                kind=group[0],
                name=group[1],
                count=self._counts[group],
                tokens=round(self._tokens[group]),
                carried_tokens=round(self._carried[group]),
                money=money,
            )
            for group, money in self._money.items()
        ]
        return tuple(sorted(found, key=lambda s: (-s.money.known_usd, -s.carried_tokens, s.kind, s.name)))

    def _charge_aside(self, record: UsageRecord) -> None:
        self._counts[_SIDE] += 1
        self._tokens[_SIDE] += record.usage.context + record.usage.output
        self._carried[_SIDE] += record.usage.context
        self._money[_SIDE] += money_of(record)

    def _count(self, parts: Iterable[Part], scale: float) -> None:
        """A part counts when it is sent for the first time; shown shorter later it is still the same."""
        for part in parts:
            group = self._group(part)
            if group != _REPLIES and (part.kind, part.name) not in self._seen:
                self._seen.add((part.kind, part.name))
                self._counts[group] += 1
                self._tokens[group] += part.tokens * scale

    def _pay(self, bill: Bill, parts: Sequence[Part], sizes: Counter[Group]) -> None:
        usage, money, scale = bill.record.usage, bill.by_class, _scale(bill.record, sizes)
        self._counts[_REPLIES] += 1
        self._tokens[_REPLIES] += usage.output
        self._money[_REPLIES] += money.output
        if not sizes.total():
            self._counts[_UNKNOWN] += 1
            self._tokens[_UNKNOWN] += usage.context
            self._carry(_UNKNOWN, usage.context, money.input + money.cache_read + money.cache_write)
            return
        left = {group: tokens * scale for group, tokens in sizes.items()}
        end = _End((self._group(part), part.tokens * scale) for part in reversed(parts))
        for tokens, paid in ((usage.input, money.input), (usage.cache_write, money.cache_write)):
            for group, taken in end.take(tokens):
                left[group] -= taken
                self._carry(group, taken, paid.part(taken / tokens))
        left_tokens = sum(left.values()) or 1.0
        for group, kept in left.items():
            self._carry(group, kept, money.cache_read.part(kept / left_tokens))

    def _carry(self, group: Group, tokens: float, money: Money) -> None:
        self._carried[group] += tokens
        self._money[group] += money

    def _sized(self, parts: Iterable[Part]) -> Counter[Group]:
        sizes: Counter[Group] = Counter()
        for part in parts:
            sizes[self._group(part)] += part.tokens
        return sizes

    def _group(self, part: Part) -> Group:
        match part.kind:
            case "block":
                return "system", ""
            case "tool":
                return "tools", ""
        match self._messages.get(int(part.name)):
            case ToolResult() as result:
                return "tool", result.name
            case AssistantMessage():
                return _REPLIES
            case _:
                return "words", ""


class _End:
    """Takes from pieces that come from the last one on."""

    def __init__(self, pieces: Iterator[tuple[Group, float]]) -> None:
        self._pieces = pieces
        self._group: Group = _REPLIES
        self._left = 0.0

    def take(self, tokens: float) -> Iterator[tuple[Group, float]]:
        """The next `tokens`, or what there is; the rest of a piece is for the next taker."""
        while tokens > 0:
            if self._left <= 0:
                piece = next(self._pieces, None)
                if piece is None:
                    return
                self._group, self._left = piece
            taken = min(self._left, tokens)
            self._left -= taken
            tokens -= taken
            yield self._group, taken


def _scale(record: UsageRecord, sizes: Counter[Group]) -> float:
    """Billed tokens for an estimated one."""
    return record.usage.context / (sizes.total() or 1)
