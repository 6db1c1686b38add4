"""code: a Python script in a sandbox, over the archived results."""

from __future__ import annotations

from typing import Annotated

from chatcli.tools import InvalidArguments, ScriptResult, StreamedOutput, ToolContext, ToolOutput, tool

_DEFAULT_SECONDS = 30
_MAX_SECONDS = 600
_ERROR_CHARS = 2_000


@tool("code", summary=lambda arguments: _summary(arguments["script"]), narrower="print less")
async def code(
    ctx: ToolContext,
    script: Annotated[str, "standard library only"],
    timeout: Annotated[int, "seconds"] = _DEFAULT_SECONDS,
) -> ToolOutput:
    """Run a Python script over earlier results; only what it prints comes back.

    result(KEY): text; lines(KEY): iterator; records(KEY): list from JSON. Sandbox: no writing, no network.
    """
    if not script.strip():
        raise InvalidArguments("code: 'script' is empty")
    limit_seconds = min(max(timeout, 1), _MAX_SECONDS)
    with StreamedOutput(ctx) as output:
        ended = await ctx.processes.script(script, output, timeout_seconds=limit_seconds)
    failed = ended.exit_code != 0
    note = _failure(ended, limit_seconds) if failed else "[it printed nothing]" if output.is_empty else ""
    return ToolOutput(
        archived=output.finish(note),
        is_error=failed,
        read_only=ended.sealed and not failed,
        brief="failed" if failed else "",
    )


def _failure(ended: ScriptResult, limit_seconds: int) -> str:
    """The end of what it said on standard error, and how it ended."""
    how = f"exit {ended.exit_code}"
    if ended.timed_out:
        how = f"stopped after {limit_seconds} s"
    elif ended.exit_code is None:
        how = "killed by the system"
    errors = ended.errors.decode("utf-8", "replace").strip()[-_ERROR_CHARS:]
    return f"{errors}\n[{how}]".lstrip()


def _summary(script: str) -> str:
    lines = script.strip().splitlines()
    return lines[0] + (f" ... ({len(lines)} lines)" if len(lines) > 1 else "")
