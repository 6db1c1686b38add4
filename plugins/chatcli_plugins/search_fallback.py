"""The search of chatcli's own, for machines without ripgrep: the same answers, more slowly."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from chatcli.tools import ToolContext, ToolFailed
from chatcli.tools.ignore import IgnoreRules, list_folder
from chatcli.tools.text import TextDecoder, sniff
from chatcli_plugins.search_patterns import compile_glob, compile_pattern
from chatcli_plugins.search_results import LINE_CHARS, SearchResults

LIMIT_SECONDS = 60.0
STOPPED = f"stopped after {LIMIT_SECONDS:g} s: the totals are those of what was searched by then"
_MIN_SECONDS = 0.1
_PIECE_BYTES = 8 << 20
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
    prefix = f"{query.target if query.target.is_dir() else query.target.parent}/"
    for path in _files(query):
        check()
        if time.monotonic() > until:
            results.remarks.append(STOPPED)
            return
        name = str(path).removeprefix(prefix)
        try:
            with ctx.files.open(path) as file:
                FileSearch(name, pattern, query, results, accept, until).run(file)
        except OSError as error:
            results.remarks.append(f"{name} could not be searched: {error.strerror or error}")


class FileSearch:
    """The search of one file, piece by piece. The file is told of when its first match is found."""

    def __init__(
        self,
        name: str,
        pattern: Any,
        query: Query,
        results: SearchResults,
        accept: Callable[[str], bool],
        until: float,
    ) -> None:
        self._name = name
        self._pattern = pattern
        self._context = query.context
        # In a folder a NUL ends a line, as for ripgrep; the lines of a file that was named stay as they are.
        self._nul_ends_line = query.target.is_dir()
        self._results = results
        self._accept = accept
        self._until = until
        self._before: deque[tuple[int, str]] = deque(maxlen=query.context)
        self._line = 1
        """Number of the first line of the piece in hand."""

    def run(self, file: BinaryIO) -> None:
        begun = has_nul = False
        for piece in _pieces(file):
            has_nul = has_nul or (self._nul_ends_line and "\0" in piece)
            text = piece.replace("\0", "\n") if has_nul else piece
            matches = self._matches(text)
            first = next(matches, None)
            if first is not None and not begun:
                if not self._accept(self._name):
                    return
                begun = True
                self._begin()
            found = chain([first], matches) if first is not None else iter(())
            if self._context:
                self._tell_with_context(text, found, begun=begun)
            else:
                self._tell(text, found)
            self._line += text.count("\n")
        if begun:
            self._results.end_file(nul_ended_lines=has_nul)

    def _begin(self) -> None:
        self._results.begin_file(self._name)
        for number, line in self._before:
            self._results.add_context(number, line)

    def _matches(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Begin and end of each matching line, and where in the text its first match begins.

        No pattern matches a line end, so that the whole text is searched at once.
        """
        at = 0
        while at < len(text):
            seconds = max(_MIN_SECONDS, self._until - time.monotonic())
            try:
                found = self._pattern.search(text, at, timeout=seconds, concurrent=True)
            except TimeoutError:
                raise ToolFailed("This takes too long without ripgrep (rg). Try a simpler pattern.") from None
            if found is None or (found.start() == len(text) and text.endswith("\n")):
                return
            start = found.start()
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            yield text.rfind("\n", 0, start) + 1, end, start
            at = end + 1

    def _tell(self, text: str, matches: Iterable[tuple[int, int, int]]) -> None:
        number, counted = self._line, 0
        for begin, end, start in matches:
            number += text.count("\n", counted, begin)
            counted = begin
            self._tell_match(number, text[begin:end], start - begin)

    def _tell_with_context(self, text: str, matches: Iterable[tuple[int, int, int]], *, begun: bool) -> None:
        starts = {begin: start - begin for begin, _, start in matches}
        begin = 0
        for number, line in enumerate(text.removesuffix("\n").split("\n"), self._line):
            if begin in starts:
                self._tell_match(number, line, starts[begin])
            elif begun:
                self._results.add_context(number, _readable(line))
            else:
                self._before.append((number, _readable(line)))
            begin += len(line) + 1

    def _tell_match(self, number: int, line: str, start: int) -> None:
        in_line = 1 if len(line) <= LINE_CHARS else sum(1 for _ in self._pattern.finditer(line))
        self._results.add_match(number, _readable(line), start, in_line)


def _pieces(file: BinaryIO) -> Iterator[str]:
    """The text in pieces of whole lines, all with plain line ends, bytes that are no text escaped."""
    encoding = sniff(file.read(_SNIFFED_BYTES), whole=False)
    file.seek(len(encoding.bom) if encoding and encoding.codec == "utf-8" else 0)
    if encoding is not None and encoding.bom and encoding.codec != "utf-8":
        yield TextDecoder(encoding).decode(file.read(), final=True).replace("\r\n", "\n")
        return
    while lines := file.readlines(_PIECE_BYTES):
        yield b"".join(lines).decode("utf-8", "surrogateescape").replace("\r\n", "\n")


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
    prefix = f"{query.target}/"
    rules = IgnoreRules.for_folder(query.target)
    open_folders = [(rules, list_folder(str(query.target), rules))]
    while open_folders:
        rules, entries = open_folders[-1]
        entry = next(entries, None)
        if entry is None:
            open_folders.pop()
            continue
        path = entry.found.path
        is_named = bool(glob and glob.fullmatch(path.removeprefix(prefix)))
        if entry.found.name == ".git" or (is_named and unwanted):
            continue
        if entry.is_folder and not entry.is_ignored:
            inside = rules.entered(Path(path))
            open_folders.append((inside, list_folder(path, inside)))
        # A glob finds ignored files too, as it does for ripgrep.
        is_wanted = is_named if glob and not unwanted else not entry.is_ignored
        if is_wanted and entry.found.is_file(follow_symlinks=False):
            yield Path(path)
