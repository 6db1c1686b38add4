"""search: ripgrep over files and folders, or its own search where there is no ripgrep."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from chatcli.tools import InvalidArguments, ToolContext, ToolFailed, ToolOutput, _, in_thread, ngettext, tool
from chatcli.tools.text import one_line, sniff
from chatcli_plugins.search_fallback import LIMIT_SECONDS, STOPPED, Query, search_without_ripgrep
from chatcli_plugins.search_results import SearchResults, Show
from chatcli_plugins.search_ripgrep import RipgrepReader

_NOTE_CHARS = 1_500
"""Kept free for the last line."""
_MAX_CONTEXT = 20
_SNIFFED_BYTES = 8_192
_MAX_NAMED = 3
"""So many files that are not shown are named."""
_FLAGS = (
    "--no-config",
    "--json",
    "--sort=path",
    "--hidden",
    "--no-follow",
    "--no-require-git",
    "--no-ignore-dot",
    "--no-ignore-global",
    "--no-mmap",
    "--crlf",
)


@tool(
    "search",
    max_result_chars=60_000,
    read_only=True,
    concurrent=True,
    summary=lambda arguments: _("{pattern} in {path}").format(**arguments),
    narrower="a narrower path or glob, show='counts'",
)
async def search(
    ctx: ToolContext,
    pattern: Annotated[str, "regex, matched within one line"],
    path: str = ".",
    glob: Annotated[str, "e.g. *.py or src/**/*.{ts,tsx}"] = "",
    ignore_case: bool = False,
    fixed: Annotated[bool, "pattern is plain text"] = False,
    context: Annotated[int, "lines around each match"] = 0,
    show: Show = "lines",
    max_results: int | None = None,
    offset: Annotated[int, "results to skip, to go on"] = 0,
) -> ToolOutput:
    """Search file contents with ripgrep, leaving out binaries and what git ignores. Totals are exact."""
    if not pattern or "\n" in pattern:
        raise InvalidArguments("search: 'pattern' must be one line and not empty")
    if offset < 0 or (max_results is not None and max_results < 1):
        raise InvalidArguments("search: 'offset' must be 0 or more, 'max_results' 1 or more")
    target = await ctx.files.readable(path)
    if not target.exists():
        raise ToolFailed(f"{ctx.files.shown(target)} does not exist")
    context = min(max(context, 0), _MAX_CONTEXT) if show == "lines" else 0
    query = Query(
        pattern=pattern, target=target, glob=glob, ignore_case=ignore_case, fixed=fixed, context=context
    )
    narrowed = bool(offset or max_results)
    limit_chars = ctx.cap_chars if narrowed else min(ctx.max_chars, ctx.cap_chars)
    results = SearchResults(
        show, context=context, offset=offset, max_results=max_results, room_chars=limit_chars - _NOTE_CHARS
    )
    accept = Acceptance(ctx, results, target)
    if program := ripgrep():
        await _with_ripgrep(ctx, program, query, results, accept)
    else:
        await in_thread(lambda check: search_without_ripgrep(ctx, query, results, accept, check))
    if accept.refused:
        results.remarks.append(_unshown(accept.refused))
    where = ctx.files.shown(target) + (f" ({glob})" if glob else "")
    text = results.text(f"no match for {pattern!r} in {where}")
    brief = ngettext("{n} match", "{n} matches", results.matches).format(n=results.matches)
    return ToolOutput(text=text, brief=brief, self_limited=True)


def ripgrep() -> str | None:
    """The program that came with chatcli, else the one on PATH."""
    beside = Path(sys.executable).with_name("rg")
    if beside.is_file():
        return str(beside)
    import shutil

    return shutil.which("rg")


class Acceptance:
    """Decides for each file with matches whether its lines are shown; keeps the names of the others."""

    def __init__(self, ctx: ToolContext, results: SearchResults, target: Path) -> None:
        self.refused: list[str] = []
        self._ctx = ctx
        self._results = results
        self._target = target
        self._folder = target if target.is_dir() else target.parent

    def __call__(self, name: str) -> bool:
        path = self._folder / name
        if path != self._target and not self._ctx.files.may_show(path):
            self.refused.append(one_line(name))
            return False
        try:
            with self._ctx.files.open(path) as file:
                is_text = sniff(file.read(_SNIFFED_BYTES)) is not None
        except OSError:
            self.refused.append(one_line(name))
            return False
        if not is_text:
            self._results.binaries.append(one_line(name))
        return is_text


def _unshown(names: Sequence[str]) -> str:
    named = ", ".join(names[:_MAX_NAMED]) + ", ..." * (len(names) > _MAX_NAMED)
    match = "1 more file matches but is" if len(names) == 1 else f"{len(names)} more files match but are"
    return f"{match} not shown without asking: {named}"


async def _with_ripgrep(
    ctx: ToolContext, program: str, query: Query, results: SearchResults, accept: Acceptance
) -> None:
    is_folder = query.target.is_dir()
    # A file that was named is searched as text, so that its lines have the numbers that read gives them.
    argv = [program, *_FLAGS, "--binary" if is_folder else "--text"]
    argv += ["--ignore-case"] if query.ignore_case else []
    argv += ["--fixed-strings"] if query.fixed else []
    argv += [f"--context={query.context}"] if query.context else []
    argv += [f"--glob={query.glob}"] if query.glob else []
    argv += ["--glob=!.git", "-e", query.pattern, "--", "." if is_folder else f"./{query.target.name}"]
    folder = query.target if is_folder else query.target.parent
    reader = RipgrepReader(results, accept)
    ended = await ctx.processes.helper(argv, reader, cwd=folder, timeout_seconds=LIMIT_SECONDS)
    if ended.timed_out:
        results.remarks.append(STOPPED)
    errors = ended.errors.decode("utf-8", "replace")
    if ended.exit_code == 2 and "error:" in errors:
        raise InvalidArguments(f"search: {' '.join(errors.removeprefix('rg: ').split())}")
    if failures := re.findall(r"^rg: (.*)", errors, re.MULTILINE):
        results.remarks.append(f"{len(failures)} could not be searched: {failures[0]}")
