"""/cost: tokens in the normal form and money, in all and by model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatcli.agent.costs import Spent
from chatcli.gate.screen import one_line
from chatcli.i18n import _, ngettext
from chatcli.terminal.cells import clip
from chatcli.terminal.figures import money, percent, short_seconds
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl


async def _cost(repl: Repl, _text: str) -> None:
    conversation, screen = repl.conversation, repl.screen
    summary = conversation.cost()
    if not summary.total.requests:
        repl.tell(_("Nothing was sent yet."))
        return
    lines = [""]
    for cost in summary.by_model:
        lines.append(
            screen.look.paint(clip(one_line(f"{cost.provider}/{cost.model}"), screen.columns), "bold")
        )
        lines += spent_lines(cost.spent)
    if len(summary.by_model) > 1:
        lines.append(screen.look.paint(_("Total"), "bold"))
        lines += spent_lines(summary.total)
    if window := conversation.window_tokens:
        share = percent(conversation.context_tokens, window)
        lines.append(
            _("Context: {used:,} of {window:,} tokens, {share} %").format(
                used=conversation.context_tokens, window=window, share=share
            )
        )
    screen.print([clip(line, screen.columns) if "\x1b" not in line else line for line in lines])


def spent_lines(spent: Spent) -> list[str]:
    """One line a class of tokens; classes do not overlap, so they add up."""
    usage = spent.usage
    rows = [
        (_("input"), f"{usage.input:,}"),
        (_("cache read"), f"{usage.cache_read:,}"),
        (_("cache write"), f"{usage.cache_write:,}"),
        (_("output"), f"{usage.output:,}"),
        (_("of it reasoning"), f"{usage.reasoning:,}"),
        (_("cost"), money(spent.usd)),
    ]
    names, values = max(len(name) for name, _v in rows), max(len(value) for _n, value in rows)
    lines = [f"  {name:<{names}}  {value:>{values}}" for name, value in rows]
    requests = ngettext("{n} request", "{n} requests", spent.requests).format(n=spent.requests)
    estimated = " · " + _("partly estimated") if usage.estimated else ""
    return [*lines, f"  {requests} · {short_seconds(spent.seconds)}{estimated}"]


COMMANDS = (Command(name="cost", help=lambda: _("tokens and money so far"), run=_cost, while_busy=True),)
