"""Which files grep and ripgrep open below a folder, as far as names tell.

Where the forms of a glob differ between programs, the answer is that the file is opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from chatcli.gate.flags import Use

SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg"})
_GLOB_FLAGS = frozenset({"-g", "--glob", "--iglob", "--include", "--exclude"})
_OPENS_HIDDEN = frozenset(
    {"-u", "-.", "--hidden", "--unrestricted", "-t", "--type", "--type-add", "--ignore-file"}
)
_CODE_TYPE_NAMES = """
    c cpp cs csharp css go h html java js kotlin lua markdown md php py python ruby rust scala sql swift ts
    typescript
"""
_CODE_TYPES = frozenset(_CODE_TYPE_NAMES.split())
"""Types of ripgrep that take in no name of a secret."""
_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore", ".git/info/exclude")
_FILES_OF_THEIR_OWN = frozenset({"-f", "--file", "--ignore-file", "--exclude-from"})
_LETS_IN = "[]*"
_BRACES = re.compile(r"\{([^{}]*)\}")
_PLAIN = re.compile(r"[^/\\\[\]{}]+")


def opens_below(program: str, use: Use) -> Callable[[Path], bool] | None:
    """Whether it would open this file; None when it opens none but those that are named."""
    if program == "rg":
        if "--files" in use.flags:
            return None
    elif not use.flags & {"-r", "--recursive"}:
        return None
    globs = _globs(program, use)
    if program == "rg":
        types = {value for flag, value in use.values if flag in {"-t", "--type", "--type-add"}}
        only_code = bool(types) and types <= _CODE_TYPES
        unmatched = not only_code and not any(only for only, _glob in globs)
    else:
        unmatched = "--exclude-from" in use.flags or not globs or not globs[0][0]
    hides = program == "rg" and not use.flags & _OPENS_HIDDEN

    def opens(path: Path) -> bool:
        # The last glob that matches decides.
        for only, glob in reversed(globs):
            if only and may_match(path.name, glob):
                return True
            if not only and _surely_matches(path.name, glob):
                return False
        hidden = hides and path.name.startswith(".") and not _is_let_in(path)
        return unmatched and not hidden

    return opens


def starting_points(use: Use) -> Sequence[str]:
    """Where it begins; a file of patterns is among the paths, but is no such place."""
    here = not use.paths or bool(use.flags & _FILES_OF_THEIR_OWN)
    return (*use.paths, ".") if here else use.paths


def _globs(program: str, use: Use) -> Sequence[tuple[bool, str]]:
    """In the order in which they count: whether files must match it, and the glob."""
    # What is only known when it runs may let everything in, and keeps nothing out.
    given = [
        (flag, _LETS_IN if value is None else value) for flag, value in use.values if flag in _GLOB_FLAGS
    ]
    if program != "rg":
        return [(flag == "--include", glob) for flag, glob in given]
    given.sort(key=lambda pair: pair[0] == "--iglob")  # ripgrep adds these last
    counting = [glob for _flag, glob in given if glob and not glob.startswith("#")]
    return [(not glob.startswith("!"), glob.removeprefix("!").removeprefix("**/")) for glob in counting]


def may_match(name: str, glob: str) -> bool:
    """By the last part of the glob, whatever stands before it; case counts for nothing."""
    for text in spellings(glob):
        # From a bracket or a backslash on anything may match: not every program reads them alike.
        wide = re.sub(r"[\[\\{].*", "*", text.rstrip("/ ").rpartition("/")[2], flags=re.DOTALL)
        if fnmatchcase(name.casefold(), wide.casefold()):
            return True
    return False


def spellings(text: str) -> Iterator[str]:
    """`.{py,md}` is `.py` and `.md`."""
    braces = _BRACES.search(text)
    if not braces:
        yield text
        return
    begin, end = text[: braces.start()], text[braces.end() :]
    for choice in braces[1].split(","):
        yield from spellings(begin + choice + end)


def _surely_matches(name: str, glob: str) -> bool:
    return _PLAIN.fullmatch(glob) is not None and fnmatchcase(name, glob)


def _is_let_in(path: Path) -> bool:
    """Whether an ignore file names it with a `!`: ripgrep then opens it although it is hidden."""
    for parent in path.parents:
        for ignore_file in _IGNORE_FILES:
            try:
                lines = (parent / ignore_file).read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                continue
            if any(line.startswith("!") and may_match(path.name, line[1:]) for line in lines):
                return True
    return False
