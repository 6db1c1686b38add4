"""/results: every archived result, how the model sees it and where it is; open, copy, delete."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from chatcli.agent.calls.results import StoredResult, list_results
from chatcli.gate.screen import one_line, safe_text
from chatcli.i18n import _, ngettext
from chatcli.messages import PresentationKind
from chatcli.session.files import storage_errors
from chatcli.terminal.cells import behind, fill
from chatcli.terminal.figures import short_count
from chatcli.terminal.slash.command import Command
from chatcli.terminal.slash.target import ask_target, shown_path

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl

_LISTED = 30
_OPENED_BYTES = 5_000_000
_ACTIONS = ("all", "open", "copy", "delete")


async def _results(repl: Repl, text: str) -> None:
    action, _space, rest = text.partition(" ")
    found = list_results(repl.conversation.session)
    if action in ("", "all"):
        _list(repl, found, everything=action == "all")
        return
    number, _space, path = rest.strip().partition(" ")
    if action not in _ACTIONS or not number.isdecimal() or not 1 <= int(number) <= len(found):
        repl.tell(_("/results, /results open N, /results copy N FILE or /results delete N"), "warning")
        return
    result = found[int(number) - 1]
    if result.state != "stored":
        repl.tell(_("Result {n} is not there any more.").format(n=number), "warning")
    elif action == "open":
        await _open(repl, result)
    elif action == "copy":
        await _copy(repl, result, path.strip())
    else:
        await _delete(repl, result, found)


def _list(repl: Repl, found: list[StoredResult], *, everything: bool) -> None:
    if not found:
        repl.tell(_("No result yet."))
        return
    first = 0 if everything else max(0, len(found) - _LISTED)
    screen, settings = repl.screen, repl.conversation.settings
    lines = [""]
    for number, result in enumerate(found[first:], first + 1):
        lead = f"{number:>3}. "
        lines += behind(lead, fill(_row(result), screen.columns - len(lead)))
    screen.print(lines)
    if first:
        repl.tell(
            ngettext("{n} older one: /results all", "{n} older ones: /results all", first).format(n=first)
        )
    repl.tell(
        _("Originals stay with the session, until {days} days after its last use: {folder}").format(
            days=settings.archive_days, folder=repl.conversation.session.archive.folder
        )
    )
    if any(result.file for result in found[first:]):
        until = _("kept after you leave") if settings.keep_tmpdir else _("until you leave")
        repl.tell(
            _("Files that the model can read, {until}: {folder}").format(
                until=until, folder=repl.conversation.session.workspace.tool_results
            )
        )


def _row(result: StoredResult) -> str:
    if result.kind == "image":
        size = _("image, {n} bytes").format(n=short_count(result.original.size_bytes))
    else:
        size = _("{n} chars").format(n=short_count(result.original.size_chars))
    turns = ngettext("{n} turn old", "{n} turns old", result.age_turns).format(n=result.age_turns)
    parts = [one_line(result.name), size, turns, _state(result), result.original.key]
    return " · ".join([*parts, result.file.name] if result.file else parts)


def _state(result: StoredResult) -> str:
    match result.state:
        case "deleted":
            return _("deleted")
        case "lost":
            return _("lost")
        case _ if result.summed_up:
            return _("summed up")
        case _ if result.kind != "result":
            return _("attached")
        case _:
            return presentation_text(result.shown)


def presentation_text(kind: PresentationKind | None) -> str:
    """How the model sees a result."""
    match kind:
        case "whole":
            return _("shown whole")
        case "capped" | "preview":
            return _("beginning and end shown")
        case "reduced":
            return _("shown without repetition")
        case "truncated":
            return _("shortened for its age")
        case "summary":
            return _("one line shown")
        case "deleted":
            return _("shown as deleted")
        case None:
            return _("not sent yet")


async def _open(repl: Repl, result: StoredResult) -> None:
    if result.kind == "image":
        repl.tell(_("An image cannot be shown here: /results copy N FILE writes it to a file."))
        return
    with repl.conversation.session.archive.open(result.original) as file:
        text = file.read(_OPENED_BYTES).decode("utf-8", "replace")
    lines = safe_text(text.expandtabs(4)).split("\n")
    if result.original.size_bytes > _OPENED_BYTES:
        lines.append(_("[only the first {n} bytes; /results copy has all]").format(n=_OPENED_BYTES))
    await repl.screen.page(lines)


async def _copy(repl: Repl, result: StoredResult, given: str) -> None:
    if not given:
        repl.tell(_("Where to? /results copy N FILE"), "warning")
        return
    path = await ask_target(repl, given, f"{result.original.key}{result.suffix}")
    if path is None:
        return
    with storage_errors(path), repl.conversation.session.archive.open(result.original) as source:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
    repl.tell(_("Copied to {path}").format(path=shown_path(path)))


async def _delete(repl: Repl, result: StoredResult, found: list[StoredResult]) -> None:
    if repl.screen.busy:
        repl.tell(_("Deleting has to wait: Ctrl-C cancels what runs."), "warning")
        return
    same = sum(other.original.sha256 == result.original.sha256 for other in found)
    question = ngettext(
        "Delete the original of this result for good?",
        "Delete the original of these {n} results, which are the same bytes, for good?",
        same,
    ).format(n=same)
    if await repl.confirm(question):
        repl.conversation.toolbox.delete_result(result.original)
        repl.tell(_("Deleted. From now on the model sees that it was; what it was sent before, it has seen."))
        repl.tell(_("What another result took from it (@recall, @read, a command) is deleted with that one."))


COMMANDS = (
    Command(
        name="results",
        arguments="[all | open N | copy N FILE | delete N]",
        help=lambda: _("what the tools returned, in full"),
        run=_results,
        words=lambda _repl: _ACTIONS,
        while_busy=True,
    ),
)
