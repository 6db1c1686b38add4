"""The REPL: lines go in, runs of the agent come out."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chatcli.errors import StorageError, UserFacingError
from chatcli.events import NoticeLevel, RunEnd
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.providers import vocabulary
from chatcli.providers.specs import find_spec, wire
from chatcli.providers.warm import preload
from chatcli.settings import Autonomy
from chatcli.terminal.approval import is_yes, yes_or_no
from chatcli.terminal.learning import learn_after_run
from chatcli.terminal.mentions import find_mentions, told_missing
from chatcli.terminal.runview import RunView
from chatcli.terminal.screen.screen import Interrupted, Line, Screen
from chatcli.terminal.slash.command import is_command
from chatcli.terminal.slash.permissions import LEVELS
from chatcli.terminal.slash.registry import COMMANDS
from chatcli.terminal.warmup import warm_up

if TYPE_CHECKING:
    from chatcli.agent.conversation import Conversation
    from chatcli.agent.inbox import Waiting
    from chatcli.terminal.person import TerminalPerson

logger = logging.getLogger(__name__)
R = TypeVar("R")

_TWICE_SECONDS = 1.0
_RESULT_END_BYTES = 20_000
_LEAVING_WORDS = frozenset({"exit", "quit"})


class Repl:
    """One conversation on one screen."""

    def __init__(
        self,
        conversation: Conversation,
        person: TerminalPerson,
        *,
        home: Path,
        environment: Mapping[str, str],
    ) -> None:
        self.conversation = conversation
        self.home = home
        self.environment = environment
        self.commands = COMMANDS
        self.exit_code = 0
        self._person = person
        self._left = False
        self._run: asyncio.Task[None] | None = None
        self._named: list[Path] = []
        """Files named in the line that starts the next run; what is pasted names none."""
        self._interrupted_seconds = -_TWICE_SECONDS
        self._main: asyncio.Task[int] | None = None
        self._warming: asyncio.Task[None] | None = None
        self.screen: Screen
        self.view: RunView

    def attach(self, screen: Screen) -> None:
        """Use this screen from now on."""
        self.screen = screen
        self._person.screen = screen
        self._person.cancel_run = self.conversation.cancel
        self.view = RunView(screen, self._person.seen_diffs, self._result_end)
        self.conversation.listeners.append(self.view.hear)

    async def run(self) -> int:
        """Until the user leaves or a signal ends it. Returns the exit code."""
        self._main = asyncio.current_task()
        self.warm_up()
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self._stop, number)
        try:
            async with self.screen.running():
                while not self._left:
                    await self._take(await self.screen.next_input())
                await self._end_run()
        except asyncio.CancelledError:
            if not self.exit_code:
                raise
        finally:
            if self._warming:
                self._warming.cancel()
            await self.conversation.aclose()
        if self.conversation.session.transcript and not self.exit_code:
            self.tell(_("chatcli --resume {id} goes on with it.").format(id=self.conversation.session.id))
        return self.exit_code

    def start_run(self, text: str, *, mode: str | None = None, stay: bool = True) -> None:
        """Give `text` to the agent; `stay` keeps the mode afterwards, without it the loop runs for sure."""
        before = self.conversation.mode
        self.screen.busy = True
        self._run = asyncio.create_task(self._work(text, mode or before, before if not stay else ""))

    def start_task(self, work: Coroutine[None, None, None]) -> None:
        """Do something that takes a while: Ctrl-C cancels it, what is typed meanwhile is given back."""
        self.screen.busy = True
        self._run = asyncio.create_task(self._until_done(work))

    def warm_up(self) -> None:
        """Load what the provider in use needs, while nobody types."""
        provider = self.conversation.provider
        spoken = wire(find_spec(provider.name), self.environment)

        def load() -> None:
            preload(spoken)
            self.conversation.memories.preload()
            vocabulary.begin(provider.model)

        self._warming = asyncio.create_task(warm_up(load, self.screen))

    async def ask(self, label: str) -> str:
        """One answer line; empty when it was interrupted."""
        try:
            return await self.screen.ask(label)
        except Interrupted:
            return ""

    async def confirm(self, question: str) -> bool:
        """Only a clear yes is one; what else was typed is told to have changed nothing."""
        if is_yes(await self.ask(yes_or_no(question))):
            return True
        self.tell(_("Nothing was changed."))
        return False

    def tell(self, text: str, level: NoticeLevel = "info") -> None:
        self.view.notice(level, text)

    def tell_unknown(self, line: str) -> None:
        """`line` starts with what was taken for a command, with or without its slash."""
        word = "/" + line.split(maxsplit=1)[0].removeprefix("/")
        near = self.commands.nearest(word)
        text = _("There is no command {name}.").format(name=one_line(word, 40))
        hint = _("Did you mean /{name}?").format(name=near) if near else _("/help lists them.")
        self.tell(f"{text} {hint}", "warning")

    def shown_path(self, path: Path) -> str:
        folder = self.conversation.session.folder
        return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)

    def set_autonomy(self, level: Autonomy) -> None:
        self.conversation.set_autonomy(level)
        self.tell(_("autonomy: {level}").format(level=level))

    def leave(self) -> None:
        self._left = True

    def _result_end(self, key: str) -> str:
        """The end of an archived result, which may be of any size; empty when it cannot be read."""
        try:
            with self.conversation.session.archive.open_unchecked(key) as file:
                size_bytes = file.seek(0, os.SEEK_END)
                file.seek(max(size_bytes - _RESULT_END_BYTES, 0))
                return file.read().decode("utf-8", "replace")
        except (StorageError, OSError):
            return ""

    async def _take(self, given: Line | str) -> None:
        match given:
            case Line():
                await self._line(given)
            case "interrupt":
                self._interrupt()
            case "cycle":
                self._cycle()
            case _:
                self.leave()

    async def _line(self, line: Line) -> None:
        folder = self.conversation.session.folder
        named = find_mentions(line.shown, folder)
        if not self._run:
            self._named = named
        if line.text in _LEAVING_WORDS:
            self.leave()
        elif is_command(line.text):
            self._echo(line)
            await self._command(line.text)
        elif self._run:
            self.conversation.inbox.put(line.text, named)
            self.view.activity.queued.append(line)
            self.screen.refresh()
        elif line.text:
            self._echo(line)
            self.start_run(line.text)
        if told := told_missing(line.shown, folder):
            self.tell(told, "warning")

    def _echo(self, line: Line) -> None:
        if not self.screen.keeps_typed:
            self.view.echo(line.shown)

    async def _command(self, text: str) -> None:
        command, rest = self.commands.find(text)
        if command is None:
            self.tell_unknown(text)
        elif self._run and not command.while_busy:
            waits = _("/{name} has to wait: Ctrl-C cancels what runs.").format(name=command.name)
            self.tell(waits, "warning")
            if rest:
                self.screen.give_back(text)
        elif rest and not command.arguments:
            alone = _("/{name} stands alone: {words} means nothing to it.")
            self.tell(alone.format(name=command.name, words=one_line(rest, 40)), "warning")
        else:
            await self._guarded(command.run(self, rest))

    async def _work(self, text: str, mode: str, mode_afterwards: str) -> None:
        """One run, and another one for what was typed too late for it."""
        try:
            may_reroute = not mode_afterwards  # /run always runs the loop
            end = await self._guarded(self._one_run(text, mode, may_reroute=may_reroute))
            while waiting := self.conversation.inbox.take():
                if end != "answered":
                    self._give_back(waiting)
                    break
                text = _joined(waiting)
                self.view.echo(text)
                self._named = list(dict.fromkeys(path for message in waiting for path in message.files))
                end = await self._guarded(self._one_run(text, mode, may_reroute=may_reroute))
        finally:
            if mode_afterwards:
                self.conversation.set_mode(mode_afterwards)
            self._rest()

    async def _until_done(self, work: Coroutine[None, None, None]) -> None:
        try:
            await self._guarded(work)
        finally:
            if waiting := self.conversation.inbox.take():
                self._give_back(waiting)
            self._rest()

    def _give_back(self, waiting: Sequence[Waiting]) -> None:
        """What was not delivered can be sent again."""
        self.screen.give_back(_joined(waiting))

    def _rest(self) -> None:
        self._run = None
        self.screen.busy = False
        self.screen.refresh()

    async def _one_run(self, text: str, mode: str, *, may_reroute: bool) -> RunEnd:
        files, self._named = self._named, []
        self.view.attached([self.shown_path(path) for path in files])
        finished = await self.conversation.run(text, mode=mode, attachments=files, may_reroute=may_reroute)
        if finished.end == "answered":
            await learn_after_run(self)
        return finished.end

    async def _guarded(self, work: Awaitable[R]) -> R | None:
        """Errors are told; even a bug does not end the session."""
        try:
            return await work
        except UserFacingError as error:
            self.tell(error.message, "error")
            if error.hint:
                self.tell(error.hint)
        except Exception as error:
            logger.exception("a bug in the REPL or below it")
            self.tell(
                _("This is a bug in chatcli: {error}. The log file has the details.").format(
                    error=f"{type(error).__name__}: {error}"
                ),
                "error",
            )
        return None

    def _interrupt(self) -> None:
        now = time.monotonic()
        twice = now - self._interrupted_seconds < _TWICE_SECONDS
        self._interrupted_seconds = now
        if twice:
            self.leave()
        elif self._run:
            self.conversation.cancel()
        else:
            self.tell(_("Ctrl-C again leaves."))

    def _cycle(self) -> None:
        following = (LEVELS.index(self.conversation.autonomy) + 1) % len(LEVELS)
        self.conversation.set_autonomy(LEVELS[following])
        self.screen.refresh()

    async def _end_run(self) -> None:
        self.conversation.cancel()
        if self._run:
            await asyncio.wait([self._run])

    def _stop(self, number: int) -> None:
        self.exit_code = 128 + number
        if self._main and not self._left:
            self.leave()
            self._main.cancel()


def _joined(waiting: Sequence[Waiting]) -> str:
    return "\n".join(message.text for message in waiting)
