"""What the scripted model says: one small language, played alike on each of the four wires.

    script = [
        reply(think("Look first."), "I will read it.", call("read", file="a.py")),
        status(429, retry_after_seconds=0.1),
        reply("It has ", "two lines."),
    ]

A list answers one request after the other. A function `seen -> reply` decides from the request
(`Seen`), for arguments that depend on earlier results; it also works across kills and retries
because it needs no memory. `by_turn` is the list in that style: which step is due follows from the
assistant messages that the request already holds.

Strings in a row are pieces of one text: each is sent as its own delta.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec import Struct

from tests.wire.seen import Seen

Stop = Literal["end", "tool_calls", "max_tokens", "refusal"]
FailureKind = Literal["rate_limit", "overloaded", "server_error", "overflow", "no_credit", "other"]


class Think(Struct, frozen=True):
    """Reasoning, with what the service needs to see again (signature, encrypted content)."""

    text: str


class Call(Struct, frozen=True, kw_only=True):
    """A tool call. `raw` replaces the JSON of the arguments, to break it."""

    name: str
    arguments: dict[str, Any] = {}
    raw: str | None = None
    id: str = ""
    """Empty: the server invents an id that it never used before."""


class Hold(Struct, frozen=True):
    """The stream stalls here until `server.release()` or until the client goes away."""


class Break(Struct, frozen=True):
    """An error inside the stream, after status 200: the reply ends here."""

    message: str = "Overloaded"


Part = str | Think | Call | Hold | Break


class Tally(Struct, frozen=True, kw_only=True):
    """Tokens of one request; the classes do not overlap, `output` includes `reasoning`."""

    plain: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def write(self) -> int:
        return self.write_5m + self.write_1h

    @property
    def prompt(self) -> int:
        """Everything sent, however it was billed."""
        return self.plain + self.read + self.write


class Reply(Struct, frozen=True, kw_only=True):
    """One answer of the model, with the faults of its transport."""

    parts: tuple[Part, ...]
    stop: Stop
    usage: Tally | None = None
    """Replaces what the cache books say."""
    chunk_bytes: int = 0
    """Regroup the stream into chunks of so many bytes: splits events and UTF-8. 0: one event a chunk."""
    cut_bytes: int | None = None
    """Drop the connection after so many bytes of the stream."""
    pace_seconds: float = 0.0
    """Time between two pieces: for replies that should take a while."""
    rewrite: bool = False
    """The request that gets this reply was expected to change what was sent before."""
    side: bool = False
    """The request that gets this reply is a side call: the main line goes on from the one before."""


class Failure(Struct, frozen=True, kw_only=True):
    """An answer that is no reply. `status` 0: the one that the service uses for this kind."""

    kind: FailureKind
    status: int = 0
    message: str = ""
    retry_after_seconds: float | None = None


Answer = Reply | Failure
Step = Answer | Callable[[Seen], Answer]
Script = Sequence[Step] | Callable[[Seen], Answer]


def reply(
    *parts: Part,
    stop: Stop | None = None,
    usage: Tally | None = None,
    chunk_bytes: int = 0,
    cut_bytes: int | None = None,
    pace_seconds: float = 0.0,
    rewrite: bool = False,
    side: bool = False,
) -> Reply:
    """A reply; without `stop` it ends for its tool calls, if it has any. `reply()` is an empty one."""
    calls = any(isinstance(part, Call) for part in parts)
    return Reply(
        parts=parts,
        stop=stop or ("tool_calls" if calls else "end"),
        usage=usage,
        chunk_bytes=chunk_bytes,
        cut_bytes=cut_bytes,
        pace_seconds=pace_seconds,
        rewrite=rewrite,
        side=side,
    )


def think(text: str) -> Think:
    return Think(text)


def call(name: str, /, **arguments: Any) -> Call:
    return Call(name=name, arguments=arguments)


def broken_call(name: str, raw: str) -> Call:
    """A call whose arguments are exactly `raw`, valid JSON or not."""
    return Call(name=name, raw=raw)


def hold() -> Hold:
    return Hold()


def break_off(message: str = "Overloaded") -> Break:
    return Break(message)


def refusal(text: str = "I cannot help with that.") -> Reply:
    return reply(text, stop="refusal")


def status(code: int, message: str = "", *, retry_after_seconds: float | None = None) -> Failure:
    """An HTTP error; 429, 500 and 529 get the service's own shape."""
    kinds: dict[int, FailureKind] = {429: "rate_limit", 500: "server_error", 529: "overloaded"}
    return Failure(
        kind=kinds.get(code, "other"), status=code, message=message, retry_after_seconds=retry_after_seconds
    )


def overflow() -> Failure:
    """The request does not fit the window, in the service's own words."""
    return Failure(kind="overflow")


def no_credit() -> Failure:
    return Failure(kind="no_credit")


def by_turn(*steps: Step) -> Callable[[Seen], Answer]:
    """The step that is due after the assistant messages in the request; the last one from then on."""

    def script(seen: Seen) -> Answer:
        return resolve(steps[min(seen.assistant_turns, len(steps) - 1)], seen)

    return script


def resolve(step: Step, seen: Seen) -> Answer:
    return step if isinstance(step, Reply | Failure) else step(seen)
