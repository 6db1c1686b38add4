"""Which programs of a command line talk to other machines although they are not known to send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from chatcli.gate.commands import Unit
from chatcli.gate.reasons import Reason
from chatcli.gate.rules import Rule
from chatcli.i18n import N_

AFTER_OUTSIDE = N_("it reaches the network, and text from outside was read in this session: {about}")

_PROGRAM_NAMES = """
    curl wget http https xh aria2c pip pip3 pipx uv uvx poetry pdm conda npm npx pnpm yarn bun deno cargo
    gem bundle composer brew apt apt-get dnf yum apk pacman snap flatpak mvn gradle nix svn hg lynx links w3m
    yt-dlp youtube-dl axel lftp tftp ftpget websocat grpcurl whois tracepath mtr nmap resolvectl
    systemd-resolve helm terraform tofu pulumi ansible ansible-playbook restic ab siege wrk
"""
_NETWORK_PROGRAMS = frozenset(_PROGRAM_NAMES.split())
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


def reasons_to_ask(units: Sequence[Unit], rules: Sequence[Rule]) -> tuple[Reason, ...]:
    """One for each program that talks to other machines, however deep it is nested.

    A rule that spells out every word was written in the knowledge of what it does.
    """
    exact = [rule for rule in rules if not rule.any_arguments]
    return tuple(dict.fromkeys(Reason(AFTER_OUTSIDE, name) for name in _names(units, exact)))


def _names(units: Sequence[Unit], exact: Sequence[Rule]) -> Iterator[str]:
    for unit in units:
        covered = any(rule.covers_command(unit.words) for rule in exact)
        if unit.words and unit.words[0] and not covered:
            name = PurePosixPath(unit.words[0]).name
            if name in _NETWORK_PROGRAMS or _REMOTE_ACTIONS.get(name, frozenset()).intersection(unit.words):
                yield name
        yield from _names(unit.inner, exact)
