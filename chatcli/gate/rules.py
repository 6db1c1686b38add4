"""What the user allowed ahead of time: `exec:pytest *`, `write:docs/**`, `read:/some/dir`, `network:host`.

A rule is matched word by word, never as a prefix of text. `exec:git status` covers exactly these two
words; `exec:pytest *` covers `pytest` and any arguments. Project rules lie in the home of chatcli, never
in the project folder: what is cloned cannot bring its own permissions.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from chatcli.errors import StorageError, UsageError
from chatcli.gate.private import locked, read_private, record_folder, write_private
from chatcli.i18n import _

RuleKind = Literal["exec", "read", "write", "network"]
Scope = Literal["run", "session", "project"]

_HINT = "exec:pytest *   write:docs/**   read:/some/dir   network:example.com"


class Rule(Struct, frozen=True):
    """`words` are the words of a command, or one path pattern, or one host."""

    kind: RuleKind
    words: tuple[str, ...]
    any_arguments: bool = False
    """`exec` only: any further words may follow."""

    def __str__(self) -> str:
        words = shlex.join(self.words) if self.kind == "exec" else self.words[0]
        return f"{self.kind}:{words}{' *' if self.any_arguments else ''}"

    def covers_command(self, words: Sequence[str]) -> bool:
        if self.kind != "exec":
            return False
        if self.any_arguments:
            return tuple(words[: len(self.words)]) == self.words
        return tuple(words) == self.words


class KnownRule(Struct, frozen=True):
    """A rule in force. `run`: given by `--allow`; `session`: until the end; `project`: stored."""

    rule: Rule
    scope: Scope


def parse_rule(text: str) -> Rule:
    """Read the spelling of `--allow`. Raises `UsageError`."""
    kind, colon, pattern = text.partition(":")
    pattern = pattern.strip()
    if not colon or kind not in get_args(RuleKind) or not pattern or not pattern.isprintable():
        raise UsageError(_("not a rule: {text!r}").format(text=text), hint=_HINT)
    if kind != "exec":
        return Rule(kind, (pattern,))  # type: ignore[arg-type]
    any_arguments = re.search(r"\s\*$", pattern) is not None
    try:
        words = shlex.split(pattern[:-1] if any_arguments else pattern)
        quoted = shlex.split(pattern[:-1] if any_arguments else pattern, posix=False)
    except ValueError as error:
        raise UsageError(_("not a rule: {text!r}").format(text=text), hint=_HINT) from error
    if not words or "*" in quoted:
        raise UsageError(
            _("a rule for commands may have one *, as its last word: {text!r}").format(text=text), hint=_HINT
        )
    return Rule("exec", tuple(words), any_arguments)


class Rules:
    """All rules in force for one project. Several processes may store rules at once."""

    def __init__(self, home: Path, project: Path, *, allow: Sequence[str] = ()) -> None:
        """`allow` are the texts of `--allow`; raises `UsageError` when one cannot be read."""
        self._path = record_folder(home, project) / "rules.toml"
        self._project = project
        self._given = tuple(parse_rule(text) for text in allow)
        self._session: tuple[Rule, ...] = ()
        self._stored: tuple[Rule, ...] = ()
        self._stamp: tuple[int, int] | None = None

    def list_rules(self) -> tuple[KnownRule, ...]:
        """Raises `StorageError` when the stored rules cannot be trusted or read."""
        self._reload()
        return (
            *(KnownRule(rule, "run") for rule in self._given),
            *(KnownRule(rule, "session") for rule in self._session),
            *(KnownRule(rule, "project") for rule in self._stored),
        )

    def of_kind(self, kind: RuleKind, *, scopes: Sequence[Scope] = get_args(Scope)) -> tuple[Rule, ...]:
        """Stored rules that cannot be read allow nothing; `list_rules` says why."""
        try:
            known = self.list_rules()
        except StorageError:
            known = tuple(KnownRule(r, "run") for r in self._given)
            known += tuple(KnownRule(r, "session") for r in self._session)
        return tuple(k.rule for k in known if k.rule.kind == kind and k.scope in scopes)

    def add(self, rule: Rule, scope: Literal["session", "project"]) -> None:
        """From now on. Raises `StorageError` when a project rule cannot be stored."""
        if scope == "session":
            if rule not in self._session:
                self._session = (*self._session, rule)
            return
        with locked(self._path):
            stored = _read(self._path)
            if rule not in stored:
                write_private(self._path, _encode((*stored, rule), self._project))

    def revoke(self, rule: Rule) -> bool:
        """Forget a rule in every scope; whether there was one."""
        known = any(entry.rule == rule for entry in self.list_rules())
        self._given = tuple(r for r in self._given if r != rule)
        self._session = tuple(r for r in self._session if r != rule)
        if rule in self._stored:
            with locked(self._path):
                kept = tuple(r for r in _read(self._path) if r != rule)
                write_private(self._path, _encode(kept, self._project))
        return known

    def _reload(self) -> None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            self._stored, self._stamp = (), None
            return
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp != self._stamp:
            self._stored = _read(self._path)
            self._stamp = stamp


def _read(path: Path) -> tuple[Rule, ...]:
    content = read_private(path)
    if content is None:
        return ()
    try:
        texts = tomllib.loads(content.decode("utf-8"))["rules"]
        return tuple(parse_rule(text) for text in texts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(
            _("{path} cannot be read: {why}").format(path=path, why=error),
            hint=_("Correct or remove the file; until then its rules allow nothing."),
        ) from error


def _encode(rules: Sequence[Rule], project: Path) -> bytes:
    # A JSON string without control characters is a TOML string too.
    lines = [f"  {json.dumps(str(rule), ensure_ascii=False)}," for rule in rules]
    folder = json.dumps(ascii(str(project)).strip("'\""))
    return "\n".join([f"project = {folder}", "rules = [", *lines, "]", ""]).encode()
