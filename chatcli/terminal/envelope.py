"""The line under each answer: tokens, cached share and time; money at the right edge."""

from __future__ import annotations

from chatcli.events import RunEnd, RunFinished
from chatcli.i18n import _, ngettext
from chatcli.terminal.cells import clip, width_cells
from chatcli.terminal.figures import money, percent, short_count, short_seconds
from chatcli.terminal.look import Look

_GAP_CELLS = 2


def envelope(finished: RunFinished, columns: int, look: Look) -> str:
    """One line; what does not fit beside the money is dropped, from the right."""
    usage = finished.usage
    parts = [f"{short_count(usage.context)}↑ {short_count(usage.output)}↓"]
    if usage.context and usage.cache_read:
        parts.append(_("{n} % cached").format(n=percent(usage.cache_read, usage.context)))
    if finished.tool_calls:
        calls = ngettext("{n} call", "{n} calls", finished.tool_calls)
        parts.append(calls.format(n=finished.tool_calls))
    parts.append(short_seconds(finished.duration_seconds))
    right = money(finished.cost_usd) if usage.context or usage.output else ""
    room = columns - width_cells(right) - _GAP_CELLS * bool(right)
    while len(parts) > 1 and width_cells(" · ".join(parts)) > room:
        parts.pop()
    left = clip(" · ".join(parts), columns)
    gap = columns - width_cells(left) - width_cells(right)
    return look.paint(left + " " * gap + right if right and gap >= _GAP_CELLS else left, "dim")


def end_text(end: RunEnd) -> str:
    """Why a run ended, when it was not simply answered."""
    match end:
        case "max_turns":
            return _("Stopped: the limit of turns is reached. Say `go on` to continue.")
        case "max_cost":
            return _("Stopped: the limit of money is reached.")
        case "stagnation":
            return _("Stopped: it only repeated itself.")
        case "denied":
            return _("Stopped: something it needed was denied.")
        case "cancelled":
            return _("Cancelled.")
        case "output_limit":
            return _("The reply was cut off at its longest length.")
        case "refused":
            return _("The model refused to answer.")
        case _:
            return ""
