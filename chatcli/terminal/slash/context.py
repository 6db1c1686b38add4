"""/context: what fills the window, part by part and result by result; drop and pin results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from chatcli.agent.window import drop, look_into, pin
from chatcli.gate.screen import one_line
from chatcli.i18n import _, ngettext
from chatcli.messages import ToolResult
from chatcli.terminal.contextview import window_rows
from chatcli.terminal.figures import money, number
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.agent.run import Run
    from chatcli.terminal.loop import Repl

_LISTED = 12
_ACTIONS = ("all", "drop", "pin", "unpin")
_FEWEST_DIGITS = 4


async def _context(repl: Repl, text: str) -> None:
    action, *keys = text.split() or [""]
    if action in ("", "all") and not keys:
        _show(repl, everything=action == "all")
    elif action in ("drop", "pin", "unpin") and keys:
        _change(repl, action, keys)
    else:
        repl.tell(_("/context, /context all, /context drop KEY, pin KEY or unpin KEY"), "warning")


def _show(repl: Repl, *, everything: bool) -> None:
    window = look_into(repl.conversation.beside())
    results = window.contents.results
    shown = results if everything else sorted(results, key=lambda part: -part.tokens)[:_LISTED]
    repl.screen.print(["", *window_rows(window, shown, repl.screen.look, repl.screen.columns)])
    if len(shown) < len(results):
        text = _("The {n} largest of {all} results: /context all shows them in order.")
        repl.tell(text.format(n=len(shown), all=len(results)))


def _change(repl: Repl, action: str, given: Sequence[str]) -> None:
    run = repl.conversation.beside()
    results = [part.result for part in look_into(run).contents.results]
    seqs: set[int] = set()
    for word in given:
        found = _named(word, results)
        if not found:
            text = _("{key} is the key of no result in the window, or of several.")
            repl.tell(text.format(key=one_line(word, 40)), "warning")
            return
        seqs |= found
    if action == "drop":
        _drop(repl, run, seqs)
    else:
        _pin(repl, run, seqs, pinned=action == "pin")


def _drop(repl: Repl, run: Run, seqs: Collection[int]) -> None:
    if repl.screen.busy:
        repl.tell(_("Dropping has to wait: Ctrl-C cancels what runs."), "warning")
        return
    dropped = drop(run, seqs)
    if dropped is None:
        repl.tell(_("Nothing is dropped: one line is shown already, or it would be longer."))
        return
    saved, price = dropped.rewrite.saved_tokens, dropped.rewrite.price_tokens
    text = ngettext(
        "{n} result is one line from now on: {saved} tokens less in each request (estimated).",
        "{n} results are one line from now on: {saved} tokens less in each request (estimated).",
        dropped.results,
    ).format(n=dropped.results, saved=number(saved))
    if price:
        text += " " + _("What was cached behind it is written again once: {usd}.").format(
            usd=money(dropped.rewrite.price_usd)
        )
    repl.tell(text + " " + _("The model can still recall it."))


def _pin(repl: Repl, run: Run, seqs: Collection[int], *, pinned: bool) -> None:
    changed = pin(run, seqs, pinned=pinned)
    if not changed:
        repl.tell(_("Nothing changes by that."))
    elif pinned:
        text = ngettext(
            "{n} result stays as it is shown now, until you unpin it.",
            "{n} results stay as they are shown now, until you unpin them.",
            changed,
        )
        repl.tell(text.format(n=changed))
    else:
        text = ngettext("{n} result may be shortened again.", "{n} results may be shortened again.", changed)
        repl.tell(text.format(n=changed))


def _named(word: str, results: Sequence[ToolResult]) -> set[int]:
    """The results whose key is, or alone begins with, what was typed, in any spelling."""
    digits = word.lower().strip("<>").removeprefix("ccr:")
    if len(digits) < _FEWEST_DIGITS:
        return set()
    keys = {result.original.key for result in results if result.original.key.startswith(digits)}
    return {result.seq for result in results if keys == {result.original.key}}


def _words(repl: Repl) -> Iterator[str]:
    """The actions; behind `drop`, `pin` and `unpin` the keys that they would change something for."""
    yield from _ACTIONS
    session = repl.conversation.session
    keys: dict[str, dict[str, None]] = {"drop": {}, "pin": {}, "unpin": {}}
    for message in reversed(session.transcript):
        if not isinstance(message, ToolResult) or not message.original.key or not session.in_view(message):
            continue
        shown = session.shown.get(message.seq)
        if shown is None or shown.kind not in ("summary", "deleted"):
            keys["drop"][message.original.key] = None
            keys["unpin" if shown and shown.pinned else "pin"][message.original.key] = None
    yield from (f"{action} {key}" for action, known in keys.items() for key in known)


COMMANDS = (
    Command(
        name="context",
        arguments="[all | drop KEY... | pin KEY... | unpin KEY...]",
        help=lambda: _("what fills the window; drop or pin results"),
        run=_context,
        words=_words,
        while_busy=True,
    ),
)
