"""What is going on right now, in a few rows of the live area."""

from __future__ import annotations

import time

from chatcli.events import (
    AssistantFinished,
    ReasoningDelta,
    Retrying,
    RunEvent,
    RunFinished,
    RunStarted,
    TextDelta,
    ToolCallDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnStarted,
)
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.terminal.cells import clip
from chatcli.terminal.figures import short_count, short_seconds
from chatcli.terminal.look import Look
from chatcli.terminal.screen.screen import Line

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_SPINNER_SECONDS = 0.12
_QUEUED_ROWS = 3
_CALL_ROWS = 6
"""A model may make hundreds of calls at once, and the rest of the screen is wanted too."""
_PROGRESS_CHARS = 1_000


class Activity:
    """Hears the events of a run and sums them up."""

    def __init__(self) -> None:
        self.queued: list[Line] = []
        """What was typed meanwhile and waits for the next turn."""
        self._model = ""
        self._text = ""
        self._since_seconds = 0.0
        self._written_chars = 0
        self._running: dict[str, tuple[ToolStarted, float]] = {}
        self._progress = ""

    def hear(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self._model = one_line(event.model or event.provider)
            case TurnStarted():
                self._wait(_("waiting for {model}").format(model=self._model))
            case TextDelta(text=text):
                self._count(text, _("writing"))
            case ReasoningDelta(text=text):
                self._count(text, _("thinking"))
            case ToolCallDelta(name=name, arguments=arguments):
                self._count(arguments, _("preparing {tool}").format(tool=one_line(name)))
            case AssistantFinished():
                self._wait("")
            case Retrying(attempt=attempt, of=of):
                self._wait(_("retry {n} of {of}").format(n=attempt, of=of))
            case RunFinished():
                self._wait("")
                self.queued.clear()
            case _:
                self._hear_tool(event)

    def delivered(self, text: str) -> str:
        """A queued message is on its way: how it was shown when it was typed."""
        for line in self.queued:
            if line.text == text:
                self.queued.remove(line)
                return line.shown
        return text

    def rows(self, columns: int, look: Look) -> list[str]:
        """Running tools, or what the model does, then what is queued."""
        now = time.monotonic()
        frame = _SPINNER[int(now / _SPINNER_SECONDS) % len(_SPINNER)]
        rows = []
        for started, since in list(self._running.values())[:_CALL_ROWS]:
            call = f"{one_line(started.name)} {one_line(started.summary)}".rstrip()
            elapsed = f" · {short_seconds(now - since)}"
            rows.append(f"{look.paint(frame, 'accent')} {clip(call, columns - 2 - len(elapsed))}{elapsed}")
        if (others := len(self._running) - _CALL_ROWS) > 0:
            rows.append(look.paint(clip("  " + _("… {n} more").format(n=others), columns), "dim"))
        if self._running and self._progress:
            rows.append(look.paint(clip(f"  {self._progress}", columns), "dim"))
        if self._text and not self._running:
            parts = [self._text, short_seconds(now - self._since_seconds)]
            if self._written_chars:
                parts.insert(1, _("{n} chars").format(n=short_count(self._written_chars)))
            rows.append(look.paint(clip(f"{frame} {' · '.join(parts)}", columns), "dim"))
        shown = self.queued[-_QUEUED_ROWS:]
        return rows + [look.paint(clip(f"… {one_line(line.shown)}", columns), "dim") for line in shown]

    def _wait(self, text: str) -> None:
        self._text = text
        self._since_seconds = time.monotonic()
        self._written_chars = 0

    def _count(self, text: str, doing: str) -> None:
        if doing != self._text:
            self._wait(doing)
        self._written_chars += len(text)

    def _hear_tool(self, event: RunEvent) -> None:
        match event:
            case ToolStarted(call_id=call_id):
                self._running[call_id] = (event, time.monotonic())
                self._progress = ""
            case ToolProgress(text=text):
                lines = [line for line in text[-_PROGRESS_CHARS:].splitlines() if line.strip()]
                self._progress = one_line(lines[-1]) if lines else self._progress
            case ToolFinished(call_id=call_id):
                self._running.pop(call_id, None)
            case _:
                pass
