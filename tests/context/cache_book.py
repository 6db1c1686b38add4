"""What an explicit prompt cache bills, exactly, and sessions of work to be billed for.

The book follows the published rules: a prefix is stored where a mark stands; a mark finds a stored
prefix that ends at most 20 blocks before it; what is found is read, the rest up to the last mark is
written. Sessions are random but the same for every schedule.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from msgspec import Struct

from chatcli.context.assemble import assemble
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.context.scheduler import Occasion
from chatcli.messages import AssistantMessage, Message, ToolCall, ToolSchema, UserMessage
from chatcli.providers.base import Block, Request
from chatcli.settings import Schedule
from tests.context.builders import Loop, Originals, Story, lines_of

READ_PRICE, WRITE_PRICE = 0.1, 1.25
TOOLS = (ToolSchema(name="read", description="", parameters={}),)
SYSTEM = (Block("core", ""),)
_PREFIX_TOKENS = (5_000, 3_000)  # tools, system
_LOOKBACK_BLOCKS = 20
_WINDOW_TOKENS = 200_000


class Work(Struct, frozen=True):
    """One turn: what the user says, what the model says, what the tools return."""

    user_chars: int
    text_chars: int
    calls: tuple[tuple[int, bool, int], ...]
    """Chars of arguments, whether it only reads, chars of the result."""
    cold: bool


def mixed_work(seed: int, turns: int) -> Iterator[Work]:
    """Reading, running and writing, one to three calls a turn, sizes with a long tail."""
    rng = random.Random(seed)
    for turn in range(turns):
        calls = []
        for _ in range(rng.choices((1, 2, 3), (60, 25, 15))[0]):
            kind = rng.random()
            median = 3_000 if kind < 0.60 else 1_500 if kind < 0.85 else 300
            chars = int(min(40_000, max(500, median * rng.lognormvariate(0, 1.2))))
            calls.append((rng.randint(160, 1_000), kind < 0.60, chars))
        asked = turn % 15 == 0
        cold = turn > 0 and rng.random() < (0.30 if asked else 0.01)
        yield Work(rng.randint(120, 1_200) if asked else 0, rng.randint(160, 880), tuple(calls), cold)


def reading_work(seed: int, turns: int) -> Iterator[Work]:
    """One whole source file after the other, about a megabyte in sixty."""
    rng = random.Random(seed)
    for _ in range(turns):
        yield Work(0, rng.randint(160, 880), ((200, True, int(rng.uniform(12_000, 19_500))),), False)


class Bill(Struct):
    """Tokens of all requests of a session, and what they cost in uncached input tokens."""

    read: int = 0
    written: int = 0
    peak_tokens: int = 0
    rewrites: int = 0

    @property
    def cost(self) -> float:
        return self.read * READ_PRICE + self.written * WRITE_PRICE


class Book:
    """The cache of one service."""

    def __init__(self) -> None:
        self.bill = Bill()
        self.stored: set[int] = set()

    def request(self, request: Request) -> int:
        """Bill one request; its tokens."""
        prefix, tokens, marked = 0, 0, []
        prefixes: list[tuple[int, int]] = []
        marks = request.marks
        for number, block_tokens in enumerate(_PREFIX_TOKENS):
            prefix, tokens = hash((prefix, number)), tokens + block_tokens
            prefixes.append((prefix, tokens))
        marked += [0] * marks.last_tool + [1] * (marks.system_block is not None)
        for index, message in enumerate(request.messages):
            for part in _blocks(message):
                prefix, tokens = hash((prefix, part)), tokens + len(part) // 4
                prefixes.append((prefix, tokens))
            if index in marks.messages:
                marked.append(len(prefixes) - 1)
        found = 0
        for mark in marked:
            for at in range(mark, max(-1, mark - _LOOKBACK_BLOCKS), -1):
                if prefixes[at][0] in self.stored:
                    found = max(found, prefixes[at][1])
                    break
        self.stored.update(prefixes[mark][0] for mark in marked)
        self.bill.read += found
        self.bill.written += tokens - found
        self.bill.peak_tokens = max(self.bill.peak_tokens, tokens)
        return tokens


def _blocks(message: Message) -> list[str]:
    match message:
        case UserMessage():
            return [part.text for part in message.parts]
        case AssistantMessage():
            return [part.id if isinstance(part, ToolCall) else part.text for part in message.parts]
        case _:
            return [message.text]


def replay(work: Iterator[Work], schedule: Schedule) -> Bill:
    """The work through the real pipeline, billed request by request."""
    story, book = Story(Originals()), Book()
    story.user("x" * 2_000)
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    marks: tuple[int, ...] = ()
    tokens = 0
    for number, turn in enumerate(work):
        if turn.user_chars:
            story.user("u" * turn.user_chars)
        if turn.cold:
            book.stored.clear()
        occasion = Occasion(
            schedule=schedule,
            read_price=READ_PRICE,
            write_price=WRITE_PRICE,
            cold=turn.cold,
            context_tokens=tokens,
            window_tokens=_WINDOW_TOKENS,
        )
        view = loop.prepare(occasion)
        book.bill.rewrites += any(decision.reason != "first" for decision in view.decisions)
        request = assemble(view, SYSTEM, TOOLS, model="m", previous=marks)
        marks = request.marks.messages
        tokens = book.request(request)
        _answer(story, number, turn)
    return book.bill


def _answer(story: Story, number: int, turn: Work) -> None:
    ids = [f"call_{number}_{index}" for index in range(len(turn.calls))]
    story.call(*ids, text="t" * (turn.text_chars + sum(chars for chars, _, _ in turn.calls)))
    for id, (_, read_only, chars) in zip(ids, turn.calls, strict=True):
        story.result(id, f"{id}\n{lines_of(chars)}", read_only=read_only)
