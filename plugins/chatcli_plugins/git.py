"""git: what a repository says, without running anything that the repository brings along.

Hooks, fsmonitor, pagers, external diffs, textconv, filters, signatures, lazy fetches and transports
are all commands that a repository's own configuration can set; here none of them runs.
"""

from __future__ import annotations

import re
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
_PATCHES = frozenset({"diff", "show"})
_FORMS = frozenset({"--stat", "--patch"})
_RANGE = re.compile(r"\.{2,3}(?!/)")
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
    if action in _PATCHES:
        await _check_objects(ctx, ref, folder, top)
    if action == "blame" and target is None:
        raise InvalidArguments("git: 'path' is missing; blame needs a file")
    lines = [f"-L{start or 1},{end or ''}"] if start or end else []
    command = _command(action, ref, staged=staged, limit=limit, lines=lines)
    filters = await _disarmed_filters(ctx, folder)
    left_out: list[str] = []
    if action in _PATCHES and (target is None or target.is_dir()):
        left_out = await _unshown(ctx, folder, top, command, paths, filters)
    if left_out:
        excluded = [f":(top,exclude,literal){name}" for name in left_out]
        paths = [*(f":(literal){path}" for path in paths or [str(top)]), *excluded]
    with StreamedOutput(ctx) as output:
        ended = await _run(ctx, folder, [*command, "--", *paths], filters, output, magic=bool(left_out))
        if ended.exit_code != 0:
            raise ToolFailed(_complaint(ended))
    note = f"[not shown, by name they may hold passwords or keys: {', '.join(left_out)}]" if left_out else ""
    if output.is_empty and not note:
        return ToolOutput(text=_NOTHING.get(action, "Nothing."), brief=_("nothing"))
    return ToolOutput(archived=output.finish(note), brief="")


def _command(action: Action, ref: str, *, staged: bool, limit: int, lines: list[str]) -> list[str]:
    """Its words up to the paths."""
    given = [ref] if ref else []
    match action:
        case "status":
            return ["status", "--short", "--branch", "--ignore-submodules=dirty"]
        case "diff":
            return ["diff", *_DIFF, *(["--cached"] if staged else []), *given]
        case "log":
            count = min(max(limit, 1), _MAX_COMMITS)
            return ["log", *_DIFF, "--date=short", "--format=%h %ad %an: %s%d", f"-n{count}", *given]
        case "show":
            return ["show", *_DIFF, "--date=short", "--stat", "--patch", ref or "HEAD"]
        case "blame":
            return ["blame", "--no-textconv", "--date=short", *lines, *given]


def _folder(target: Path) -> Path:
    """Where git starts to look for the repository: the nearest folder that exists."""
    return next(folder for folder in (target, *target.parents) if folder.is_dir())


async def _check_objects(ctx: ToolContext, ref: str, folder: Path, top: Path) -> None:
    """A file of a commit is read like the file itself; by its hash alone nobody knows which one it is."""
    for part in filter(None, (part.lstrip("^") for part in _RANGE.split(ref))):
        revision, colon, name = part.partition(":")
        if colon and not (not revision and name.startswith("/")):
            name = re.sub(r"^[0-3]:", "", name) if not revision else name
            await ctx.files.readable(str((folder if name.startswith(("./", "../")) else top) / name))
        elif not colon:
            kind = await _run(ctx, folder, ["cat-file", "-t", f"{part}^{{}}"])
            if kind.output.strip() == b"blob":
                raise InvalidArguments("git: name a file of a commit as REV:FILE in 'ref'")


async def _unshown(
    ctx: ToolContext, folder: Path, top: Path, command: list[str], paths: list[str], filters: list[str]
) -> list[str]:
    """Files among those that the command would show which are not shown; both names of a renamed one."""
    words = [word for word in command[1:] if word not in _FORMS]
    words += ["--name-status", "-z", "--find-renames"] + ["--format="] * (command[0] == "show")
    listed = await _run(ctx, folder, [command[0], *words, "--", *paths], filters)
    fields = iter(listed.output.decode("utf-8", "surrogateescape").split("\0"))
    left_out: dict[str, None] = {}
    for field in fields:
        renamed = re.fullmatch(r"[RC]\d+", field)
        files = [next(fields, ""), next(fields, "")] if renamed else [field]
        if not all(ctx.files.may_show(top / name) for name in filter(None, files)):
            left_out.update(dict.fromkeys(files))
    return list(left_out)


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
    *,
    magic: bool = False,
) -> HelperResult:
    """`magic`: pathspecs say themselves what they are."""
    options = [option for setting in (*_SETTINGS, *(settings or [])) for option in ("-c", setting)]
    literal = [] if magic else ["--literal-pathspecs"]
    argv = ["git", "--no-pager", *literal, *options, *command]
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
