"""A strict scripted provider on loopback: many wire formats, one script, no model.

In a test:

    from tests.wire.script import call, reply, status
    from tests.wire.server import serve

    with serve([reply(call("read", file="a.py")), reply("Two lines.")]) as server:
        environment = server.environment()        # keys and base URLs of all services
        ...
    assert server.violations == []

By hand: `python -m tests.wire.server --script FILE.py [--port 0]`, where the file defines `script`;
it prints its URL and the variables to export, and every violation as it happens.

| wire | path | what it needs |
|---|---|---|
| Anthropic Messages | /v1/messages, /v1/messages/count_tokens | x-api-key, anthropic-version |
| OpenAI Responses | /v1/responses | Bearer |
| OpenAI Chat | /v1/chat/completions | Bearer |
| OpenRouter | /api/v1/chat/completions | Bearer |
| Ollama | /api/chat, /api/tags, /api/show | |
| Gemini | /google/v1beta/models/M:streamGenerateContent | x-goog-api-key |
| Bedrock Converse | /bedrock/model/M/converse-stream | Bearer |
| Bedrock InvokeModel | /bedrock/model/M/invoke-with-response-stream | Bearer |
| StackSpot | /stackspot/v1/agent/A/chat | Bearer, for client credentials |

Services that speak one of these in a dialect (xAI, ZAI, MiniMax, Moonshot, Copilot, GitHub Models,
Bedrock's Mantle) have a path each: `services.py`.

What the real services refuse is refused in their words and recorded in `server.violations`. Each
request is an `Exchange` in `server.exchanges`. `server.wait_for(...)` blocks until something holds,
`server.release()` lets a reply go on that stands at a `hold()`.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from msgspec import structs

from tests.wire import http1
from tests.wire.delivery import Delivery
from tests.wire.endpoints import answer_small
from tests.wire.exchange import Exchange, State
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.prefix import Lines
from tests.wire.refuse import Rejected, Violation
from tests.wire.script import Failure, Reply, Script, Step, resolve
from tests.wire.seen import Seen
from tests.wire.services import Services, environment
from tests.wire.text_calls import is_in_text, read_in_text, say_in_text
from tests.wire.wires import Ids, Options, Wire, count_output, parse_body, require_stream

_ASK_AGAIN_SECONDS = 0.05


class WireServer:
    """Runs on its own thread and loop, so that it serves sync tests, async tests and other processes."""

    def __init__(self, script: Script, options: Options) -> None:
        self.options = options
        self.exchanges: list[Exchange] = []
        self.violations: list[Violation] = []
        self.url = ""
        self._script = script
        self._played = 0
        self._lines = Lines()
        ids = Ids()
        self._services = Services(options, ids)
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._released = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="wire server", daemon=True)

    # --- for the test ---------------------------------------------------------------------------

    def start(self, port: int = 0) -> None:
        self._thread.start()
        listening = asyncio.start_server(self._connected, "127.0.0.1", port, limit=1 << 26)
        self._listener = asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        self.url = f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def environment(self) -> dict[str, str]:
        """Variables that send every provider of chatcli here."""
        return environment(self.url, self.options.key)

    def wait_for(self, holds: Callable[[WireServer], object], timeout_seconds: float = 20.0) -> None:
        """Block until `holds(server)`.

        It is asked again whenever an exchange changes, and 20 times a second for what it may look at
        besides. Raises TimeoutError with the states of all exchanges.
        """
        ends_at = time.monotonic() + timeout_seconds
        with self._changed:
            while not holds(self) and time.monotonic() < ends_at:
                self._changed.wait(_ASK_AGAIN_SECONDS)
            if not holds(self):
                states = [(e.number, e.wire, e.state) for e in self.exchanges]
                raise TimeoutError(f"did not happen within {timeout_seconds} s: {states}, {self.violations}")

    def wait_for_state(self, state: State, timeout_seconds: float = 20.0) -> None:
        """Block until the newest exchange is in that state."""
        self.wait_for(
            lambda server: server.exchanges and server.exchanges[-1].state == state, timeout_seconds
        )

    def release(self) -> None:
        """Let the replies go on that stand at a `hold()`."""
        self._loop.call_soon_threadsafe(self._released.set)

    def play(self, script: Script) -> None:
        """Answer from the beginning of another script from now on; books and signatures are kept."""
        with self._changed:
            self._script, self._played = script, 0

    # --- connections ----------------------------------------------------------------------------

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while request := await http1.read_request(reader):
                if not await self._answer(request, reader, writer):
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _shut(self) -> None:
        self._listener.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _answer(
        self, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """False when the connection must end."""
        wire = self._services.wire(request.path)
        if wire is None or request.method != "POST":
            answer = self._answer_aside(request)
        else:
            exchange = Exchange(number=len(self.exchanges), wire=wire.name)
            self.exchanges.append(exchange)
            self._change(exchange, "reading")
            decided = self._decide(wire, request, exchange)
            if isinstance(decided, Reply):
                assert exchange.seen is not None
                assert exchange.tally is not None
                pieces = wire.stream(decided, exchange.seen, exchange.tally)
                change = partial(self._change, exchange)
                delivery = Delivery(exchange, change, self._released, reader, writer)
                return await delivery.send(decided, pieces, wire.content_type)
            answer = decided
        writer.write(http1.encode_answer(answer))
        await writer.drain()
        return True

    def _answer_aside(self, request: HttpRequest) -> HttpAnswer:
        if answer := self._services.answer_aside(request):
            return answer
        wire = self._services.wire("/v1/messages")
        if request.path != "/v1/messages/count_tokens" or wire is None:
            return answer_small(request, self.options)
        try:
            whole = {**parse_body(request), "max_tokens": 2048}
            seen = _read(wire, structs.replace(request, body=json.dumps(whole).encode()))
        except Rejected as rejected:
            return wire.reject(rejected)
        return HttpAnswer.of_json(200, {"input_tokens": seen.prompt_tokens})

    # --- what to answer -------------------------------------------------------------------------

    def _decide(self, wire: Wire, request: HttpRequest, exchange: Exchange) -> Reply | HttpAnswer:
        try:
            seen = _read(wire, request)
            require_stream(seen)
            in_text = is_in_text(seen)
            seen = read_in_text(seen) if in_text else seen
            too_long = seen.prompt_tokens > self.options.window_tokens
            step = Failure(kind="overflow") if too_long else self._next_step(seen)
        except Rejected as rejected:
            if rejected.rule:
                self._violated(rejected.rule, rejected.message, exchange)
            self._change(exchange, "rejected", rejected.status)
            return wire.reject(rejected)
        exchange.seen = seen
        for rule, detail in seen.remarks:
            self._violated(rule, detail, exchange)
        if isinstance(step, Failure):
            answer = wire.fail(step, seen)
            self._change(exchange, "failed", answer.status)
            return answer
        if self.options.same_prefix and (
            changed := self._lines.follow(seen, rewrite=step.rewrite, side=step.side)
        ):
            self._violated("same_prefix", changed, exchange)
        step = say_in_text(step) if in_text else step
        booked = wire.book(seen)
        output, reasoning = count_output(step)
        exchange.tally = step.usage or structs.replace(booked, output=output, reasoning=reasoning)
        return step

    def _next_step(self, seen: Seen) -> Reply | Failure:
        step: Step
        if callable(self._script):
            step = self._script
        elif self._played < len(self._script):
            step = self._script[self._played]
        else:
            raise Rejected("script_over", f"the script has only {self._played} replies")
        self._played += 1
        try:
            return resolve(step, seen)
        except Exception as error:
            raise Rejected("script_failed", "".join(traceback.format_exception(error))) from error

    def _violated(self, rule: str, detail: str, exchange: Exchange) -> None:
        violation = Violation(rule=rule, detail=detail, wire=exchange.wire, request=exchange.number)
        with self._changed:
            self.violations.append(violation)
            self._changed.notify_all()

    def _change(self, exchange: Exchange, state: State, status: int = 200) -> None:
        with self._changed:
            exchange.state, exchange.status = state, status
            self._changed.notify_all()


def _read(wire: Wire, request: HttpRequest) -> Seen:
    """The request; one of a quite different shape is refused as well, whichever rule stumbles over it."""
    try:
        return wire.read(request)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise Rejected("malformed", "".join(traceback.format_exception(error))) from error


@contextmanager
def serve(script: Script, *, port: int = 0, **options: Any) -> Iterator[WireServer]:
    """A running server; `options` are those of `Options`. It stops at the end of the block."""
    server = WireServer(script, Options(**options))
    server.start(port)
    try:
        yield server
    finally:
        server.stop()


if __name__ == "__main__":
    from tests.wire.command import main

    main()
