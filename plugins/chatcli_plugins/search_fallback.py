"""The search of chatcli's own, for machines without ripgrep: the same answers, more slowly."""

from __future__ import annotations

import io
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from chatcli.tools import ToolContext, ToolFailed
from chatcli.tools.ignore import IgnoreRules
from chatcli.tools.text import TextDecoder, sniff
from chatcli_plugins.search_patterns import compile_glob, compile_pattern
from chatcli_plugins.search_results import SearchResults

LIMIT_SECONDS = 60.0
STOPPED = f"stopped after {LIMIT_SECONDS:g} s: the totals are those of what was searched by then"
_LINE_SECONDS = 1.0
_SNIFFED_BYTES = 8_192


class Query(Struct, frozen=True, kw_only=True):
    """What is looked for, and where: `target` is a file or a folder."""

    pattern: str
    target: Path
    glob: str
    ignore_case: bool
    fixed: bool
    context: int


def search_without_ripgrep(
    ctx: ToolContext,
    query: Query,
    results: SearchResults,
    accept: Callable[[str], bool],
    check: Callable[[], None],
) -> None:
    """Fill `results`. Raises `ToolFailed` for patterns that Python may understand otherwise."""
    pattern = compile_pattern(query.pattern, ignore_case=query.ignore_case, fixed=query.fixed)
    if pattern is None:
        raise ToolFailed("This pattern needs ripgrep (rg), which is not installed. Try a simpler pattern.")
    until = time.monotonic() + LIMIT_SECONDS
    folder = query.target if query.target.is_dir() else query.target.parent
    for path in _files(query):
        check()
        if time.monotonic() > until:
            results.remarks.append(STOPPED)
            return
        name = path.relative_to(folder).as_posix()
        try:
            with ctx.files.open(path) as file:
                _search_file(file, name, pattern, query, results, accept)
        except OSError as error:
            results.remarks.append(f"{name} could not be searched: {error.strerror or error}")
        except TimeoutError:
            raise ToolFailed("This pattern takes too long without ripgrep (rg). Try a simpler one.") from None


def _search_file(
    file: BinaryIO,
    name: str,
    pattern: Any,
    query: Query,
    results: SearchResults,
    accept: Callable[[str], bool],
) -> None:
    before: deque[tuple[int, str]] = deque(maxlen=query.context)
    begun = has_nul = False
    # In a folder a NUL ends a line, as for ripgrep; the lines of a file that was named stay as they are.
    nul_ends_line = query.target.is_dir()
    for number, piece in enumerate(_lines(file, nul_ends_line=nul_ends_line), 1):
        line = piece.removesuffix("\0") if nul_ends_line else piece
        has_nul = has_nul or line is not piece
        found = pattern.search(line, timeout=_LINE_SECONDS)
        if found is None:
            if begun:
                results.add_context(number, _readable(line))
            else:
                before.append((number, line))
            continue
        if not begun:
            if not accept(name):
                return
            begun = True
            results.begin_file(name)
            for near, text in before:
                results.add_context(near, _readable(text))
        matches_in_line = sum(1 for _ in pattern.finditer(line, timeout=_LINE_SECONDS))
        results.add_match(number, _readable(line), found.start(), matches_in_line)
    if begun:
        results.end_file(nul_ended_lines=has_nul)


def _lines(file: BinaryIO, *, nul_ends_line: bool) -> Iterator[str]:
    """The lines without their ends, but with a NUL that ends one; bytes that are no text are escaped."""
    encoding = sniff(file.read(_SNIFFED_BYTES), whole=False)
    file.seek(len(encoding.bom) if encoding and encoding.codec == "utf-8" else 0)
    if encoding is not None and encoding.bom and encoding.codec != "utf-8":
        decoder = TextDecoder(encoding)
        lines: Iterator[str] = iter(io.StringIO(decoder.decode(file.read(), final=True), newline="\n"))
    else:
        lines = (line.decode("utf-8", "surrogateescape") for line in file)
    for line in lines:
        bare = line.removesuffix("\n").removesuffix("\r")
        yield from re.split(r"(?<=\0)", bare) if nul_ends_line else (bare,)


def _readable(line: str) -> str:
    return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _files(query: Query) -> Iterator[Path]:
    """The files to look at, in the order of their paths."""
    if not query.target.is_dir():
        yield query.target
        return
    unwanted = query.glob.startswith("!")
    glob = compile_glob(query.glob.removeprefix("!")) if query.glob else None
    if query.glob and glob is None:
        raise ToolFailed(f"The glob {query.glob!r} needs ripgrep (rg), which is not installed.")

    def walk(folder: Path, rules: IgnoreRules) -> Iterator[Path]:
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            return
        for entry in entries:
            path = Path(entry.path)
            named = bool(glob and glob.fullmatch(path.relative_to(query.target).as_posix()))
            if entry.name == ".git" or (named and unwanted):
                continue
            if entry.is_dir(follow_symlinks=False):
                if not rules.hides(path, is_folder=True):
                    yield from walk(path, rules.entered(path))
            elif entry.is_file(follow_symlinks=False):
                wanted = named if glob and not unwanted else not rules.hides(path, is_folder=False)
                if wanted:
                    yield path

    yield from walk(query.target, IgnoreRules.for_folder(query.target))
