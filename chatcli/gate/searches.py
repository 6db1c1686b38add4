"""Which files grep and ripgrep open below a folder, as far as names tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from chatcli.gate.flags import Use

SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg"})
_GLOB = re.compile(
    r"(?:-g|--i?glob=|--include=)(?P<only>[^!].*)|(?:-g!|--i?glob=!|--exclude=)(?P<without>.+)"
)
_GLOB_FLAGS = frozenset({"-g", "--glob", "--iglob"})
_BRACES = re.compile(r"\{([^{}]*)\}")


def opens_below(program: str, use: Use, words: Sequence[str]) -> Callable[[str], bool] | None:
    """Whether it would open a file of this name; None when it goes into no folder at all."""
    if program != "rg" and not use.flags & {"-r", "--recursive"}:
        return None
    only, without = _globs(words)
    if use.flags & _GLOB_FLAGS and not (only or without):
        return lambda _name: True  # written in a way that is not understood here
    hidden = program != "rg" or bool(use.flags & {"-u", "-.", "--hidden", "--unrestricted"})

    def opens(name: str) -> bool:
        if any(_matches(name, glob) for glob in without):
            return False
        return any(_matches(name, glob) for glob in only) if only else hidden or not name.startswith(".")

    return opens


def _globs(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those that files must match, and those that none may match."""
    joined = [
        f"{one}{'=' * one.startswith('--')}{next_}" for one, next_ in pairwise(words) if one in _GLOB_FLAGS
    ]
    found = [match for word in (*joined, *words) if (match := _GLOB.fullmatch(word))]
    return [m["only"] for m in found if m["only"]], [m["without"] for m in found if m["without"]]


def _matches(name: str, glob: str) -> bool:
    """By the last part of the glob, whatever stands before it; case counts for nothing."""
    braces = _BRACES.search(glob)
    if braces:
        begin, end = glob[: braces.start()], glob[braces.end() :]
        return any(_matches(name, begin + choice + end) for choice in braces[1].split(","))
    return fnmatchcase(name.casefold(), glob.rpartition("/")[2].casefold())
