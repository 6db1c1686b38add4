"""One shot: answer one text and leave. The answer goes to stdout, everything else to stderr."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import stat
import sys
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Literal, TextIO, get_args

import msgspec

from chatcli.agent.conversation import Conversation
from chatcli.agent.modes import MODES, asks_for_the_loop, split_mode
from chatcli.agent.opening import opening_notices
from chatcli.agent.start import Start, home_folder, open_conversation
from chatcli.errors import UsageError, UserFacingError
from chatcli.events import (
    Notice,
    Retrying,
    RunEnd,
    RunEvent,
    RunFinished,
    ToolFinished,
)
from chatcli.gate.questions import Answer, Question
from chatcli.gate.screen import one_line, safe_text
from chatcli.i18n import _
from chatcli.providers.specs import find_spec, wire
from chatcli.providers.warm import preload
from chatcli.terminal.failure import output_errors
from chatcli.terminal.mentions import find_mentions, told_missing
from chatcli.terminal.slash.command import is_command

OutputForm = Literal["text", "json", "jsonl"]

_PIPE_PATIENCE_SECONDS = 3.0
"""How long `-p` waits for the first byte of a pipe that may only have been inherited."""

EXIT_CODES: Mapping[RunEnd, int] = {
    "answered": 0,
    "refused": 3,
    "failed": 3,
    "max_turns": 4,
    "max_cost": 4,
    "stagnation": 4,
    "output_limit": 4,
    "denied": 5,
    "cancelled": 130,
}

_MODE_COMMANDS = (*(f"/{mode}" for mode in MODES), "/run")


class Nobody:
    """There is no person in one shot: questions stay unanswered, approvals are denied by the gate."""

    present = False

    async def approve(self, question: Question) -> Answer:
        return Answer("deny", "nobody is there to ask")

    async def ask(self, question: str, options: Sequence[str]) -> str | None:
        return None


def run_oneshot(start: Start, prompt: str | None, *, output: str, environment: Mapping[str, str]) -> int:
    """The exit code. Raises a `UserFacingError` for what went wrong before anything ran."""
    if output not in get_args(OutputForm):
        raise UsageError(_("--output is text, json or jsonl, not {given!r}.").format(given=output))
    piped = _piped_input(sys.stdin.buffer, required=prompt is None)
    text = prompt or ""
    if prompt is None and piped is not None:
        text = piped.read().decode("utf-8", "replace")
        piped = None
    if not text.strip():
        raise UsageError(
            _("There is nothing to answer: the text is empty."),
            hint='chatcli -p "' + _("what is in this folder?") + '"',
        )
    typed = prompt is not None
    if prompt is not None:
        _refuse_other_commands(text.strip())
    return asyncio.run(_answer(start, text, piped, typed=typed, output=output, environment=environment))


def _refuse_other_commands(text: str) -> None:
    """What only the REPL understands, or nobody, is not sent to a model as if it were a question."""
    name = text.split(maxsplit=1)[0]
    if is_command(text) and name not in _MODE_COMMANDS:
        raise UsageError(
            _("{name} does not work with -p.").format(name=one_line(name, 40)),
            hint=_("Only {names} do.").format(names=", ".join(_MODE_COMMANDS)),
        )


async def _answer(
    start: Start,
    text: str,
    piped: BinaryIO | None,
    *,
    typed: bool,
    output: str,
    environment: Mapping[str, str],
) -> int:
    """A text that was piped in names no files: it may be a page or a log, and a mention is a permission."""
    conversation = open_conversation(
        start, home=home_folder(environment), environment=environment, person=Nobody()
    )
    preload(wire(find_spec(conversation.provider.name), environment))  # while the request is prepared
    writer = _Writer(output, sys.stdout, sys.stderr, conversation)
    conversation.listeners.append(writer.hear)
    for notice in opening_notices(conversation):
        writer.hear(notice)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, conversation.cancel)
    try:
        mode, words = split_mode(text, conversation.mode)
        if typed and (told := told_missing(words, conversation.session.folder)):
            writer.hear(Notice("warning", told))
        finished = await conversation.run(
            words,
            mode=mode,
            attachments=find_mentions(words, conversation.session.folder) if typed else (),
            piped=piped,
            may_reroute=not asks_for_the_loop(text),
        )
    except UserFacingError as error:
        writer.fail(error)
        return error.exit_code
    finally:
        await conversation.aclose()
    return EXIT_CODES[finished.end]


class _Writer:
    """Turns events into the chosen form of output."""

    def __init__(self, form: str, out: TextIO, err: TextIO, conversation: Conversation) -> None:
        self._form = form
        self._out = out
        self._err = err
        self._conversation = conversation
        self._finished: RunFinished | None = None

    def hear(self, event: RunEvent) -> None:
        if self._form == "jsonl":
            self._line(event)
        else:
            self._tell(event)
        if isinstance(event, RunFinished):
            self._finished = event
            if event.end != "failed":
                self._finish(event, "")

    def fail(self, error: UserFacingError) -> None:
        if self._form == "text":
            raise error
        if self._form == "json" and self._finished:
            self._finish(self._finished, error.message)
        elif self._form == "jsonl":
            self._line({"type": "error", "message": error.message, "hint": error.hint})
        self._err.write(f"chatcli: {error.message}\n")

    def _tell(self, event: RunEvent) -> None:
        """What a person at the terminal should know while waiting."""
        match event:
            case ToolFinished(status="denied"):
                why = event.brief or _("denied")
                self._err.write(safe_text(f"✗ {event.name} {event.summary}: {why}") + "\n")
            case ToolFinished() if self._err.isatty():
                mark = "✓" if event.status == "ok" else "✗"
                self._err.write(safe_text(f"{mark} {event.name} {event.summary} · {event.brief}") + "\n")
            case Notice():
                self._err.write(f"{event.text}\n")
            case Retrying():
                self._err.write(
                    _("{reason}; trying again in {seconds:.0f} s ({attempt}/{of})").format(
                        reason=event.reason, seconds=event.delay_seconds, attempt=event.attempt, of=event.of
                    )
                    + "\n"
                )

    def _finish(self, event: RunFinished, error: str) -> None:
        if self._form == "json":
            self._line(run_object(event, self._conversation.session.id, error))
        elif self._form == "text":
            self._say(event.text if event.text.endswith("\n") else event.text + "\n")
        if self._form != "jsonl" and (why := _why_ended(event.end)) is not None:
            self._err.write(f"chatcli: {why}\n")

    def _line(self, value: Any) -> None:
        self._say(msgspec.json.encode(value).decode() + "\n")

    def _say(self, text: str) -> None:
        """Write to stdout. A reader that went away (`| head`) changes nothing about the run."""
        try:
            with output_errors():
                self._out.write(text)
                self._out.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())


def run_object(event: RunFinished, session_id: str, error: str = "") -> dict[str, Any]:
    """The one object of `--output json`."""
    usage = event.usage
    found: dict[str, Any] = {
        "session_id": session_id,
        "text": event.text,
        "stop_reason": event.end,
        "turns": event.turns,
        "tool_calls": event.tool_calls,
        "usage": {
            "input": usage.input,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
            "output": usage.output,
            "reasoning": usage.reasoning,
        },
        "cost_usd": event.cost_usd,
        "duration_seconds": event.duration_seconds,
    }
    return {**found, "error": error} if error else found


def _why_ended(end: RunEnd) -> str | None:
    """One line for an end that is not an answer."""
    match end:
        case "max_turns":
            return _("stopped: the limit of turns is reached (--max-turns).")
        case "max_cost":
            return _("stopped: the next request could cost more than the session may (--max-cost).")
        case "stagnation":
            return _("stopped: the run only repeated itself.")
        case "output_limit":
            return _("the reply was cut at the model's output limit.")
        case "denied":
            return _("ended because something was denied.")
        case "refused":
            return _("the model refused to answer.")
        case "cancelled":
            return _("cancelled.")
        case _:
            return None


def _piped_input(stream: BinaryIO, *, required: bool) -> BinaryIO | None:
    """Standard input when something is piped in; None for a terminal, /dev/null or a silent pipe."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode) or required:
        return stream
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        ready, _write, _error = select.select([stream], [], [], _PIPE_PATIENCE_SECONDS)
        return stream if ready else None
    return None
