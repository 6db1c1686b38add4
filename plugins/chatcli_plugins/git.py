"""git: what a repository says, without running anything that the repository brings along.

Hooks, fsmonitor, pagers, external diffs, textconv, filters, signatures, lazy fetches and transports
are all commands that a repository's own configuration can set; here none of them runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from chatcli.tools import (
    HelperResult,
    InvalidArguments,
    StreamedOutput,
    ToolContext,
    ToolFailed,
    ToolOutput,
    _,
    tool,
)

Action = Literal["status", "diff", "log", "show", "blame"]

_LIMIT_SECONDS = 60.0
_MAX_COMMITS = 1_000
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "LC_ALL": "C.UTF-8",
}
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.quotePath=false",
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    "log.showSignature=false",
    "blame.ignoreRevsFile=",
    "submodule.recurse=false",
    "color.ui=false",
    "diff.noprefix=false",
    "diff.autoRefreshIndex=false",
    "diff.mnemonicPrefix=false",
)
_DIFF = ("--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty")
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
_NOTHING = {"diff": "No differences.", "log": "No commits."}


@tool(
    "git",
    read_only=True,
    concurrent=True,
    summary=lambda arguments: " ".join(
        filter(None, (arguments["action"], arguments["ref"], arguments["path"]))
    ),
    narrower="path, ref, or a smaller limit",
)
async def git(
    ctx: ToolContext,
    action: Action,
    ref: Annotated[str, "commit, branch, range; for show also REV:FILE"] = "",
    path: Annotated[str, "file or folder to look at alone"] = "",
    staged: Annotated[bool, "diff of the index"] = False,
    limit: Annotated[int, "commits of log (20)"] = 20,
    start: Annotated[int | None, "first line for blame"] = None,
    end: Annotated[int | None, "last line for blame"] = None,
) -> ToolOutput:
    """Read a git repository. For anything that changes it use exec."""
    if ref.startswith("-") or not ref.isprintable():
        raise InvalidArguments("git: 'ref' must name a commit, a branch or a range")
    target = await ctx.files.readable(path) if path else None
    folder = _folder(target or ctx.files.root)
    top = Path(await _answer(ctx, folder, ["rev-parse", "--show-toplevel"]))
    if not folder.is_relative_to(top):
        raise ToolFailed(f"the work tree of this repository lies elsewhere: {top}")
    paths = [str(target)] if target else []
    if not target and not top.is_relative_to(ctx.files.root):
        paths = [str(ctx.files.root)]  # the rest of a larger repository is not part of the project
    match action:
        case "status":
            command = ["status", "--short", "--branch", "--ignore-submodules=dirty"]
        case "diff":
            command = ["diff", *_DIFF, *(["--cached"] if staged else []), *filter(None, [ref])]
        case "log":
            count = min(max(limit, 1), _MAX_COMMITS)
            command = ["log", *_DIFF, "--date=short", "--format=%h %ad %an: %s%d", f"-n{count}"]
            command += filter(None, [ref])
        case "show":
            command = ["show", *_DIFF, "--date=short", "--stat", "--patch", ref or "HEAD"]
        case "blame":
            if target is None:
                raise InvalidArguments("git: 'path' is missing; blame needs a file")
            lines = [f"-L{start or 1},{end or ''}"] if start or end else []
            command = ["blame", "--no-textconv", "--date=short", *lines, *filter(None, [ref])]
    filters = await _disarmed_filters(ctx, folder)
    with StreamedOutput(ctx) as output:
        ended = await _run(ctx, folder, [*command, "--", *paths], filters, output)
        if ended.exit_code != 0:
            raise ToolFailed(_complaint(ended))
    if output.is_empty:
        return ToolOutput(text=_NOTHING.get(action, "Nothing."), brief=_("nothing"))
    return ToolOutput(archived=output.finish(), brief="")


def _folder(target: Path) -> Path:
    """Where git starts to look for the repository: the nearest folder that exists."""
    return next(folder for folder in (target, *target.parents) if folder.is_dir())


async def _disarmed_filters(ctx: ToolContext, folder: Path) -> list[str]:
    """Settings that take every command out of the filters that the repository itself defines."""
    listed = await _run(
        ctx, folder, ["config", "--show-scope", "--name-only", "-z", "--get-regexp", _FILTERS]
    )
    fields = listed.output.decode("utf-8", "surrogateescape").split("\0")
    settings = []
    for scope, name in zip(fields[::2], fields[1::2], strict=False):
        if scope in ("global", "system"):
            continue
        if "=" in name:
            raise ToolFailed(f"this repository defines a filter with an odd name: {name}")
        settings.append(f"{name}={'false' if name.endswith('.required') else ''}")
    return settings


async def _answer(ctx: ToolContext, folder: Path, command: list[str]) -> str:
    ended = await _run(ctx, folder, command)
    if ended.exit_code != 0:
        raise ToolFailed(_complaint(ended))
    return ended.output.decode("utf-8", "surrogateescape").removesuffix("\n")


async def _run(
    ctx: ToolContext,
    folder: Path,
    command: list[str],
    settings: list[str] | None = None,
    output: StreamedOutput | None = None,
) -> HelperResult:
    options = [option for setting in (*_SETTINGS, *(settings or [])) for option in ("-c", setting)]
    argv = ["git", "--no-pager", "--literal-pathspecs", *options, *command]
    try:
        return await ctx.processes.helper(
            argv, output, cwd=folder, env=_ENVIRONMENT, timeout_seconds=_LIMIT_SECONDS
        )
    except FileNotFoundError:
        raise ToolFailed("git is not installed") from None


def _complaint(ended: HelperResult) -> str:
    if ended.timed_out:
        return f"git took longer than {_LIMIT_SECONDS:g} s"
    errors = ended.errors.decode("utf-8", "replace").strip()
    return errors.splitlines()[0].removeprefix("fatal: ") if errors else "git failed"
