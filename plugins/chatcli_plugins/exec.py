"""exec: a command line."""

from __future__ import annotations

import signal
from typing import Annotated

from chatcli.tools import (
    CommandResult,
    InvalidArguments,
    StreamedOutput,
    ToolContext,
    ToolFailed,
    ToolOutput,
    _,
    tool,
)

_MAX_SECONDS = 86_400


@tool(
    "exec",
    summary=lambda arguments: str(arguments["command"]),
    narrower="a command that prints less: a filter, a quiet flag",
)
async def run(
    ctx: ToolContext,
    command: str,
    cwd: str | None = None,
    timeout: Annotated[int | None, "seconds"] = None,
) -> ToolOutput:
    """Run a command line in a fresh bash, without input. Returns stdout and stderr as they came."""
    if not command.strip():
        raise InvalidArguments("exec: 'command' is empty")
    folder = await ctx.files.readable(cwd) if cwd else ctx.files.root
    if not folder.is_dir():
        raise ToolFailed(f"{cwd} is no folder")
    limit_seconds = None if timeout is None else min(max(timeout, 1), _MAX_SECONDS)
    with StreamedOutput(ctx) as output:
        result = await ctx.processes.shell(command, output, cwd=folder, timeout_seconds=limit_seconds)
    how = _how_it_ended(result)
    still = "; something it started still runs, its further output is lost" if result.left_running else ""
    return ToolOutput(
        archived=output.finish(f"[{how} in {result.duration_seconds:.1f} s{still}]"),
        is_error=result.exit_code != 0,
        read_only=result.read_only and result.exit_code == 0,
        brief=_brief(result),
    )


def _how_it_ended(result: CommandResult) -> str:
    if result.timed_out:
        return "stopped by the time limit"
    if result.signal is not None:
        return f"killed by signal {result.signal} ({signal.strsignal(result.signal)})"
    return f"exit {result.exit_code}"


def _brief(result: CommandResult) -> str:
    if result.timed_out:
        return _("time limit")
    if result.signal is not None:
        return _("killed")
    return _("exit {code}").format(code=result.exit_code)
