"""Random command lines, judged here and run by bash: what runs unasked only reads, or has a rule."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from chatcli.gate.expansion import Arg
from chatcli.gate.flags import read_flags
from chatcli.gate.reach import Reach
from chatcli.gate.readonly import READERS, SPEAKERS
from chatcli.gate.reasons import Reason
from chatcli.gate.special import SPECIAL_READERS
from tests.gate.corpus import READING

WRITERS = [
    "rm",
    "touch",
    "tee",
    "cp",
    "mv",
    "python",
    "perl",
    "awk",
    "xargs",
    "curl",
    "make",
    "pytest",
    "evil",
]
STUBS = [*READERS, *SPECIAL_READERS, *SPEAKERS - {":"}, *WRITERS]

# fmt: off
WORDS = [
    "ls", "cat", "echo", "grep", "rg", "head", "wc", "find", "git", "sed", "sort", "printf", "test",
    "cd", "pytest", "rm", "touch pwned", "evil", "tee pwned", "python", "xargs", "set", "date", "diff",
    "uniq", "tree", "a.py", "src", "src/b.py", "*", "*.py", "src/*", "./*", "-*", "?.py", "[a-z].py",
    "{a,b}.py", "~", "..", "link", "link/*", "src/key", "../user", "~/.ssh/id_rsa", "$HOME",
    "..//project/../user/.ssh", "/etc/passwd", "-l", "-n", "-r", "-e", "-v", "--", "-", "-o",
    "--output=pwned", "--pre", "-exec", "-delete", "-name", "'a b'", '"a b"', "''", '""', "'", '"',
    "$'\\n'", '$"x"', "\\", "\\\n", "\\ ", "\\'", "a\\ b", "é", "#", "$x", "${x}", '"$x"', "$1", "$@",
    "$?", "${x:-y}", "${x:=y}", "${!x}", "${x@P}", "${#x}", "$((1+1))", "$(", ")", "`", "$(evil)",
    "`evil`", '"$(evil)"', "<(evil)", ">(evil)", "$((a[$(evil)]))", "a[$(evil)]", ";", "&&", "||", "|",
    "|&", "&", "\n", "(", ")", "{ ", "; }", "!", ";;", "\t", " ", ">", ">>", "<", "2>&1", ">&2", "&>",
    ">|", "<>", "2>/dev/null", "> pwned", "< a.py", "<<<", "<&3", "<<EOF\n", "<<'EOF'\n", "<<-EOF\n",
    "\nEOF\n", "EOF", "<<\\EOF\n", '<<"E"OF\n', "if", "then", "else", "fi", "for x in", "for x in *;",
    "do", "done", "while", "until", "case x in", "esac", "[[", "]]", "[", "]", "-eq", "-f", "=", "==",
    "=~", "-a", "-z", "((", "))", "x=1", "x=", "x+=1", "x[0]=1", "eval", "exec", "command", "builtin",
    "time", "coproc", "function f", "f()", "env", "timeout 1", "nice", "export", "unset", "sh -c",
    "read", "IFS= read -r x", "for PATH in", "printf %n PATH;", "set --", "PATH=0", "x=PATH", "bash -c",
    "sh -c", "'ls'", "'evil'", "source", ".", "trap", "select x in", "PATH=.",
]
# fmt: on

SHAPES = [
    "{c} {a} | {c} {a}",
    "{c} {a} && {c} {a}",
    "{c} {a}; {c} {a}",
    'for x in {a} {a}; do {c} "$x"; done',
    "if {c} {a}; then {c} {a}; else {c}; fi",
    "( {c} {a} )",
    "{{ {c} {a}; }}",
    "[ {a} = {a} ] && {c} {a}",
    "[[ {a} == {a} ]] || {c} {a}",
    "x={a}; {c} $x",
    'x={a}; {c} "$x" {a}',
    "cd src && {c} {a} && {c} {a}",
    "{c} <({c} {a}) {a}",
    "{c} <<'EOF'\n{a} {c}\nEOF\n{c}",
    "{c} <<EOF\n{a}\nEOF",
    "bash -c '{c} {a}'",
    "timeout 1 {c} {a}",
    'echo "{a} {a}" {a}',
    "! {c} {a} 2>/dev/null",
    "case {a} in {a}) {c};; *) {c} {a};; esac",
    "while {c} {a}; do break; done",
    "{c} \\\n {a}",
    "{c} {a} # {c}\n{c}",
]


def soup(chance: random.Random) -> str:
    """Words in no order, sometimes without blanks between them."""
    pieces = [chance.choice(WORDS) for _ in range(chance.randint(1, 9))]
    return "".join(piece + chance.choice(["", " ", " ", " "]) for piece in pieces)


def shaped(chance: random.Random) -> str:
    """A sensible line in which words were replaced by others, and a character may be lost or doubled."""
    commands, words = WORDS[:15], WORDS[15:]
    line = chance.choice(SHAPES)
    while "{c}" in line or "{a}" in line:
        line = line.replace("{c}", chance.choice(commands), 1).replace("{a}", chance.choice(words), 1)
    line = line.replace("{{", "{").replace("}}", "}")
    if chance.random() < 0.3 and len(line) > 2:
        spot = chance.randrange(len(line))
        line = line[:spot] + chance.choice(["", line[spot] * 2, *"'\"\\;|&$`(){}<>#*~ \n"]) + line[spot + 1 :]
    return line


# fmt: off
FRAGMENTS = [
    "'", '"', "\\", "$'", '$"', "`", "$(", "${", "}", ")", "(", "{", " #", "#", "\n", "\\\n", ";", "&",
    "|", "<", "<<", "<<E", "\nE\n", ">", "2>&1", "$", "$x", "*", "[", "]", "!", "~", "=", "evil",
    "; evil", "\nevil\n", "'evil'", "\\'", '\\"', "$'\\''", "$((", "))", "[[", "]]", "<(", ">(", "&&",
    "||", "|&", ";;", "é", "\t", "%", "PATH=0", "${x}", "@(", "?(", "+(", "!(", "{a,b}", "x=", "<<-E",
    "<<'E'", "EOF", "touch pwned", "\\ ",
]
# fmt: on


def mutated(chance: random.Random) -> str:
    """A harmless line with a few pieces inserted, lost, doubled, or grafted from another line."""
    line = chance.choice(READING)
    for _ in range(chance.randint(1, 3)):
        spot = chance.randrange(len(line) + 1)
        end = spot + chance.randint(1, 6)
        other = chance.choice(READING)
        line = chance.choice(
            [
                line[:spot] + chance.choice(FRAGMENTS) + line[spot:],
                line[:spot] + chance.choice(FRAGMENTS) + line[spot:],
                line[:spot] + line[spot + 1 :],
                line[:spot] + line[spot:end] * 2 + line[end:],
                line[:spot] + other[chance.randrange(len(other)) :],
            ]
        )
    return line


def check(seed: int, count: int, world, jail) -> int:
    """How many lines would run without asking; each of them was run."""
    world.file("a.py")
    world.file("src/b.py")
    (world.project / "link").symlink_to(world.secret().parent)
    (world.project / "src" / "key").symlink_to(world.user_home / ".ssh" / "id_rsa")
    for name in ("--output=pwned", "-delete", "-o", "--pre=evil", "EOF"):
        world.file(name)
    yard = jail(STUBS)
    gate = world.gate(path=str(yard.bin), allow=["exec:pytest *"])
    reach = Reach(gate.territory, gate.rules)
    before = yard.files()
    chance = random.Random(seed)
    harmless = 0
    for _ in range(count):
        text = chance.choice([soup, shaped, mutated])(chance)
        if gate.judge(text).decision != "allow":
            continue
        harmless += 1
        for name, folder, *args in yard.run(text):
            if name == "pytest":
                continue
            assert name in READERS or name in SPECIAL_READERS or name in SPEAKERS, (seed, text, name)
            use = None
            if name in SPECIAL_READERS:
                use = SPECIAL_READERS[name]([Arg(arg) for arg in args])
            elif name in READERS:
                use = read_flags(READERS[name], [Arg(arg) for arg in args])
            assert not isinstance(use, Reason), (seed, text, name, args, str(use))
            for path in (*use.paths, *use.files) if use else ():
                if path.startswith("/dev/fd/"):
                    continue
                assert not reach.refuses_argument(path, Path(folder), "read"), (seed, text, path)
        assert yard.files() == before, (seed, text)
    return harmless


def test_what_runs_unasked_starts_only_readers_and_what_a_rule_allows(world, jail: Callable) -> None:
    assert check(seed=1, count=1_000, world=world, jail=jail) > 50


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(100, 106))
def test_the_same_for_many_more_lines(world, jail: Callable, seed: int) -> None:
    assert check(seed=seed, count=10_000, world=world, jail=jail) > 500
