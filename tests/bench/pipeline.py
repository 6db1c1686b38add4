"""The result pipeline: one more turn in a long session, a long session in all, one big preview."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from chatcli.context.limits import PREVIEW, Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.context.previews import render
from chatcli.messages import (
    Archived,
    AssistantMessage,
    Message,
    Presentation,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from tests.bench.table import Figure

RESULT_CHARS = 8_000


class MemoryStore:
    """Originals in a dictionary; every marker may name a file."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def put(self, text: str) -> Archived:
        key = f"{len(self.texts):016x}"
        self.texts[key] = text
        return Archived(
            key=key, sha256=key * 4, size_bytes=len(text), size_chars=len(text), lines=text.count("\n") + 1
        )

    def text(self, original: Archived) -> str:
        return self.texts[original.key]

    def save(self, call_id: str, original: Archived) -> str | None:
        return f"/tmp/chatcli-agent-bench/tool-results/budget_{call_id}_{original.sha256[:8]}.txt"


class LongSession:
    """A transcript that grows by one reading turn at a time, with its recorded presentations."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.pipeline = Pipeline(Limits(), Ageing(), self.store)
        self.transcript: list[Message] = [UserMessage(seq=1, parts=(Text("go"),))]
        self.shown: dict[int, Presentation] = {}

    def add_turn(self) -> None:
        seq = self.transcript[-1].seq
        call = ToolCall(id=f"c{seq}", name="read", arguments_json='{"file":"x"}')
        original = self.store.put(f"turn {seq}\n" + "a line of the file\n" * (RESULT_CHARS // 19))
        self.transcript.append(AssistantMessage(seq=seq + 1, parts=(call,), provider="X", model="m"))
        self.transcript.append(
            ToolResult(seq=seq + 2, call_id=call.id, name="read", original=original, read_only=True)
        )

    def prepare_seconds(self) -> float:
        """Of the processor: what else the machine does is not counted."""
        began = time.process_time()
        view = self.pipeline.prepare(self.transcript, self.shown)
        took = time.process_time() - began
        self.shown.update({decision.seq: decision.presentation for decision in view.decisions})
        return took


def figures() -> Iterator[Figure]:
    text = "".join(f"{n:06d} an ordinary line of a long output, nothing special\n" for n in range(86_000))
    big = Archived(key="0" * 16, sha256="0" * 64, size_bytes=len(text), size_chars=len(text), lines=86_000)
    render(text, PREVIEW, big, "/tmp/x")
    took = [_timed(lambda: render(text, PREVIEW, big, "/tmp/x")) for _ in range(9)]
    yield Figure(name="preview of a 5 MB result", value=statistics.median(took) * 1000, bound=10, unit="ms")
    session = LongSession()
    _grow(session, 1_000)
    after_thousand = statistics.median(_one_more(session) for _ in range(50))
    yield Figure(name="one more turn after 1,000 results", value=after_thousand * 1000, bound=2, unit="ms")
    _grow(session, 8_000)
    young = LongSession()
    turns = [(_one_more(young), _one_more(session)) for _ in range(1_000)]  # both under the same load
    early, late = (sum(seconds) for seconds in zip(*turns, strict=True))
    yield Figure(
        name="turns 9,000-10,000 against turns 1-1,000",
        value=late / early,
        bound=2,
        unit="x",
        detail=f"{late:.2f} s against {early:.2f} s",
    )


def _grow(session: LongSession, turns: int) -> None:
    for _ in range(turns):
        _one_more(session)


def _one_more(session: LongSession) -> float:
    session.add_turn()
    return session.prepare_seconds()


def _timed(work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
