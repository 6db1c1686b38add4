"""Files of secrets that a command would print although it is not understood, as far as its words tell.

Such a command asks anyway, but for the autonomy at which nearly everything runs. This is a list of the usual
ways and no boundary: a program can put the name together while it runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import structs

from chatcli.gate.expansion import Arg
from chatcli.gate.flags import UNKNOWN_VALUE, read_flags
from chatcli.gate.gitindex import tracked
from chatcli.gate.reach import SECRET_NAME, SECRET_NAME_BELOW, Reach
from chatcli.gate.readonly import READERS
from chatcli.gate.reasons import Reason
from chatcli.gate.script import SimpleCommand
from chatcli.gate.searches import SEARCHES, may_match, opens_below, spellings, starting_points
from chatcli.gate.special import SCRIPT_UNKNOWN
from chatcli.gate.wrappers import INTERPRETERS

_TELL_NAMES = frozenset({"ls", "tree", "du", "df", "stat", "file", "realpath", "readlink", "basename", "wc"})
_PRINTERS = (READERS.keys() - _TELL_NAMES) | {"sed", "jq", "strings", "bat", "less", "more"}
_OTHER_SEARCHES = frozenset({"ag", "ack", "ugrep", "zgrep"})
_RECURSIVE = re.compile(r"-[A-Za-z]*[rR]\w*|--(?:dereference-)?recursive|--directories=recurse")
_GIT_PRINTERS = frozenset({"archive", "format-patch", "fast-export", "show", "diff", "grep", "cat-file"})
_TAKES_NAMES = frozenset({"xargs", "parallel", "read", "mapfile", "readarray"})
_RUNS_EACH = frozenset({"-exec", "-execdir", "-x", "-X"})
_WORD = re.compile(r"[\w.~/%+-]+")


class Unread:
    """`folders` are all in which a command may find itself."""

    def __init__(self, folders: Sequence[Path], reach: Reach) -> None:
        self._folders = folders
        self._reach = reach

    def in_command(
        self, name: str, args: Sequence[Arg | None], raws: Sequence[str], reason: Reason
    ) -> Iterator[Reason]:
        """For one command that is not known to only read because of `reason`; `raws` are its words."""
        unknown = reason.text in {SCRIPT_UNKNOWN, UNKNOWN_VALUE}
        texts = [arg.text for arg in args if arg]
        if INTERPRETERS.fullmatch(name) or (unknown and name in _PRINTERS):
            yield from self._mentioned(raws)
        if name in SEARCHES | _OTHER_SEARCHES | {"diff"}:
            yield from self._searched(name, args)
        if name == "git" and _may_print(texts):
            yield from self._tracked()
        if name in {"find", "fd"} and self._runs_printer(texts):
            yield from self._found(texts)

    def in_script(self, commands: Sequence[SimpleCommand]) -> Iterator[Reason]:
        """For commands that take names from others in the same line."""
        lines = [[word.text or word.raw for word in command.words] for command in commands if command.words]
        takers = [words for words in lines if words[0] in _TAKES_NAMES]
        if not takers:
            return
        yield from self._mentioned([word.raw for command in commands for word in command.words])
        if any(_PRINTERS.intersection(words) for words in takers):
            for words in lines:
                if words[0] in {"find", "fd"}:
                    yield from self._found(words[1:])

    def _mentioned(self, raws: Sequence[str]) -> Iterator[Reason]:
        words = {word for raw in raws for text in spellings(raw) for word in _WORD.findall(text)}
        for word in sorted(words):
            for folder in self._folders:
                reason = self._reach.refuses_argument(word, folder, "unknown")
                if reason and reason.text == SECRET_NAME:
                    yield reason

    def _searched(self, name: str, args: Sequence[Arg | None]) -> Iterator[Reason]:
        reader = READERS.get(name, READERS["grep"])
        use = read_flags(structs.replace(reader, short=reader.short | {"R"}), args)
        texts = [arg.text for arg in args if arg]
        recursive = name in _OTHER_SEARCHES or any(map(_RECURSIVE.fullmatch, texts))
        if isinstance(use, Reason):
            opens = (lambda _path: True) if recursive or name == "rg" else None
            starts = [text for text in texts if any((folder / text).is_dir() for folder in self._folders)]
        else:
            flags = use.flags | ({"-r"} if recursive else frozenset())
            opens = opens_below(name, structs.replace(use, flags=flags))
            starts = list(starting_points(use))
        for start in starts or ["."] if opens else []:
            for folder in self._folders:
                reason = opens and self._reach.secret_name_below((folder / start).resolve(), opens)
                if reason:
                    yield reason

    def _tracked(self) -> Iterator[Reason]:
        for folder in self._folders:
            top = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)
            for name in tracked(top / ".git" / "index") if top else ():
                if top and self._reach.is_secret_by_name(top / name):
                    yield Reason(SECRET_NAME_BELOW, name)

    def _runs_printer(self, texts: Sequence[str]) -> bool:
        after = [texts[at + 1] for at, text in enumerate(texts[:-1]) if text in _RUNS_EACH]
        return bool(_PRINTERS.intersection(after))

    def _found(self, texts: Sequence[str]) -> Iterator[Reason]:
        """What find hands on: everything, or what has one of the names that it is given."""
        flags = [at for at, text in enumerate(texts) if text[:1] in {"-", "(", "!"}]
        starts = texts[: flags[0]] if flags else texts
        globs = [texts[at + 1] for at in flags if texts[at] in {"-name", "-iname"} and at + 1 < len(texts)]
        for start in starts or ["."]:
            for folder in self._folders:
                reason = self._reach.secret_name_below(
                    (folder / start).resolve(),
                    lambda path: not globs or any(may_match(path.name, glob) for glob in globs),
                )
                if reason:
                    yield reason


def _may_print(texts: Sequence[str]) -> bool:
    """Whether a git command may show content of files."""
    command = next((text for text in texts if not text.startswith("-")), "")
    return command in _GIT_PRINTERS or (command == "log" and not {"-p", "--patch"}.isdisjoint(texts))
