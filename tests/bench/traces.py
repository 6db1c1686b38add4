"""Sessions of work, random but the same for every schedule, carried out in rehearsal.

`mixed` draws what the simulation behind the scheduler's rule draws, number for number: reading (60 %),
running (25 %) and writing, one to three calls a turn, sizes with a long tail; the user speaks every
fifteen turns and comes back to a cold cache three times in ten; a tenth of all results is needed again
later, and three in ten of those that were cut when they came are needed at once. What is needed and
no longer shown is recalled, which costs one more request.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, structs

from chatcli.agent.rehearsal import Rehearsal, Service, Variant
from chatcli.context.pipeline import View
from chatcli.context.tokens import estimate_tokens
from chatcli.messages import AssistantMessage, Text, ToolCall, ToolResult, ToolSchema, UserMessage
from chatcli.providers.base import Block, Request
from chatcli.settings import Schedule
from tests.context.builders import Originals

SERVICE = Service(name="CLAUDEAI", model="claude-sonnet-4-5", cache="explicit")
"""Reads at 0.1 and writes at 1.25 of the price of input, keeps for five minutes."""
USD_PER_TOKEN, READ_PRICE, WRITE_PRICE = 3e-6, 0.1, 1.25
_TURN_SECONDS, _COLD_SECONDS = 10.0, 301.0
_TOOLS_TOKENS, _SYSTEM_TOKENS, _TASK_TOKENS, _RECALL_TOKENS = 5_000, 3_000, 500, 80
_RECALLED_CHARS = 8_000
_LINE = "    name, size = entry.name, entry.size_bytes\n"
CHARS_PER_TOKEN = len(_LINE) * 1_000 / estimate_tokens(_LINE * 1_000)
"""About four, for the text that everything here is made of."""


class Call(Struct, frozen=True, kw_only=True):
    argument_tokens: int
    chars: int
    """Of its result."""
    read_only: bool
    again_in: int | None = None
    """The turn in which the result is needed again."""
    needs_all: bool = False
    """What is cut of it at first is needed at once."""


class Turn(Struct, frozen=True, kw_only=True):
    text_tokens: int
    calls: tuple[Call, ...]
    user_tokens: int = 0
    """What the user says before it; 0: nothing."""
    cold: bool = False


def mixed(seed: int, turns: int) -> Iterator[Turn]:
    rng = random.Random(1000 * turns + seed)
    for turn in range(1, turns + 1):
        calls = tuple(_call(rng, turn) for _ in range(rng.choices((1, 2, 3), (60, 25, 15))[0]))
        user_tokens = rng.randint(30, 300) if turn % 15 == 1 else 0
        cold = turn > 1 and rng.random() < (0.30 if user_tokens else 0.01)
        yield Turn(calls=calls, user_tokens=user_tokens, cold=cold, text_tokens=rng.randint(40, 220))


def _call(rng: random.Random, turn: int) -> Call:
    kind = rng.random()
    median = 3_000 if kind < 0.60 else 1_500 if kind < 0.85 else 300
    chars = int(min(40_000, max(500, rng.lognormvariate(math.log(median), 1.2))))
    again_in = turn + 1 + int(rng.expovariate(1 / 6.0)) if rng.random() < 0.10 else None
    needs_all = rng.random() < 0.30
    return Call(
        chars=chars,
        read_only=kind < 0.60,
        again_in=again_in,
        needs_all=needs_all,
        argument_tokens=rng.randint(40, 250),
    )


def reading(seed: int, turns: int) -> Iterator[Turn]:
    """One whole source file after the other, about a megabyte in sixty."""
    rng = random.Random(seed)
    for _ in range(turns):
        file = Call(argument_tokens=50, chars=int(rng.uniform(12_000, 19_500)), read_only=True)
        yield Turn(calls=(file,), text_tokens=rng.randint(40, 220))


class SimulatedMarks(Rehearsal):
    """Marks where the simulation has them, for every schedule, and none in between.

    Behind what is four turns old, where `eager` changes nothing any more. What the user says has no
    turn there, so that it counts as old at once and takes that mark with it to the end: once in
    fifteen turns no mark is left before what changes.
    """

    def assembled(self, view: View) -> Request:
        request, messages = super().assembled(view), view.messages
        replies = [at for at, message in enumerate(messages) if isinstance(message, AssistantMessage)]
        said = [at for at, message in enumerate(messages) if isinstance(message, UserMessage)]
        anchor = max(replies[-4] - 1 if len(replies) >= 4 else 0, said[-1])
        marks = structs.replace(request.marks, system_block=0, messages=(anchor, len(messages) - 1))
        return structs.replace(request, marks=marks)


class Bill(Struct, kw_only=True):
    """What the requests of a session cost together; output, which is the same for all, is not in it."""

    plain_tokens: int = 0
    read_tokens: int = 0
    written_tokens: int = 0
    peak_tokens: int = 0
    requests: int = 0
    rewrites: int = 0
    recalls: int = 0

    @property
    def usd(self) -> float:
        weighted = self.plain_tokens + READ_PRICE * self.read_tokens + WRITE_PRICE * self.written_tokens
        return USD_PER_TOKEN * weighted


def carry_out(
    turns: Iterable[Turn],
    schedule: Schedule,
    service: Service = SERVICE,
    rehearse: Callable[..., Rehearsal] = Rehearsal,
) -> Bill:
    """Do the work, request by request."""
    work = _Work(schedule, service, rehearse)
    for number, turn in enumerate(turns, 1):
        work.do(number, turn)
    return work.bill


class _Work:
    """A session in the making."""

    def __init__(self, schedule: Schedule, service: Service, rehearse: Callable[..., Rehearsal]) -> None:
        self.bill = Bill()
        self._originals = Originals()
        self._rehearsal = rehearse(
            Variant(schedule=schedule),
            service,
            self._originals,
            blocks=[Block("core", _text(_SYSTEM_TOKENS))],
            tools=[ToolSchema(name="read", description=_text(_TOOLS_TOKENS), parameters={})],
        )
        self._transcript: list[UserMessage | AssistantMessage | ToolResult] = []
        self._at_seconds = 0.0
        self._wants: list[tuple[int, ToolResult]] = []
        """Results that will be needed again, and in which turn."""
        self._say(_TASK_TOKENS)

    def do(self, number: int, turn: Turn) -> None:
        if turn.user_tokens:
            self._say(turn.user_tokens)
        self._ask(cold=turn.cold)
        results = self._answer(turn)
        for call, result in zip(turn.calls, results, strict=True):
            if call.needs_all:
                self._wants.append((number, result))
            if call.again_in:
                self._wants.append((call.again_in, result))
        for due, result in [want for want in self._wants if want[0] <= number]:
            self._wants.remove((due, result))
            if self._is_cut(result, is_new=result in results):
                self._recall(result)

    def _ask(self, *, cold: bool = False) -> None:
        self._at_seconds += _COLD_SECONDS if cold else _TURN_SECONDS
        rehearsed = self._rehearsal.request(self._transcript, self._at_seconds)
        bill, usage = self.bill, rehearsed.usage
        bill.requests += 1
        bill.rewrites += rehearsed.rewrite is not None
        bill.plain_tokens += usage.input
        bill.read_tokens += usage.cache_read
        bill.written_tokens += usage.cache_write
        bill.peak_tokens = max(bill.peak_tokens, usage.context)

    def _answer(self, turn: Turn) -> list[ToolResult]:
        """The reply, and what its calls return."""
        calls = [self._call("read", call.argument_tokens, number) for number, call in enumerate(turn.calls)]
        self._reply(Text(_text(turn.text_tokens)), *calls)
        return [
            self._result(made, call.chars, read_only=call.read_only)
            for made, call in zip(calls, turn.calls, strict=True)
        ]

    def _recall(self, result: ToolResult) -> None:
        self.bill.recalls += 1
        self._ask()
        call = self._call("recall", _RECALL_TOKENS)
        self._reply(call)
        self._result(call, min(result.original.size_chars, _RECALLED_CHARS), read_only=True, verbatim=True)

    def _is_cut(self, result: ToolResult, *, is_new: bool) -> bool:
        """Whether what is needed of it is not shown any more, or was not from the beginning."""
        if is_new:
            return result.original.size_chars > 20_000
        shown = self._rehearsal.shown[result.seq]
        return shown.kind in ("truncated", "summary")

    def _say(self, tokens: int) -> None:
        self._transcript.append(UserMessage(seq=self._next_seq, parts=(Text(_text(tokens)),)))

    def _reply(self, *parts: Text | ToolCall) -> None:
        self._transcript.append(AssistantMessage(seq=self._next_seq, parts=parts, provider="", model=""))

    def _call(self, name: str, tokens: int, number: int = 0) -> ToolCall:
        return ToolCall(id=f"c{self._next_seq}_{number}", name=name, arguments_json=_text(tokens - 5))

    def _result(self, call: ToolCall, chars: int, *, read_only: bool, verbatim: bool = False) -> ToolResult:
        original = self._originals.put((call.id + "\n" + _LINE * (chars // len(_LINE) + 1))[:chars])
        result = ToolResult(
            seq=self._next_seq,
            call_id=call.id,
            name=call.name,
            original=original,
            read_only=read_only,
            verbatim=verbatim,
        )
        self._transcript.append(result)
        return result

    @property
    def _next_seq(self) -> int:
        return len(self._transcript) + 1


def _text(tokens: int) -> str:
    chars = round(tokens * CHARS_PER_TOKEN)
    return (_LINE * (chars // len(_LINE) + 1))[:chars]
