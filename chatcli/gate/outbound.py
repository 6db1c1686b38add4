"""Which programs of a command line talk to other machines although they are not known to send."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from chatcli.gate.analysis import Unit
from chatcli.gate.reasons import Reason
from chatcli.gate.rules import Rule
from chatcli.gate.wrappers import INTERPRETERS
from chatcli.i18n import N_

INLINE_CODE = N_("its code may reach the network, and text from outside was read in this session: {about}")
NEW_CODE = N_("it was written after text from outside was read, and may reach the network: {about}")
AFTER_OUTSIDE = N_("it reaches the network, and text from outside was read in this session: {about}")

_PROGRAM_NAMES = """
    curl wget http https xh aria2c pip pip3 pipx uv uvx poetry pdm conda npm npx pnpm yarn bun deno cargo
    gem bundle composer brew apt apt-get dnf yum apk pacman snap flatpak mvn gradle nix svn hg lynx links w3m
    yt-dlp youtube-dl axel lftp tftp ftpget websocat grpcurl whois tracepath mtr nmap resolvectl
    systemd-resolve helm terraform tofu pulumi ansible ansible-playbook restic ab siege wrk
"""
_NETWORK_PROGRAMS = frozenset(_PROGRAM_NAMES.split())
_NETWORK_MODULES = frozenset({"pip", "ensurepip", "webbrowser", "http.server", "smtpd", "uv", "pipx"})
_REMOTE_ACTIONS = {
    "git": frozenset(
        {"clone", "fetch", "pull", "push", "ls-remote", "submodule", "remote", "lfs", "archive"}
    ),
    "go": frozenset({"get", "install", "mod"}),
    "openssl": frozenset({"s_client", "s_time", "ocsp"}),
    "getent": frozenset({"hosts", "ahosts", "ahostsv4", "ahostsv6"}),
    "busybox": frozenset(
        {"wget", "nc", "telnet", "tftp", "ftpget", "ftpput", "nslookup", "ping", "ssl_client"}
    ),
}


# How interpreters are given code in the line: -c, -e, -ne, -r, -p.
_INLINE = re.compile(r"-[A-Za-z]*[ceErp]|--(?:eval|print|execute)(?:=.*)?|-[Cc]ommand", re.DOTALL)
_AWK_REACHES = re.compile(r"system\s*\(|getline|/inet|\|")


def reasons_to_ask(
    units: Sequence[Unit], rules: Sequence[Rule], is_new: Callable[[Path], bool]
) -> tuple[Reason, ...]:
    """Why the programs of a line, however deep they are nested, may reach other machines.

    `is_new`: whether a file was written since that text came in. A rule that spells out every word was
    written in the knowledge of what it does.
    """
    exact = [rule for rule in rules if not rule.any_arguments]
    return tuple(dict.fromkeys(_reasons(units, exact, is_new)))


def _reasons(
    units: Sequence[Unit], exact: Sequence[Rule], is_new: Callable[[Path], bool]
) -> Iterator[Reason]:
    for unit in units:
        if unit.words and any(rule.covers_command(unit.words) for rule in exact):
            continue
        for name, *words in unit.calls:
            if name in _NETWORK_PROGRAMS or _REMOTE_ACTIONS.get(name, frozenset()).intersection(words):
                yield Reason(AFTER_OUTSIDE, name)
            elif INTERPRETERS.fullmatch(name) and _has_code(name, words):
                yield Reason(INLINE_CODE, name)
        for path in unit.code:
            if is_new(path):
                yield Reason(NEW_CODE, path.name)
        yield from _reasons(unit.inner, exact, is_new)


def _has_code(name: str, words: Sequence[str]) -> bool:
    if name.endswith("awk"):
        return any(map(_AWK_REACHES.search, words))
    if "-m" in words[:-1]:
        return words[words.index("-m") + 1] in _NETWORK_MODULES
    return any(map(_INLINE.fullmatch, words))
