"""All slash commands, in the order in which the help shows them."""

from __future__ import annotations

from chatcli.terminal.slash import (
    compact,
    config,
    context,
    cost,
    help,
    memory,
    model,
    modes,
    permissions,
    results,
    session,
    todo,
)
from chatcli.terminal.slash.command import Commands

COMMANDS = Commands(
    [
        *help.COMMANDS,
        *modes.COMMANDS,
        *model.COMMANDS,
        *cost.COMMANDS,
        *context.COMMANDS,
        *compact.COMMANDS,
        *config.COMMANDS,
        *results.COMMANDS,
        *permissions.COMMANDS,
        *todo.COMMANDS,
        *memory.COMMANDS,
        *session.COMMANDS,
    ]
)
