"""Programs that run other programs: what they run is judged as if it stood there itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from chatcli.gate.expansion import Arg

Args = Sequence[Arg | None]

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash"})
RUNS_FILES = SHELLS | {"source", "."}
INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|Rscript|osascript|pwsh|awk|gawk|mawk)"
    r"[\d.]*"
)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=.*", re.DOTALL)
_VALUES_OF_ENV = frozenset({"-u", "--unset", "-C", "--chdir"})
_EXECUTING_TESTS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


class Wrapper(Struct, frozen=True):
    """`values` are flags with a value, `positions` counts words before the command.

    `transparent`: with only the flags known here it adds nothing to what it runs.
    """

    values: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    positions: int = 0
    transparent: bool = False


def _wrapper(values: str = "", plain: str = "", *, positions: int = 0, transparent: bool = False) -> Wrapper:
    return Wrapper(frozenset(values.split()), frozenset(plain.split()), positions, transparent)


_WRAPPERS = {
    "timeout": _wrapper(
        "-k -s --kill-after --signal",
        "-v --verbose --foreground --preserve-status",
        positions=1,
        transparent=True,
    ),
    "time": _wrapper("", "-p", transparent=True),
    "nice": _wrapper("-n --adjustment", transparent=True),
    "command": _wrapper("", "-p", transparent=True),
    "builtin": _wrapper(transparent=True),
    "stdbuf": _wrapper("-i -o -e --input --output --error", transparent=True),
    "nohup": _wrapper(),
    "setsid": _wrapper("", "-w -f -c --wait"),
    "exec": _wrapper("-a", "-c -l"),
    "ionice": _wrapper("-c -n -p --class --classdata"),
    "chrt": _wrapper(positions=1),
    "taskset": _wrapper(positions=1),
    "flock": _wrapper("-w -E --timeout", "-n -x -s -o -u", positions=1),
    "sudo": _wrapper("-u -g -h -p -C -D -R -r -t -T -U --user --group", "-n -E -H -S -k -b -i -s"),
    "doas": _wrapper("-u -C", "-n -s"),
    "pkexec": _wrapper("--user"),
    "chroot": _wrapper("", positions=1),
    "unshare": _wrapper(),
    "xargs": _wrapper(
        "-a -d -E -I -L -n -P -s -J -R --arg-file --delimiter --max-args --max-procs --max-lines --replace",
        "-0 -r -t -p -x -o --null --no-run-if-empty --verbose",
    ),
    "parallel": _wrapper("-j --jobs -a"),
    "strace": _wrapper("-e -o -p -s", "-f -c"),
    "caffeinate": _wrapper("-t -w", "-d -i -m -s"),
    "busybox": _wrapper(),
    "coproc": _wrapper(),
}


class Nested(Struct, frozen=True):
    """What a wrapper runs: commands word by word, and shell text.

    `transparent`: every flag was understood and nothing runs besides. `assigned`: variables that it sets.
    `hidden`: it runs something that does not stand in the line.
    """

    commands: tuple[tuple[Arg | None, ...], ...] = ()
    scripts: tuple[str, ...] = ()
    transparent: bool = False
    hidden: bool = False
    assigned: tuple[str, ...] = ()


def unwrap(name: str, args: Args) -> Nested | None:
    """None: the program is no wrapper, or it wraps nothing in this call."""
    if name in SHELLS:
        return _shell(name, args)
    match name:
        case "env":
            return _env(args)
        case "eval" | "watch" | "trap" | "su":
            return _text(name, args)
        case "find" | "fd" | "fdfind":
            return _find(args)
        case "source" | ".":
            return Nested(hidden=True)
        case "command" if args and args[0] in {Arg("-v"), Arg("-V")}:
            return None
    wrapper = _WRAPPERS.get(name)
    return _plain(name, wrapper, args) if wrapper else None


def _text(name: str, args: Args) -> Nested:
    """Programs that take shell text as an argument, or put their arguments together to one."""
    words = [arg.text if arg and arg.sure else None for arg in args]
    text: str | None = None
    if name in {"eval", "watch"}:
        text = None if None in words else " ".join(filter(None, words))
    elif name == "trap":
        text = words[0] if words else None
    elif "-c" in words[:-1]:
        text = words[words.index("-c") + 1]
    return Nested(hidden=True) if text is None else Nested(scripts=(text,))


def _plain(name: str, wrapper: Wrapper, args: Args) -> Nested | None:
    rest, exact = _skip_flags(wrapper, list(args))
    if any(arg is None or not arg.sure for arg in rest[: wrapper.positions]):
        exact = False
    inner = tuple(rest[wrapper.positions :])
    # The words that xargs adds come from its input.
    if name in {"xargs", "parallel"}:
        inner = (*inner, None)
    if not inner:
        return None
    return Nested(commands=(inner,), transparent=wrapper.transparent and exact)


def _skip_flags(wrapper: Wrapper, args: list[Arg | None]) -> tuple[list[Arg | None], bool]:
    exact = True
    while args and args[0] is not None and args[0].text.startswith("-"):
        flag = args.pop(0)
        if flag is None or not flag.sure:
            exact = False
            continue
        if flag.text == "--":
            break
        name = flag.text.partition("=")[0]
        if name in wrapper.values:
            if name == flag.text and args:
                value = args.pop(0)
                exact &= value is not None and value.sure
        elif flag.text[:2] in wrapper.values:
            continue
        elif flag.text not in wrapper.plain:
            exact = False
    return args, exact


def _env(args: Args) -> Nested | None:
    rest = list(args)
    exact = True
    assigned: list[str] = []
    while rest and rest[0] is not None:
        text = rest[0].text
        assignment = _ASSIGNMENT.fullmatch(text)
        if assignment:
            assigned.append(assignment[1])
        elif text in _VALUES_OF_ENV:
            exact = exact and text in {"-u", "--unset"}
            rest = rest[1:]
        elif text.startswith("-"):
            exact = exact and text in {"-", "-i", "--ignore-environment"}
        else:
            break
        rest = rest[1:]
    if not rest:
        return None if exact and not assigned else Nested(hidden=True, assigned=tuple(assigned))
    return Nested(commands=(tuple(rest),), transparent=exact, assigned=tuple(assigned))


def _shell(name: str, args: Args) -> Nested | None:
    """`bash -c TEXT`; anything else reads its commands from somewhere else.

    Other shells read the same text otherwise: what is a quoted word in bash may be a command in dash.
    """
    for index, arg in enumerate(args):
        if arg is None or not arg.sure or not arg.text.startswith("-") or arg.text == "-":
            break
        if arg.text.startswith("--"):
            continue
        if "c" in arg.text:
            script = args[index + 1] if index + 1 < len(args) else None
            if script is None or not script.sure:
                break
            exact = len(args) == 2 and arg.text == "-c" and name == "bash"
            return Nested(scripts=(script.text,), transparent=exact)
    texts = [arg.text for arg in args if arg]
    if texts == ["--version"]:
        return None
    return Nested(hidden=True)


def _find(args: Args) -> Nested | None:
    """Every `-exec`; `{}` is whatever is found."""
    commands: list[tuple[Arg | None, ...]] = []
    current: list[Arg | None] | None = None
    for arg in args:
        text = arg.text if arg else ""
        if current is not None:
            if text in {";", "+"}:
                commands.append(tuple(current))
                current = None
            else:
                current.append(None if "{}" in text else arg)
        elif text in _EXECUTING_TESTS or text in {"-x", "-X", "--exec", "--exec-batch"}:
            current = []
    if current:
        commands.append(tuple(current))
    return Nested(commands=tuple(commands)) if commands else None
