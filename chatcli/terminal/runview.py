"""Shows a run while it happens: listens to its events and draws them on a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chatcli.events import (
    AssistantFinished,
    Notice,
    NoticeLevel,
    QueuedDelivered,
    ResultShown,
    Retrying,
    RunEvent,
    RunFinished,
    RunStarted,
    TextDelta,
    ToolFinished,
    TurnStarted,
)
from chatcli.gate.screen import one_line, safe_text
from chatcli.i18n import _, ngettext
from chatcli.messages import AssistantMessage, Message, Usage, UserMessage
from chatcli.terminal.activity import Activity
from chatcli.terminal.cells import behind, clip, fill
from chatcli.terminal.diff import diff_head
from chatcli.terminal.envelope import end_text, envelope
from chatcli.terminal.figures import short_seconds
from chatcli.terminal.look import Style
from chatcli.terminal.screen.screen import Screen
from chatcli.terminal.stream import MarkdownStream
from chatcli.terminal.toolline import error_line, shown_line, tool_line

_DIFF_ROWS = 16
_SHOWN_RESULTS = frozenset({"todo"})
"""Tools whose result is meant for the person too."""
_ROWS_BELOW_PREVIEW = 6
_NOTICES: dict[NoticeLevel, tuple[str, Style]] = {
    "info": ("· ", "dim"),
    "warning": ("! ", "warn"),
    "error": ("✗ ", "bad"),
}


class RunView:
    """`hear` is the listener of a conversation.

    Diffs in `seen_diffs` are not shown again; `result_end` gives the end of an archived result.
    """

    def __init__(self, screen: Screen, seen_diffs: set[str], result_end: Callable[[str], str]) -> None:
        self.activity = Activity()
        self._screen = screen
        self._seen_diffs = seen_diffs
        self._result_end = result_end
        self._stream: MarkdownStream | None = None
        self._shortened = 0
        self._after_text = False
        """What was printed last is the model's text: an empty line belongs behind it."""

    def hear(self, event: RunEvent) -> None:
        self.activity.hear(event)
        match event:
            case RunStarted():
                self._after_text = False
                self._screen.live(self.rows)
            case TextDelta(text=text):
                self._write(text)
            case AssistantFinished():
                self._end_reply()
            case ToolFinished():
                self._print_tool(event)
            case ResultShown(reason=reason) if reason in {"", "first"}:
                self._screen.print([shown_line(event, self._screen.columns, self._screen.look)])
            case ResultShown():
                self._shortened += 1
            case TurnStarted():
                self._print_shortened()
            case Retrying(reason=reason, delay_seconds=delay_seconds):
                text = _("{reason} · next try in {delay}")
                self.notice("warning", text.format(reason=reason, delay=short_seconds(delay_seconds)))
            case QueuedDelivered(text=text, files=files):
                self.echo(self.activity.delivered(text))
                self.attached(files)
            case Notice(level=level, text=text):
                self.notice(level, text)
            case RunFinished():
                self._finish(event)
            case _:
                pass

    def echo(self, text: str) -> None:
        """The user's own words, as they went in."""
        rows = behind("❯ ", fill(safe_text(text).expandtabs(4), max(self._screen.columns - 2, 1)))
        self._screen.print(["", *(self._screen.look.paint(row, "user") for row in rows)])

    def attached(self, names: Sequence[str]) -> None:
        """The files that go along with what was typed."""
        columns, look = self._screen.columns, self._screen.look
        self._screen.print([look.paint(clip(f"  + {one_line(name)}", columns), "dim") for name in names])

    def notice(self, level: NoticeLevel, text: str) -> None:
        lead, style = _NOTICES[level]
        rows = behind(lead, fill(safe_text(text).expandtabs(4), max(self._screen.columns - 2, 1)))
        self._screen.print([self._screen.look.paint(row, style) for row in rows])

    def past(self, transcript: Sequence[Message]) -> None:
        """The last exchange of a session that goes on."""
        spoken = [m for m in transcript if isinstance(m, UserMessage) and m.text]
        if spoken:
            self.echo(spoken[-1].text)
        if transcript and isinstance(last := transcript[-1], AssistantMessage):
            self._write(last.text)
            self._end_reply()
        elif spoken:
            self.notice("info", _("Not answered: it was cut off."))

    def rows(self) -> Sequence[str]:
        """The live area: the unfinished end of the reply, then what is going on."""
        columns = self._screen.columns
        rows = []
        if self._stream:
            rows = self._stream.preview(columns, max(self._screen.rows - _ROWS_BELOW_PREVIEW, 2) // 2)
        return [*rows, *self.activity.rows(columns, self._screen.look)]

    def _write(self, text: str) -> None:
        if self._stream is None:
            if not text.strip():
                return
            self._stream = MarkdownStream(color=self._screen.look.color)
            self._screen.print([""])
        if lines := self._stream.feed(text, self._screen.columns):
            self._screen.print(lines)

    def _end_reply(self) -> None:
        stream, self._stream = self._stream, None
        if stream:
            self._screen.print(stream.finish(self._screen.columns))
            self._after_text = True

    def _print_tool(self, event: ToolFinished) -> None:
        columns, look = self._screen.columns, self._screen.look
        lines = [""] if self._after_text else []
        self._after_text = False
        lines.append(tool_line(event, columns, look))
        if event.status == "error" and event.key:
            lines += error_line(self._result_end(event.key), columns, look)
        if event.status == "ok" and event.name in _SHOWN_RESULTS:
            text = safe_text(self._result_end(event.key))
            lines += [row for line in text.splitlines() for row in behind("  ", fill(line, columns - 2))]
        if event.diff and event.diff not in self._seen_diffs:
            lines += diff_head(event.diff, columns, _DIFF_ROWS, look)
        self._screen.print(lines)

    def _print_shortened(self) -> None:
        count, self._shortened = self._shortened, 0
        if count:
            text = ngettext("{n} old result shortened", "{n} old results shortened", count).format(n=count)
            self._screen.print([self._screen.look.paint(clip(f"  ↳ {text}", self._screen.columns), "dim")])

    def _finish(self, event: RunFinished) -> None:
        self._end_reply()
        self._screen.live(None)
        columns, look = self._screen.columns, self._screen.look
        lines = [look.paint(row, "warn") for row in fill(end_text(event.end), columns) if row]
        if event.end == "answered" or event.usage != Usage():
            lines.append(envelope(event, columns, look))
        self._screen.print(lines)
