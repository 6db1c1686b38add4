"""The values that a word may take when the shell expands it: variables of the line and file patterns.

The answer is always a superset: every file that a pattern may match, every value that the line assigns to
a variable anywhere, and the empty value from before. What cannot be told is None.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from chatcli.gate.script import Script
from chatcli.gate.words import Part, Word, literal

MAX_VALUES = 1_000
_MAX_REFERENCES = 4
_MAGIC = re.compile(r"[*?\[]")
_SPLITS = re.compile(r"[\s*?\[\\]")
_OF_THE_SHELL = frozenset({"_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "IFS", "OPTIND", "PATH"})
_RUNS_TEXT = frozenset({"eval", "source", ".", "read", "mapfile", "readarray", "getopts"})


class Arg(Struct, frozen=True):
    """One possible argument. `sure`: it is there, as this one word, whatever the files are.

    `alone`: it is that while the files are what they are now: a pattern without a match stays as it is.
    """

    text: str
    sure: bool = True
    alone: bool = True


SOME_WORD = Arg("\0")
"""One word whose value is not known."""


def variables_of(script: Script, inherited: Mapping[str, str]) -> dict[str, tuple[Word, ...]]:
    """Variables whose every value is known: from the environment, or because it stands in the line."""
    assigned: dict[str, list[Word]] = {}
    # `printf -v name`, `declare name`, `export name`: a name that is an argument may be set.
    unknown = {word.text for command in script.commands for word in command.words[1:]}
    for command in script.commands:
        first = command.words[0].text if command.words else ""
        if first is None or first in _RUNS_TEXT:
            return {}
        for assignment in command.assignments:
            if assignment.value is None or any(p.kind == "pattern" for p in assignment.value.parts):
                unknown.add(assignment.name)
            else:
                assigned.setdefault(assignment.name, [literal("")]).append(assignment.value)
    for loop in script.loops:
        assigned.setdefault(loop.name, [literal("")]).extend(loop.values)
    known: dict[str, tuple[Word, ...]]
    known = {name: (literal(value),) for name, value in inherited.items() if name not in _OF_THE_SHELL}
    known |= {name: tuple(words) for name, words in assigned.items() if name not in inherited}
    changed = unknown | (assigned.keys() & inherited.keys())
    return {name: words for name, words in known.items() if name not in changed}


def arguments(
    word: Word,
    folders: Sequence[Path],
    variables: Mapping[str, tuple[Word, ...]],
    user_home: Path,
    depth: int = 0,
) -> tuple[Arg, ...] | None:
    """All arguments that the word may become in any of the folders; None when nobody can tell."""
    if word.text is not None:
        return (Arg(word.text),)
    choices: list[tuple[str, ...]] = []
    for part in word.parts:
        values = _part_values(part, folders, variables, user_home, depth)
        if values is None:
            return None
        choices.append(values)
    combined = list(itertools.islice(itertools.product(*choices), MAX_VALUES + 1))
    if len(combined) > MAX_VALUES:
        return None
    texts = ["".join(pieces) for pieces in combined]
    if all(part.kind != "pattern" for part in word.parts):
        one = len(texts) == 1
        return tuple(Arg(text, sure=one, alone=one) for text in dict.fromkeys(texts))
    if any(_MAGIC.search(part.text) for part in word.parts if part.kind != "pattern"):
        return None
    matches: dict[str, None] = {}
    for text, folder in itertools.product(texts, folders):
        found = matching_paths(text, folder)
        if found is None or len(matches) > MAX_VALUES:
            return None
        matches.update(dict.fromkeys([text, *found]))
    return tuple(Arg(match, sure=False, alone=len(matches) == 1) for match in matches)


def _part_values(
    part: Part,
    folders: Sequence[Path],
    variables: Mapping[str, tuple[Word, ...]],
    user_home: Path,
    depth: int,
) -> tuple[str, ...] | None:
    match part.kind:
        case "text" | "pattern":
            return (part.text,)
        case "home":
            return (str(user_home),)
        case "variable" if part.text in variables and depth < _MAX_REFERENCES:
            return _variable_values(part, folders, variables, user_home, depth)
    return None


def _variable_values(
    part: Part,
    folders: Sequence[Path],
    variables: Mapping[str, tuple[Word, ...]],
    user_home: Path,
    depth: int,
) -> tuple[str, ...] | None:
    values: list[str] = []
    for word in variables[part.text]:
        found = arguments(word, folders, variables, user_home, depth + 1)
        if found is None or len(values) > MAX_VALUES:
            return None
        texts = [arg.text for arg in found]
        # Unquoted it would be split and expanded again; a pattern without a match stays one.
        if not part.quoted and any(_SPLITS.search(text) for text in texts if text != word.raw):
            return None
        values += texts
    return tuple(values)


def matching_paths(pattern: str, folder: Path) -> list[str] | None:
    """Every path that the pattern may match, written as the shell writes it; None if there are too many."""
    absolute = pattern.startswith("/")
    found = ["/" if absolute else ""]
    for component in filter(None, pattern.split("/")):
        following: list[str] = []
        for prefix in found:
            names = _matching_names(component, folder / prefix)
            if names is None or len(following) > MAX_VALUES:
                return None
            following += [prefix + name + "/" for name in names]
        found = following
    return [path if pattern.endswith("/") else path[:-1] for path in found]


def _matching_names(component: str, folder: Path) -> list[str] | None:
    if not _MAGIC.search(component):
        return [component]
    # From a bracket on anything may match: its many forms are not worth telling apart.
    wide = re.sub(r"\[.*", "*", component, flags=re.DOTALL)
    expression = re.escape(wide).replace(r"\*", ".*").replace(r"\?", ".")
    matcher = re.compile(expression, re.DOTALL | re.IGNORECASE)
    try:
        names = list(itertools.islice((entry.name for entry in folder.iterdir()), 20 * MAX_VALUES))
    except OSError:
        return []
    if len(names) == 20 * MAX_VALUES:
        return None
    if component.startswith("."):
        names += [".", ".."]
    hidden = component.startswith(".")
    return [name for name in names if matcher.fullmatch(name) and (hidden or not name.startswith("."))]
