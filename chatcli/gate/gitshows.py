"""Files whose content a reading git command would show: git itself names them, asked with the same words.

What is committed under the name of a secret shows up in diffs of folders, of whole commits, and as an object
without a name. Only called for command lines that are known to only read, in repositories whose settings
run nothing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from chatcli.gate.expansion import Arg
from chatcli.gate.flags import UNKNOWN_VALUE, Use
from chatcli.gate.reach import SECRET_NAME_BELOW, UNNAMED
from chatcli.gate.readonly import GIT_FIRST_WORDS
from chatcli.gate.reasons import Reason
from chatcli.i18n import N_

UNTOLD = N_("git did not tell which files it would show: {about}")

_LIMIT_SECONDS = 2.0
_ENVIRONMENT = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_PAGER": "cat"}
_SHOW_PATCHES = frozenset({"diff", "show"})
_SHOW_PATCHES_IF_TOLD = frozenset({"log", "whatchanged", "diff-tree", "stash", "reflog"})
_SHOW_OBJECTS = frozenset({"show", "diff", "cat-file", "grep"})
_PATCH_FLAG_NAMES = """
    -p -u --patch -U --unified -c --cc -m -W --function-context --patch-with-stat --patch-with-raw
    --word-diff --word-diff-regex --color-words --binary --check
"""
_PATCH_FLAGS = frozenset(_PATCH_FLAG_NAMES.split())
_CLASHING = frozenset({"--check", "--name-only", "--no-patch", "--quiet", "-q", "-s"})
_SUMMARY_NAMES = "--stat --numstat --shortstat --dirstat --summary --name-status --compact-summary --raw"
_SUMMARIES = (_CLASHING - {"--check"}) | frozenset(_SUMMARY_NAMES.split())
_ONLY_NAMES = {"grep": frozenset({"-l", "-L", "-q", "--quiet"}), "cat-file": frozenset({"-t", "-s", "-e"})}
# With these git says of itself that it shows nothing at all.
_FAILS_ANYWAY = re.compile(
    r"unknown revision|bad (?:revision|object)|ambiguous argument|[Nn]ot a git repository|any commits yet"
    r"|[Nn]o stash entries|not a stash|not a valid ref|does not exist|outside repository"
)


class GitProgram:
    """git, as the command line would find and start it. `is_secret` judges a path below the work tree."""

    def __init__(self, inherited: Mapping[str, str], is_secret: Callable[[Path], bool]) -> None:
        self._environment = {**inherited, **_ENVIRONMENT}
        self._program = shutil.which("git", path=inherited.get("PATH", ""))
        self._is_secret = is_secret

    def refuses_to_show(self, args: Sequence[Arg], use: Use, folder: Path) -> Reason | None:
        """Why the content that this call shows is asked about; `args` are all its words."""
        return next(filter(None, self._reasons(args, use, folder)), None)

    def _reasons(self, args: Sequence[Arg], use: Use, folder: Path) -> Iterator[Reason | None]:
        before, command, rest = _split(args)
        if self._program is None or not folder.is_dir() or use.flags & _ONLY_NAMES.get(command, frozenset()):
            return
        named = [part for text in (*use.text, *use.paths) for part in _paths_of_objects(text)]
        yield self._refuses_names(named, folder)
        start = [self._program, *before]
        if command in _SHOW_OBJECTS:
            yield self._refuses_objects(start, rest, folder)
        for words in _askings(command, rest, use, folder):
            yield words if isinstance(words, Reason) else self._refuses_shown([*start, *words], folder)

    def _refuses_names(self, names: Sequence[str], folder: Path) -> Reason | None:
        found = next((name for name in names if self._is_secret(folder / name)), None)
        return Reason(SECRET_NAME_BELOW, found) if found else None

    def _refuses_objects(self, start: Sequence[str], rest: Sequence[Arg], folder: Path) -> Reason | None:
        """Files of a commit can be had by their hashes too, and then nobody knows their names."""
        operands = [arg.text for arg in rest if arg.text[:1] not in {"", "-"} and ":" not in arg.text]
        objects = [part.lstrip("^") for text in operands for part in re.split(r"\.{2,3}", text) if part]
        asked = "".join(f"{name}^{{}}\n" for name in objects if name.isprintable())
        if not asked:
            return None
        ended = self._run([*start, "cat-file", "--batch-check"], folder, asked)
        kinds = [line.split(" ")[1:2] for line in ended.stdout.splitlines()] if ended else []
        found = next((name for name, kind in zip(objects, kinds, strict=False) if kind == ["blob"]), None)
        return Reason(UNNAMED, found) if found else None

    def _refuses_shown(self, argv: Sequence[str], folder: Path) -> Reason | None:
        ended = self._run(argv, folder)
        about = " ".join(argv[1:3])
        if ended is None:
            return Reason(UNTOLD, about)
        if ended.returncode > 1 and not _FAILS_ANYWAY.search(ended.stderr):
            return Reason(UNTOLD, about)
        tokens = re.split(r"[\0\n]", ended.stdout)
        return self._refuses_names(
            [part for token in tokens for part in (token, *_paths_of_objects(token))], folder
        )

    def _run(
        self, argv: Sequence[str], folder: Path, given: str = ""
    ) -> subprocess.CompletedProcess[str] | None:
        try:
            return subprocess.run(
                argv,
                input=given,
                capture_output=True,
                cwd=folder,
                env=self._environment,
                encoding="utf-8",
                errors="replace",
                timeout=_LIMIT_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None


def _split(args: Sequence[Arg]) -> tuple[list[str], str, Sequence[Arg]]:
    """The flags of git itself, the subcommand, its words."""
    at = 0
    while at < len(args) and args[at].text.startswith("-"):
        at += 2 if args[at].text == "-C" else 1
    command = args[at].text if at < len(args) else ""
    return [arg.text for arg in args[:at]], command, args[at + 1 :]


def _askings(command: str, rest: Sequence[Arg], use: Use, folder: Path) -> Iterator[list[str] | Reason]:
    """The words after `git` that print the names of all files whose content the call shows."""
    if command == "status" and use.flags & {"-v", "--verbose"}:
        yield ["diff", "--name-status", "-z", "--no-renames"]
        yield ["diff", "--name-status", "-z", "--no-renames", "--cached"]
    names = ["--name-status", "-z", "--no-renames"] + ["--format="] * (command != "diff")
    if command == "grep":
        names = ["-l", "-z"]
    elif not _shows_patches(command, use.flags):
        return
    if "--stdin" in use.flags:
        yield Reason(UNKNOWN_VALUE, "--stdin")
    words = list(rest)
    head = [command]
    if command in GIT_FIRST_WORDS and words and words[0].text in GIT_FIRST_WORDS[command]:
        head.append(words.pop(0).text)
    words = [word for word in words if word.text not in _CLASHING]
    unsure = [word for word in words if not word.sure and word.text]
    for word in unsure:
        if not re.search(r"[*?\[]", word.text) and not (folder / word.text).exists():
            yield Reason(UNKNOWN_VALUE, word.text)
    yield [*head, *names, *(word.text for word in words if word.sure or word.text)]
    if any(not word.sure and not word.text for word in words):
        yield [*head, *names, *(word.text for word in words if word.sure)]


def _shows_patches(command: str, flags: frozenset[str]) -> bool:
    if "-L" in flags:
        return False  # it shows the files that stand in its value, and no others
    if flags & _PATCH_FLAGS:
        return command in _SHOW_PATCHES | _SHOW_PATCHES_IF_TOLD
    return command in _SHOW_PATCHES and not flags & _SUMMARIES


def _paths_of_objects(text: str) -> Iterator[str]:
    """`HEAD:path`, `:0:path`, `1,5:path`: whatever may be a path behind a colon."""
    for part in re.split(r"\.{2,3}(?!/)", text):
        pieces = part.split(":")
        yield from (":".join(pieces[at:]) for at in range(1, len(pieces)) if pieces[at])
