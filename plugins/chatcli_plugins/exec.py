"""exec: a command line."""

from __future__ import annotations

import signal
from typing import Annotated

from chatcli.tools import (
    Archived,
    CommandResult,
    InvalidArguments,
    Sink,
    ToolContext,
    ToolFailed,
    ToolOutput,
    tool,
)

_MAX_SECONDS = 86_400


class Output:
    """Streams into the archive. Nothing is opened for a command that was never run."""

    def __init__(self, ctx: ToolContext) -> None:
        self._ctx = ctx
        self._sink: Sink | None = None
        self._last = b"\n"

    def write(self, data: bytes) -> None:
        self._sink = self._sink or self._ctx.store.sink()
        self._sink.write(data)
        self._last = data[-1:]

    def finish(self, footer: str) -> Archived:
        """Close it with a last line of our own."""
        gap = "" if self._last == b"\n" else "\n"
        self.write(f"{gap}{footer}".encode())
        assert self._sink is not None
        return self._sink.finish()

    def abandon(self) -> None:
        """Close it for a command that did not come to its end."""
        if self._sink is not None:
            self._sink.finish()


@tool("exec", summary=lambda arguments: str(arguments["command"]))
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
    output = Output(ctx)
    try:
        result = await ctx.processes.shell(command, output, cwd=folder, timeout_seconds=limit_seconds)
    except BaseException:
        output.abandon()
        raise
    how = _how_it_ended(result)
    still = "; something it started still runs, its further output is lost" if result.left_running else ""
    return ToolOutput(
        archived=output.finish(f"[{how} in {result.duration_seconds:.1f} s{still}]"),
        is_error=result.exit_code != 0,
        read_only=result.read_only and result.exit_code == 0,
        brief=how,
    )


def _how_it_ended(result: CommandResult) -> str:
    if result.timed_out:
        return "stopped by the time limit"
    if result.signal is not None:
        return f"killed by signal {result.signal} ({signal.strsignal(result.signal)})"
    return f"exit {result.exit_code}"
