"""/config: every setting with its value, where the value came from, and its bounds."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.session.redact import redact
from chatcli.settings import Loaded, Row, number_text, table
from chatcli.terminal.cells import behind, fill, width_cells, wrap
from chatcli.terminal.layernames import layer_name
from chatcli.terminal.look import Look
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl


async def _config(repl: Repl, text: str) -> None:
    screen, loaded = repl.screen, repl.conversation.loaded
    word = text.lower()
    rows = [row for row in table() if word in row.name.lower() or word in row.variable.lower()]
    if not rows:
        near = difflib.get_close_matches(word.upper(), _names(repl), n=1)
        hint = _("Did you mean {name}?").format(name=near[0]) if near else _("/config lists them.")
        repl.tell(_("No setting is called {name}.").format(name=one_line(text)) + f" {hint}", "warning")
        return
    lines = [""]
    for row in rows:
        lines += setting_lines(row, loaded, screen.columns, screen.look, explain=bool(word))
    screen.print(lines)


def setting_lines(row: Row, loaded: Loaded, columns: int, look: Look, *, explain: bool) -> list[str]:
    """`NAME = value` with source and bounds; `explain` adds the help."""
    value = getattr(loaded.settings, row.name)
    origin = loaded.origins.get(row.name)
    head = f"{row.variable} = {_shown(value)}"
    notes = [layer_name(origin.layer) if origin else _("default"), *bounds(row)]
    if origin:
        notes.append(_("default {value}").format(value=_shown(row.default)))
    noted = " · ".join(notes)
    lines = [look.paint(part, "bold") if origin else part for part in wrap(head, columns)]
    if not explain and width_cells(head) + width_cells(noted) + 2 <= columns:
        return [f"{lines[0]}  {look.paint(noted, 'dim')}"]
    lines += [look.paint(part, "dim") for part in behind("  ", fill(noted, columns - 2))]
    if explain:
        lines += behind("  ", fill(_(row.help), columns - 2))
    return lines


def bounds(row: Row) -> list[str]:
    if row.choices:
        return [" | ".join(row.choices)]
    if row.minimum is not None and row.maximum is not None:
        return [f"{number_text(row.minimum)} … {number_text(row.maximum)}"]
    if row.minimum is not None:
        return [f"≥ {number_text(row.minimum)}"]
    return [f"≤ {number_text(row.maximum)}"] if row.maximum is not None else []


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return one_line(redact(str(value))) if value != "" else "–"


def _names(_repl: Repl) -> Iterable[str]:
    return (row.variable for row in table())


COMMANDS = (
    Command(
        name="config",
        arguments="[NAME]",
        help=lambda: _("settings, their sources and bounds"),
        run=_config,
        words=_names,
        while_busy=True,
    ),
)
