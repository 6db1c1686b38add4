"""/cost: what the session has cost, turn by turn, and why something of the cache was lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from chatcli.gate.screen import safe_text
from chatcli.i18n import _, filled
from chatcli.providers import prices
from chatcli.session.files import storage_errors, write_durably
from chatcli.terminal.cells import wrap
from chatcli.terminal.figures import percent
from chatcli.terminal.slash.command import Command
from chatcli.terminal.slash.target import ask_target, shown_path

if TYPE_CHECKING:
    from chatcli.agent.cost.report import CostReport
    from chatcli.terminal.loop import Repl

_ACTIONS = ("why", "turns", "--html", "--json")


async def _cost(repl: Repl, text: str) -> None:
    action, _space, rest = text.partition(" ")
    session = repl.conversation.session
    if action not in ("", *_ACTIONS):
        repl.tell(_("/cost, /cost why, /cost turns, /cost --html [FILE] or /cost --json [FILE]"), "warning")
        return
    if not session.usage:
        repl.tell(_("Nothing was sent yet."))
        return
    for provider in {record.provider for record in session.usage}:
        await prices.load(provider)
    from chatcli.agent.cost.report import cost_report

    await _tell(repl, action, rest.strip(), await asyncio.to_thread(cost_report, session))


async def _tell(repl: Repl, action: str, file: str, report: CostReport) -> None:
    """What draws is imported here: a start needs none of it."""
    from chatcli.terminal.cost.as_json import cost_json
    from chatcli.terminal.cost.lines import cost_lines, turn_lines
    from chatcli.terminal.cost.page import cost_page
    from chatcli.terminal.cost.whylines import why_lines

    columns, look = repl.screen.columns, repl.screen.look
    name = f"chatcli-cost-{repl.conversation.session.id}"
    match action:
        case "why":
            lines = why_lines(report, columns, look)
        case "turns":
            lines = turn_lines(report, columns, look)
        case "--html":
            await _write(repl, file, f"{name}.html", cost_page(report))
            return
        case "--json" if file:
            await _write(repl, file, f"{name}.json", cost_json(report))
            return
        case "--json":
            lines = wrap(safe_text(cost_json(report)), columns)
        case _:
            lines = cost_lines(report, columns, look, *_window(repl))
    repl.screen.print(lines)


def _window(repl: Repl) -> list[str]:
    conversation = repl.conversation
    if not (window := conversation.window_tokens):
        return []
    share = percent(conversation.context_tokens, window)
    told = _("Context: {used:,} of {window:,} tokens, {share} %")
    return [filled(told, used=conversation.context_tokens, window=window, share=share)]


async def _write(repl: Repl, given: str, name: str, text: str) -> None:
    path = await ask_target(repl, given or name, name)
    if path is None:
        return
    with storage_errors(path):
        write_durably(path, text.encode("utf-8"))
    repl.tell(_("Written to {path}").format(path=shown_path(path)))


COMMANDS = (
    Command(
        name="cost",
        arguments="[why | turns | --html [FILE] | --json [FILE]]",
        help=lambda: _("tokens and money so far, and why a cache was lost"),
        run=_cost,
        words=lambda _repl: _ACTIONS,
        while_busy=True,
    ),
)
