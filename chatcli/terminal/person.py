"""The person at the terminal, as the agent sees them: approvals and questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from chatcli.gate.questions import Answer, Question
from chatcli.gate.screen import one_line, safe_text
from chatcli.i18n import _
from chatcli.terminal.approval import approval_card, choices, outcome_line, read_answer, wants_view
from chatcli.terminal.cells import behind, fill
from chatcli.terminal.diff import diff_lines
from chatcli.terminal.screen.screen import Interrupted, Screen


class TerminalPerson:
    """Asks on a screen. Ctrl-C at a question cancels the whole run: that is `cancel_run`."""

    present = True

    def __init__(self) -> None:
        self.screen: Screen | None = None
        self.cancel_run: Callable[[], object] = lambda: None
        self.seen_diffs: set[str] = set()
        """Diffs that were shown for approval, so that they need not be shown again."""

    async def approve(self, question: Question) -> Answer:
        screen = self._screen()
        screen.print(approval_card(question, screen.columns, screen.rows, screen.look))
        self.seen_diffs.add(question.detail)
        try:
            line = await screen.ask(choices(question))
            while wants_view(question, line):
                await screen.page(diff_lines(question.detail, screen.columns, screen.look))
                line = await screen.ask(choices(question))
        except Interrupted:
            self._cancel_later()
            return Answer("cancel")
        answer = read_answer(question, line)
        screen.print([outcome_line(answer, screen.columns, screen.look)])
        return answer

    async def ask(self, question: str, options: Sequence[str]) -> str | None:
        """The chosen option or the user's own words; None when the question was dismissed."""
        screen = self._screen()
        columns = screen.columns
        lines = ["", *(screen.look.paint(row, "bold") for row in fill(safe_text(question), columns))]
        for number, option in enumerate(options, start=1):
            lines += behind(f"{number}. ", fill(one_line(option), columns - 4))
        screen.print(lines)
        label = _("a number, or your own words") if options else _("your answer")
        try:
            line = (await screen.ask(label)).strip()
        except Interrupted:
            self._cancel_later()
            return None
        if line.isdecimal() and 1 <= int(line) <= len(options):
            line = options[int(line) - 1]
        if not line:
            return None
        screen.print([screen.look.paint(row, "user") for row in fill(f"❯ {safe_text(line)}", columns)])
        return line

    def _cancel_later(self) -> None:
        """When the call has ended as not answered: now it would end as cut off in the middle."""
        asyncio.get_running_loop().call_soon(self.cancel_run)

    def _screen(self) -> Screen:
        if self.screen is None:
            raise RuntimeError("a question before there is a screen")
        return self.screen
