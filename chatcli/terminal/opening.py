"""What is asked and told before the first prompt, on the terminal as it is."""

from __future__ import annotations

import os
import shutil
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from chatcli.agent.opening import opening_notices
from chatcli.agent.start import Start
from chatcli.errors import StorageError, UserFacingError
from chatcli.extensions.rules import project_rules_files
from chatcli.gate.screen import one_line
from chatcli.gate.trust import Trust
from chatcli.i18n import _
from chatcli.session.files import read_private, write_private
from chatcli.session.layout import record_folder
from chatcli.terminal.approval import is_yes, yes_or_no
from chatcli.terminal.cells import fill

if TYPE_CHECKING:
    from chatcli.agent.conversation import Conversation
    from chatcli.terminal.loop import Repl

_SHOWN_FILES = 10
_OFFERED = "setup-offered"


def ask_for_trust(start: Start, home: Path) -> None:
    """Ask once when the folder brings settings or rules that are not trusted as they are; default: no."""
    folder = Path(start.folder or ".").expanduser()
    if start.trust or not folder.is_dir():
        return
    trust = Trust(home)
    try:
        settings = trust.config_files(folder)
        files = list(dict.fromkeys([*settings, *project_rules_files(folder)]))
        if not files or trust.is_trusted(folder):
            return
        digest = trust.digest(folder)
        if not settings and _refused_before(home, folder, files):
            return
    except StorageError as error:
        _print(error.message)
        return
    if settings:
        _print(_("This folder brings settings of its own. They have no effect unless you trust it:"))
    else:
        _print(_("This folder brings rules for agents. They have no effect unless you trust it:"))
    for path in files[:_SHOWN_FILES]:
        _write(f"  {one_line(os.path.relpath(path, folder.resolve()))}\n")
    if len(files) > _SHOWN_FILES:
        _write("  " + _("… {n} more").format(n=len(files) - _SHOWN_FILES) + "\n")
    if confirm(_("Trust this folder?")):
        trust.trust(folder, digest)
    elif not settings:
        write_private(_refusal(home, folder), _named(files))


def _refused_before(home: Path, folder: Path, files: Sequence[Path]) -> bool:
    """A no to rules holds until the folder brings others: they are found in many folders."""
    return read_private(_refusal(home, folder)) == _named(files)


def _refusal(home: Path, folder: Path) -> Path:
    return record_folder(home, folder) / "rules-refused"


def _named(files: Sequence[Path]) -> bytes:
    return "\0".join(map(str, files)).encode(errors="surrogateescape")


def offer_setup(conversation: Conversation, environment: Mapping[str, str]) -> bool:
    """Offered once, when nothing is configured; whether a provider was set up now."""
    offered = conversation.sessions.home / _OFFERED
    if conversation.provider.name != "OFFLINE" or conversation.settings.provider or offered.exists():
        return False
    offered.touch(mode=0o600)
    _print(_("No model is configured: {why}.").format(why=conversation.chosen_because))
    if not confirm(_("Set one up now? `chatcli setup` does it any time.")):
        return False
    from chatcli.terminal.commands_cli.place import here
    from chatcli.terminal.commands_cli.setup import run_setup

    try:
        return run_setup(here(environment, str(conversation.session.folder))) == 0
    except (UserFacingError, EOFError, KeyboardInterrupt) as error:
        _print(str(error) or _("Not set up."))
        return False


def confirm(question: str) -> bool:
    """A line is read with whatever was typed before thrown away; only a clear yes is one."""
    with suppress(termios.error):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    _write(_filled_rows(yes_or_no(question)) + " ")
    return is_yes(sys.stdin.readline())


def tell_problems(repl: Repl) -> None:
    """What a person should know before the first word, each once, in one line."""
    conversation = repl.conversation
    for notice in opening_notices(conversation):
        repl.tell(notice.text, notice.level)
    session = conversation.session
    if session.transcript:
        repl.view.past(session.transcript)


def _print(text: str) -> None:
    _write(_filled_rows(text) + "\n")


def _filled_rows(text: str) -> str:
    """Broken between words: this early the terminal would break anywhere."""
    return "\n".join(fill(text, shutil.get_terminal_size().columns - 1))


def _write(text: str) -> None:
    """To whatever a person sees: standard output may go into a pipe."""
    stream = sys.stdout if sys.stdout.isatty() else sys.stderr
    stream.write(text)
    stream.flush()
