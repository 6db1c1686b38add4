"""Starts the REPL: asks what must be asked first, opens the conversation, chooses the screen."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import structs

from chatcli.agent.conversation import Conversation
from chatcli.agent.start import Start, home_folder, open_conversation
from chatcli.i18n import _
from chatcli.session.journal import SessionLocked
from chatcli.terminal.look import Look, choose_look
from chatcli.terminal.loop import Repl
from chatcli.terminal.opening import ask_for_trust, confirm, offer_setup, tell_problems
from chatcli.terminal.person import TerminalPerson
from chatcli.terminal.screen.plain import PlainScreen
from chatcli.terminal.screen.screen import Screen
from chatcli.terminal.welcome import welcome


def run_repl(start: Start, *, environment: Mapping[str, str]) -> int:
    """Until the user leaves; the exit code. Raises a `UserFacingError` when it cannot begin."""
    look = choose_look(environment, terminal=sys.stdout.isatty() and sys.stdin.isatty())
    home = home_folder(environment)
    ask_for_trust(start, home)
    person = TerminalPerson()
    conversation = _open(start, home, environment, person)
    if offer_setup(conversation, environment):
        asyncio.run(conversation.aclose())
        conversation = _open(start, home, environment, person)
    repl = Repl(conversation, person, home=home, environment=environment)
    return asyncio.run(_run(repl, look, environment))


def _open(start: Start, home: Path, environment: Mapping[str, str], person: TerminalPerson) -> Conversation:
    try:
        return open_conversation(start, home=home, environment=environment, person=person)
    except SessionLocked as error:
        if not confirm(f"{error.message} {_('Go on in a copy of it?')}"):
            raise
    return open_conversation(
        structs.replace(start, fork=True), home=home, environment=environment, person=person
    )


async def _run(repl: Repl, look: Look, environment: Mapping[str, str]) -> int:
    conversation = repl.conversation
    screen = _live_screen(repl, look, environment) if look.live else _plain_screen(look)
    repl.attach(screen)
    provider, folder = conversation.provider, conversation.session.folder
    why = conversation.chosen_because
    screen.print(welcome(provider.name, provider.model, why, folder, screen.columns, look))
    tell_problems(repl)
    return await repl.run()


def _plain_screen(look: Look) -> Screen:
    prompts = sys.stdout if sys.stdout.isatty() else sys.stderr
    return PlainScreen(look=look, stdin=sys.stdin, output=sys.stdout, prompts=prompts)


def _live_screen(repl: Repl, look: Look, environment: Mapping[str, str]) -> Screen:
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.input.vt100 import Vt100Input

    from chatcli.terminal.completion import PromptCompleter
    from chatcli.terminal.fileindex import FileIndex
    from chatcli.terminal.history import HistoryFile
    from chatcli.terminal.screen.draft import Draft
    from chatcli.terminal.screen.live import LiveScreen
    from chatcli.terminal.screen.output import TerminalOutput
    from chatcli.terminal.screen.reflow import reflows
    from chatcli.terminal.statusline import StatusSource

    conversation = repl.conversation
    user_home = environment.get("HOME")
    status = StatusSource(conversation, Path(user_home) if user_home else None)
    index = FileIndex(conversation.session.folder)
    remember = conversation.settings.history
    history = HistoryFile(repl.home / "history") if remember else InMemoryHistory()
    return LiveScreen(
        look=look,
        output=TerminalOutput(sys.stdout, term=environment.get("TERM", ""), color=look.color),
        input=Vt100Input(sys.stdin),
        draft=Draft(history, PromptCompleter(repl.commands, lambda command: command.words(repl), index)),
        status=status.line,
        reflows=reflows(environment),
    )
