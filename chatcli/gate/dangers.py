"""Commands that ask under every autonomy: they destroy, leave the machine, or reach beyond the project.

This is a list of known dangers for people who let nearly everything run. It is no boundary: a program of the
project can do all of this without naming it.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from chatcli.gate.reach import SECRET, Purpose, Reach
from chatcli.gate.reasons import Reason
from chatcli.gate.words import PIPE_NAME
from chatcli.gate.wrappers import INTERPRETERS, SHELLS
from chatcli.i18n import N_

Words = Sequence[str | None]

DESTROYS = N_("it destroys more than can be undone: {about}")
UNKNOWN_TARGET = N_("what it changes is only known when it runs: {about}")
SYSTEM = N_("it changes the system: {about}")
LEAVES = N_("it sends data out of this machine: {about}")
FED = N_("it runs whatever it is fed: {about}")
HISTORY = N_("it rewrites or publishes history: {about}")
ENDS_CHATCLI = N_("it may end chatcli itself: {about}")
LOADS = N_("it sets a variable that changes what other programs run: {about}")

_SYSTEM_NAMES = """
    sudo su doas pkexec chroot unshare nsenter mount umount insmod modprobe rmmod iptables nft ufw
    crontab at batch useradd userdel usermod groupadd passwd visudo chsh chattr setcap systemctl service
    launchctl shutdown reboot halt poweroff init telinit killall pkill swapoff sysctl docker podman
    nerdctl
"""
_SYSTEM_COMMANDS = frozenset(_SYSTEM_NAMES.split())
_DESTROYERS = frozenset({"shred", "wipefs", "fdisk", "parted", "sfdisk", "sgdisk", "mkswap", "blkdiscard"})
_SENDER_NAMES = """
    nc ncat netcat socat telnet ftp sftp scp ssh rsync rclone ping ping6 dig nslookup host traceroute
    mail sendmail mutt aws gcloud gsutil az s3cmd kubectl helm terraform gh glab hub heroku vercel fly
    twine
"""
_SENDERS = frozenset(_SENDER_NAMES.split())
_PUBLISHERS = {
    "npm": "publish",
    "yarn": "publish",
    "pnpm": "publish",
    "cargo": "publish",
    "gem": "push",
    "uv": "publish",
    "poetry": "publish",
}
_FETCHERS = frozenset({"curl", "wget", "http", "https", "xh", "aria2c"})
_UPLOADS = re.compile(
    r"-(?!-)[a-zA-Z]*[dFTKX]|--(?:data|form|upload-file|post|body|json|method|request|url-query|config)"
)
_OF_A_PROCESS = re.compile(
    r"/proc(?:$|/(?!cpuinfo|meminfo|version|uptime|loadavg|stat\b|sys/|net/|filesystems))|\$\{?PPID"
    r"|\$.*/environ\b"
)
_SHOWS_ENVIRONMENT = re.compile(r"[A-Za-z]*e[A-Za-z]*|-[A-Za-z]*E[A-Za-z]*")
_LONG_QUERY_CHARS = 100
_CHANGERS = frozenset(
    {"rm", "rmdir", "mv", "dd", "shred", "truncate", "chmod", "chown", "chgrp", "ln", "tee", "install", "cp"}
)
_GIT_DESTROYERS = {
    "reset": frozenset({"--hard", "--merge", "--keep"}),
    "clean": frozenset({"-f", "-d", "-x", "-X", "--force"}),
    "branch": frozenset({"-D", "-M", "-f", "--force"}),
    "checkout": frozenset({"-f", "--force", "--", "."}),
    "restore": frozenset({".", "-W", "--worktree", ":/"}),
    "stash": frozenset({"drop", "clear"}),
    "reflog": frozenset({"expire", "delete"}),
    "update-ref": frozenset({"-d"}),
    "worktree": frozenset({"remove"}),
    "tag": frozenset({"-d", "--delete"}),
    "gc": frozenset({"--prune=now"}),
    "rm": frozenset({"-f", "--force"}),
}
_GIT_ALWAYS = frozenset({"push", "filter-branch", "filter-repo", "config", "send-email", "prune"})

# Setting one of these makes a harmless command run, load or show something else.
_LOADING_VARIABLES = re.compile(
    r"PATH|LD_\w+|DYLD_\w+|GIT_\w+|\w*PAGER|EDITOR|VISUAL|BROWSER|BASH_ENV|ENV|IFS|PS[0-4]|PROMPT_COMMAND"
    r"|SHELLOPTS|BASHOPTS|BASH_\w+|CDPATH|GLOBIGNORE|HOME|PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT"
    r"|NODE_OPTIONS|PERL5\w+|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|TMPDIR|LESS\w*"
    r"|SSH_\w+|\w+_PROXY|\w+_proxy|RIPGREP_CONFIG_PATH|GREP_OPTIONS|MAKEFLAGS|RUSTC_WRAPPER|CHATCLI_\w+"
)


def assignment_danger(name: str) -> Reason | None:
    return Reason(LOADS, name) if _LOADING_VARIABLES.fullmatch(name) else None


def process_dangers(raws: Sequence[str]) -> list[Reason]:
    """What chatcli keeps from its children lies open in the files that the system has of its process.

    `raws` are words as they stand in the line: what becomes of them may only be known when it runs.
    """
    plain = (re.sub(r"[\\'\"]", "", raw) for raw in raws)
    return [Reason(SECRET, text[:80]) for text in plain if _OF_A_PROCESS.search(text)]


def command_dangers(
    name: str, words: Words, raws: Sequence[str], folders: Sequence[Path], reach: Reach, *, fed: bool
) -> list[Reason]:
    """`name` is the program without its folder, `words` its arguments (None: known only when it runs).

    `raws` are all words of the line as they stand there.
    """
    found = list(_by_name(name, words, fed=fed))
    if name == "kill" and _may_end_chatcli(words, raws):
        found.append(Reason(ENDS_CHATCLI, name))
    if name == "git":
        found += _git(words)
    found += _unknown_targets(name, words)
    found += _whole_folders(name, words, folders, reach)
    found += _outside(name, words, folders, reach)
    return list(dict.fromkeys(found))


def _by_name(name: str, words: Words, *, fed: bool) -> Iterator[Reason]:
    known = [word for word in words if word is not None]
    if name in _SYSTEM_COMMANDS:
        yield Reason(SYSTEM, name)
    if name in _DESTROYERS or name.startswith("mkfs") or name.startswith("newfs"):
        yield Reason(DESTROYS, name)
    if name in _SENDERS or _PUBLISHERS.get(name) in known:
        yield Reason(LEAVES, name)
    if name in _FETCHERS and _sends(words):
        yield Reason(LEAVES, name)
    if name == "ps" and any(
        _SHOWS_ENVIRONMENT.fullmatch(word) and not before.startswith("-")
        for before, word in itertools.pairwise(["", *known])
    ):
        yield Reason(SECRET, f"ps {' '.join(known)}")
    if name == "kill" and {"-1", "1", "0"}.intersection(known):
        yield Reason(SYSTEM, name)
    if name in {"chmod", "chown", "chgrp"} and any(re.match(r"-\w*R|--recursive", word) for word in known):
        yield Reason(DESTROYS, name)
    if name == "chmod" and any(re.search(r"\+[rwx]*s|^[2467]\d{3}$|777$|o\+\w*w", word) for word in known):
        yield Reason(SYSTEM, " ".join(known))
    if name in SHELLS or INTERPRETERS.fullmatch(name) or name in {"source", "."}:
        files = [word for word in known if word[:1] != "-"]
        if (fed and not files) or PIPE_NAME in files:
            yield Reason(FED, name)


def _may_end_chatcli(words: Words, raws: Sequence[str]) -> bool:
    """It is the parent of the shell, or found by its name."""
    if {str(os.getpid()), str(os.getppid()), f"-{os.getpgrp()}"}.intersection(filter(None, words)):
        return True
    return any(re.search(r"PPID|pgrep|pidof|chatcli|/proc/", raw) for raw in raws)


def _sends(words: Words) -> bool:
    for word in words:
        if word is None or _UPLOADS.match(word):
            return True
        if "?" in word and len(word.partition("?")[2]) > _LONG_QUERY_CHARS:
            return True
        if re.match(r"\w+://[^/]*@", word):
            return True
    return False


def _git(words: Words) -> Iterator[Reason]:
    rest = list(words)
    while rest and (rest[0] is None or rest[0].startswith("-")):
        flag = rest.pop(0)
        if flag is None or flag.startswith(("-c", "--config-env", "--exec-path", "--git-dir", "--work-tree")):
            yield Reason(LOADS, f"git {flag or ''}".strip())
            rest = rest[1:] if flag == "-c" else rest
        elif flag == "-C":
            rest = rest[1:]
    command = rest[0] if rest else None
    if command is None:
        return
    text = " ".join(word or "…" for word in rest[:3])
    if command in _GIT_ALWAYS:
        yield Reason(HISTORY, text)
    harmful = _GIT_DESTROYERS.get(command, frozenset())
    bundled = {
        f"-{letter}" for word in rest[1:] if word and re.fullmatch(r"-\w+", word) for letter in word[1:]
    }
    if harmful.intersection(rest[1:]) or harmful & bundled:
        yield Reason(DESTROYS, text)


def _unknown_targets(name: str, words: Words) -> Iterator[Reason]:
    if name in _CHANGERS and None in words:
        yield Reason(UNKNOWN_TARGET, name)


def _whole_folders(name: str, words: Words, folders: Sequence[Path], reach: Reach) -> Iterator[Reason]:
    """Deleting the project itself, everything in it, or its history."""
    deletes = name in {"rm", "mv", "rmdir"} or (name == "find" and "-delete" in words)
    if not deletes:
        return
    project = reach.territory.project
    targets = [word for word in words if word and not word.startswith("-")]
    if name == "mv":
        targets = targets[:-1]
    if name == "find":
        targets = targets[:1] if words and words[0] and words[0][:1] not in "-(!" else ["."]
    for target in targets:
        if target in {"*", "./*"} and project in folders:
            yield Reason(DESTROYS, target)
        for folder in folders:
            path = Path(os.path.realpath(folder / target))
            if path == project or path in project.parents or ".git" in map(str.casefold, path.parts):
                yield Reason(DESTROYS, target)


def _outside(name: str, words: Words, folders: Sequence[Path], reach: Reach) -> Iterator[Reason]:
    """Words that name a place where nothing may be written without asking."""
    purposes: list[Purpose] = ["write"] if name in _CHANGERS - {"cp", "install", "ln"} else ["unknown"]
    if name in {"mv", "dd"}:
        purposes.append("unknown")  # under another name it could be read
    scripted = name in {"sed", "awk", "gawk", "mawk", "perl"}
    for word in words:
        if word is None:
            continue
        if scripted and not word.startswith("-"):
            scripted = False
            continue
        for value, folder, purpose in itertools.product(_path_values(word), folders, purposes):
            reason = reach.refuses_argument(value, folder, purpose)
            if reason:
                yield reason


def _path_values(word: str) -> Iterator[str]:
    """The word itself, the value behind `=`, and the path of a `dd` operand."""
    if word.startswith("-") and "=" not in word:
        return
    if not word.isprintable() or "://" in word:
        return
    if not word.startswith("-"):
        yield word
    _name, equals, value = word.partition("=")
    if equals and value:
        yield value
