"""`chatcli tour`: two minutes that show the real loop on the person's own folder.

It has a home of its own, so that no session, rule or setting of it is left behind.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

from chatcli.agent import tour
from chatcli.agent.conversation import Conversation
from chatcli.agent.cost.report import cost_report
from chatcli.agent.start import Start, open_conversation
from chatcli.agent.tour import Stop
from chatcli.gate.questions import Answer, Question
from chatcli.gate.screen import one_line, safe_text
from chatcli.i18n import _, language
from chatcli.messages import AssistantMessage, ToolResult
from chatcli.providers.offline import Offline
from chatcli.settings import table
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.cost.lines import class_lines
from chatcli.terminal.person import TerminalPerson
from chatcli.terminal.runview import RunView
from chatcli.terminal.screen.plain import PlainScreen
from chatcli.terminal.screen.screen import Interrupted

_STOPS = 5
_LEAVE = frozenset({"q", "quit", "exit", "sair"})


class YesPerson(TerminalPerson):
    """Approves what the tour asks for: it is about a copy."""

    async def approve(self, question: Question) -> Answer:
        return Answer("once")


class _Left(Exception):
    """The person has seen enough."""


def run_tour(place: Place, *, yes: bool = False) -> int:
    """Play all stops; with `yes`, or without a terminal, nothing is asked."""
    asks = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    screen = PlainScreen(look=place.out.look, stdin=sys.stdin, output=sys.stdout, prompts=sys.stdout)
    with TemporaryDirectory(prefix="chatcli-tour-") as home:
        return asyncio.run(_Tour(place, Path(home), screen, asks=asks).play())


class _Tour:
    def __init__(self, place: Place, home: Path, screen: PlainScreen, *, asks: bool) -> None:
        self._place = place
        self._home = home
        self._screen = screen
        self._asks = asks
        self._number = 0

    async def play(self) -> int:
        self._say(_("A tour of {folder}. Nothing of yours is changed.").format(folder=self._place.folder))
        try:
            if not self._asks:
                await self._all_stops()
                return 0
            self._screen.busy = True
            async with self._screen.running():
                await self._all_stops()
        except _Left:
            pass
        return 0

    async def _all_stops(self) -> None:
        conversation = self._open(self._place.folder)
        try:
            for stop in tour.looking(self._place.folder):
                await self._visit(conversation, stop)
            for saved in sorted(conversation.session.workspace.tool_results.iterdir())[:1]:
                key = _results(conversation)[-1].original.key
                await self._visit(conversation, tour.reopening(saved, key))
            sample = tour.copy_sample(self._place.folder, conversation.session.workspace.scratch / "tour")
            await self._change(sample)
            self._say(_("/cost tells what a session used, and what it cost:"))
            report = cost_report(conversation.session)
            self._screen.print(class_lines(report.total, report.by_class, self._screen.columns))
        finally:
            await conversation.aclose()
        self._say(_("That was the tour. Start here with: chatcli. Connect a model with: chatcli setup."))

    async def _change(self, sample: tour.Sample) -> None:
        conversation = self._open(sample.file.parent)
        try:
            await self._visit(conversation, tour.changing(sample))
        finally:
            await conversation.aclose()

    async def _visit(self, conversation: Conversation, stop: Stop) -> None:
        """Tell what comes, type the words, and let the loop work."""
        self._number += 1
        self._say(f"{self._number}/{_STOPS}  {stop.title}", stop.about)
        await self._go_on()
        replies_before = sum(
            isinstance(message, AssistantMessage) for message in conversation.session.transcript
        )
        await conversation.use_provider(Offline(script=stop.script(replies_before)))
        self._screen.print(["", self._screen.look.paint(f"❯ {one_line(stop.words)}", "user")])
        watching = asyncio.ensure_future(self._watch(conversation)) if self._asks else None
        try:
            finished = await conversation.run(stop.words, mode="agent")
        finally:
            if watching:
                watching.cancel()
        if finished.end == "cancelled":
            raise _Left

    async def _go_on(self) -> None:
        if not self._asks:
            return
        try:
            answer = await self._screen.ask(_("Enter goes on, q leaves"))
        except Interrupted:
            raise _Left from None
        if answer.strip().lower() in _LEAVE:
            raise _Left

    async def _watch(self, conversation: Conversation) -> None:
        """Ctrl-C stops what runs."""
        while await self._screen.next_input() not in {"interrupt", "leave"}:
            continue
        conversation.cancel()

    def _open(self, folder: Path) -> Conversation:
        person = TerminalPerson() if self._asks else YesPerson()
        start = Start(provider="OFFLINE", folder=str(folder), mode="agent", autonomy="ask")
        conversation = open_conversation(
            start, home=self._home, environment=_plain(self._place.environment), person=person
        )
        person.screen = self._screen
        person.cancel_run = conversation.cancel
        view = RunView(self._screen, person.seen_diffs, conversation.session.archive.text)
        conversation.listeners.append(view.hear)
        return conversation

    def _say(self, headline: str, about: str = "") -> None:
        columns, look = self._screen.columns, self._screen.look
        self._screen.print(["", *(look.paint(row, "bold") for row in wrap(safe_text(headline), columns))])
        self._screen.print(wrap(safe_text(about), columns))


def _results(conversation: Conversation) -> list[ToolResult]:
    return [message for message in conversation.session.transcript if isinstance(message, ToolResult)]


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    """Without the person's own settings: the tour shows the defaults, in the person's language."""
    ours = {row.variable for row in table()}
    kept = {name: value for name, value in environment.items() if name not in ours}
    kept.pop("CHATCLI_OFFLINE_SCRIPT", None)
    return {**kept, "CHATCLI_LANG": language()}
