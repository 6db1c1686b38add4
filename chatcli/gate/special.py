"""Reading programs with a language of their own: git, find, sed, jq, date, test, printf, set, strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import structs

from chatcli.gate.conditions import BINARY, UNARY
from chatcli.gate.expansion import SOME_WORD, Arg
from chatcli.gate.flags import UNKNOWN_FLAG, UNKNOWN_VALUE, Use, read_flags, reads
from chatcli.gate.readonly import (
    GIT_FIRST_WORD_READER,
    GIT_FIRST_WORDS,
    GIT_READERS,
    LISTING_FLAGS,
    STRINGS,
)
from chatcli.gate.reasons import Reason
from chatcli.i18n import N_

Args = Sequence[Arg | None]

GIT_UNKNOWN = N_("this use of git is not known to only read: {about}")
SCRIPT_UNKNOWN = N_("this script is not known to only read: {about}")

_FIND_TEST_NAMES = """
    -empty -executable -readable -writable -print -print0 -ls -prune -depth -mount -xdev -not -a -and -o
    -or -true -false -quit -daystart -noleaf -nouser -nogroup ( ) ! ,
"""
_FIND_TESTS = frozenset(_FIND_TEST_NAMES.split())
_FIND_VALUE_NAMES = """
    -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime
    -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -maxdepth -mindepth -perm -user
    -group -uid -gid -links -inum -samefile -fstype -printf -lname -ilname -used
"""
_FIND_VALUES = frozenset(_FIND_VALUE_NAMES.split())

_LEFT_OUT = (":!", ":^", ":(exclude")
"""How a pathspec of git begins that names what is not shown."""

# A bracket must close before the delimiter: BSD sed looks for the delimiter behind it, GNU sed inside.
_PATTERN = r"(?:[^[{delimiter}\\\n]|\\.|\[\^?\]?[^\]{delimiter}\n]*\])*"
_REPLACEMENT = r"(?:[^{delimiter}\\\n]|\\.)*"
_ADDRESS = rf"(?:\d+(?:~\d+)?|\$|/{_PATTERN.format(delimiter='/')}/I?)"
_RANGE = rf"{_ADDRESS}(?:,(?:{_ADDRESS}|[+~]\d+))?\s*!?\s*"


def _substitution(delimiter: str) -> str:
    d = re.escape(delimiter)
    pattern, replacement = _PATTERN.format(delimiter=d), _REPLACEMENT.format(delimiter=d)
    return f"s{d}{pattern}{d}{replacement}{d}[gpiI0-9]*"


# Commands that print, delete or change lines on their way; never `e`, `w`, `r`, `W`, `R`.
_SED_COMMAND = rf"(?:{_RANGE})?(?:[pdq=nhHgGxDPN]|{'|'.join(map(_substitution, '/|,#@:!'))})"
_SED_SCRIPT = re.compile(rf"\s*{_SED_COMMAND}(?:\s*[;\n]\s*{_SED_COMMAND})*\s*;?\s*")
_SED = reads(
    "nErsuz",
    "quiet silent regexp-extended expression= separate unbuffered null-data posix",
    "pattern",
    values="e",
    pattern_flags="-e --expression",
)

_JQ = reads(
    "ceEnrsSjaCM",
    "compact-output exit-status null-input raw-output raw-output0 slurp sort-keys join-output ascii-output"
    " color-output monochrome-output tab indent= seq stream raw-input",
    "pattern",
)
_JQ_LOADS = re.compile(r"\b(?:import|include|input_filename|modulemeta|get_search_list)\b")

_DATE = reads("uR", "utc universal rfc-email rfc-3339= iso-8601? date=", "text", values="d")
_PRINTF_ASSIGNS = re.compile(r"%[-+ #0'*.\d]*[hlLjtzq]*n")
_READ = reads("rs", "", "text")
OWN_VARIABLE = re.compile(r"[a-z_][a-z0-9_]*")
"""Names that a line may use for itself: the shell and programs give none of them a meaning."""

_SHELL_OPTIONS = frozenset({"pipefail", "errexit", "nounset", "noclobber", "noglob"})


def read_git(args: Args) -> Use | Reason:
    """`-C` paths are among the paths read; the repository's own settings are judged elsewhere."""
    rest = list(args)
    paths: list[str] = []
    while rest and rest[0] is not None and rest[0].text.startswith("-"):
        flag = rest.pop(0)
        if flag is None or not flag.sure:
            return Reason(UNKNOWN_VALUE, "git")
        if flag.text == "-C" and not paths and rest and rest[0] is not None and rest[0].sure:
            folder = rest.pop(0)
            paths.append(folder.text if folder else "")
        elif flag.text not in {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version"}:
            return Reason(GIT_UNKNOWN, flag.text)
    if not rest:
        return Use(paths=tuple(paths))
    command = rest.pop(0)
    if command is None or not command.sure:
        return Reason(UNKNOWN_VALUE, "git")
    use = _git_command(command.text, rest)
    if isinstance(use, Reason):
        return use
    named = [path for path in use.paths if not path.startswith(_LEFT_OUT)]
    return structs.replace(use, paths=(*paths, *named))


def _git_command(command: str, args: Args) -> Use | Reason:
    if command in GIT_FIRST_WORDS:
        return _git_first_word(command, args)
    reader = GIT_READERS.get(command)
    if reader is None:
        return Reason(GIT_UNKNOWN, command)
    # `-uno` is one flag with its value: no bundle.
    plain = [a for a in args if not (command == "status" and a and a.text in {"-uno", "-uall", "-unormal"})]
    use = read_flags(reader, plain)
    if isinstance(use, Reason):
        return use
    if command in {"branch", "tag"} and use.paths and not use.flags & LISTING_FLAGS:
        return Reason(GIT_UNKNOWN, f"{command} {use.paths[0]}")
    # A format with %G asks gpg for signatures.
    words = [arg.text for arg in args if arg]
    if any("%G" in word or "%(signature" in word for word in words):
        return Reason(GIT_UNKNOWN, "%G")
    return use


def _git_first_word(command: str, args: Args) -> Use | Reason:
    """The first word decides, and no flag stands before it: `git stash -p list` stashes."""
    words = [arg for arg in args if arg is None or not arg.text.startswith("-")]
    first = args[0] if words else Arg("")
    if first is None or not first.sure or first.text not in GIT_FIRST_WORDS[command]:
        return Reason(GIT_UNKNOWN, f"{command} {first.text if first else ''}".strip())
    return read_flags(GIT_FIRST_WORD_READER, args)


def read_find(args: Args) -> Use | Reason:
    """Starting points are read; no test or action may run, write or delete."""
    rest = list(args)
    paths: list[str] = []
    while rest and rest[0] and rest[0].text[:1] not in {"-", "(", "!", ")", ","}:
        paths.append(rest.pop(0).text)  # type: ignore[union-attr]
    while rest:
        arg = rest.pop(0)
        if arg is None:
            return Reason(UNKNOWN_VALUE, "find")
        if arg.text in _FIND_VALUES and rest:
            value = rest.pop(0)
            if value is None or not value.sure or not arg.sure:
                return Reason(UNKNOWN_VALUE, arg.text)
        elif arg.text not in _FIND_TESTS and not (arg.text in {"-H", "-P"} and not paths):
            return Reason(UNKNOWN_FLAG, arg.text)
    return Use(paths=tuple(paths) or (".",))


def read_sed(args: Args) -> Use | Reason:
    use = read_flags(_SED, args)
    if isinstance(use, Reason):
        return use
    if not use.text:
        return Reason(SCRIPT_UNKNOWN, "sed")
    for script in use.text:
        if not _SED_SCRIPT.fullmatch(script):
            return Reason(SCRIPT_UNKNOWN, script)
    return use


def read_jq(args: Args) -> Use | Reason:
    """`--arg` and `--argjson` take two words; files come as operands."""
    rest: list[Arg | None] = []
    pending = list(args)
    while pending:
        arg = pending.pop(0)
        if arg is None or arg.text not in {"--arg", "--argjson"}:
            rest.append(arg)
            continue
        known = [word for word in (arg, *pending[:2]) if word is not None and word.sure]
        if len(known) < 3:
            return Reason(UNKNOWN_VALUE, arg.text)
        del pending[:2]
    use = read_flags(_JQ, rest)
    if isinstance(use, Reason):
        return use
    if not use.text or _JQ_LOADS.search(" ".join(use.text)):
        return Reason(SCRIPT_UNKNOWN, " ".join(use.text) or "jq")
    return use


def read_date(args: Args) -> Use | Reason:
    use = read_flags(_DATE, args)
    if isinstance(use, Reason):
        return use
    values = [arg for arg in args if arg and not arg.text.startswith(("-", "+"))]
    # Any operand but a format sets the clock; BSD takes the value of -d for one too.
    flags = [arg.text for arg in args if arg]
    if len(values) > sum(flag in {"-d", "--date", "--rfc-3339"} for flag in flags) or None in args:
        return Reason(UNKNOWN_FLAG, "date")
    return use


def read_test(args: Args) -> Use | Reason:
    """`test -v 'a[$(command)]'` runs the command; what is an operator must be known."""
    for arg in args:
        if arg is None or not arg.sure or arg.text in {"-v", "-R"}:
            return Reason(UNKNOWN_VALUE, arg.text if arg else "test")
    if SOME_WORD not in args:
        return Use()
    words = [arg.text for arg in args if arg]
    match words[1:] if words[0] == "!" else words:
        case [_]:
            return Use()
        case [operator, _] if operator in UNARY:
            return Use()
        case [_, operator, _] if operator in BINARY:
            return Use()
    return Reason(UNKNOWN_VALUE, "test")


def read_strings(args: Args) -> Use | Reason:
    """`strings @file` takes further words from that file."""
    if any(arg and arg.text.startswith("@") for arg in args):
        return Reason(UNKNOWN_FLAG, "@")
    return read_flags(STRINGS, args)


def read_printf(args: Args) -> Use | Reason:
    """`printf -v PATH` and `printf %n PATH` assign."""
    rest = list(args[1:] if args and args[0] == Arg("--") else args)
    text = rest[0].text if rest and rest[0] and rest[0].sure else ""
    is_flag = text.startswith("-") and len(rest) == len(args)
    if not text or is_flag or _PRINTF_ASSIGNS.search(text.replace("%%", "")):
        return Reason(UNKNOWN_FLAG, text or "printf")
    return Use()


def read_read(args: Args) -> Use | Reason:
    """`read -r line`: into variables of the line's own."""
    use = read_flags(_READ, args)
    if isinstance(use, Reason):
        return use
    names = [arg for arg in args if arg and not arg.text.startswith("-")]
    if None in args or not names or not all(arg.sure and OWN_VARIABLE.fullmatch(arg.text) for arg in names):
        return Reason(UNKNOWN_VALUE, "read")
    return Use()


def read_set(args: Args) -> Use | Reason:
    """`set -euo pipefail` and the like."""
    for arg in args:
        known = arg is not None and (arg.text in _SHELL_OPTIONS or re.fullmatch(r"[-+][euoCf]+", arg.text))
        if not known:
            return Reason(UNKNOWN_FLAG, arg.text if arg else "set")
    return Use()


SPECIAL_READERS: Mapping[str, Callable[[Args], Use | Reason]] = {
    "git": read_git,
    "find": read_find,
    "sed": read_sed,
    "jq": read_jq,
    "date": read_date,
    "test": read_test,
    "strings": read_strings,
    "printf": read_printf,
    "read": read_read,
    "set": read_set,
}
