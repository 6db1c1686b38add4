"""What the user allowed ahead of time: `exec:pytest *`, `write:docs/**`, `read:/some/dir`, `network:host`,
`code:sandboxed`.

A rule is matched word by word, never as a prefix of text. `exec:git status` covers exactly these two
words; `exec:pytest *` covers `pytest` and any arguments. Project rules lie in the home of chatcli, never
in the project folder: what is cloned cannot bring its own permissions.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from chatcli.errors import StorageError, UsageError
from chatcli.gate.paths import is_within
from chatcli.i18n import _
from chatcli.session.files import locked, read_private, write_private
from chatcli.session.layout import record_folder

RuleKind = Literal["exec", "read", "write", "network", "code"]
Scope = Literal["run", "session", "project"]

_WILDCARD = re.compile(r"[*?\[]")
_PLAIN_WORD = re.compile(r"[\w@%+=:,./-]+")
_HINT = "exec:pytest *   write:docs/**   read:/some/dir   network:example.com   code:sandboxed"


class Rule(Struct, frozen=True):
    """`words` are the words of a command, or one path pattern, or one host, or `sandboxed`."""

    kind: RuleKind
    words: tuple[str, ...]
    any_arguments: bool = False
    """`exec` only: any further words may follow."""

    def __str__(self) -> str:
        words = " ".join(map(_quoted, self.words)) if self.kind == "exec" else self.words[0]
        return f"{self.kind}:{words}{' *' if self.any_arguments else ''}"

    def covers_command(self, words: Sequence[str | None]) -> bool:
        if self.kind != "exec":
            return False
        if self.any_arguments:
            return tuple(words[: len(self.words)]) == self.words
        return tuple(words) == self.words

    def covers_path(self, path: Path, project: Path, user_home: Path) -> bool:
        """`path` is resolved. Without wildcards the rule covers its path and everything below."""
        root, rest = self.path_pattern(project, user_home)
        if not is_within(path, root):
            return False
        return not rest or _matches(path.parts[len(root.parts) :], rest)

    def path_pattern(self, project: Path, user_home: Path) -> tuple[Path, tuple[str, ...]]:
        """The resolved part before the first wildcard, and the patterns after it."""
        pattern = self.words[0]
        if pattern == "~" or pattern.startswith("~/"):
            pattern = str(user_home) + pattern[1:]
        parts = (project / pattern).parts
        plain = next((i for i, part in enumerate(parts) if _WILDCARD.search(part)), len(parts))
        return Path(os.path.realpath(Path(*parts[:plain]))), parts[plain:]

    def covers_host(self, host: str) -> bool:
        """That host alone: those below it may be anybody's, and stand anywhere."""
        return self.kind == "network" and host.casefold() == self.words[0].casefold()


SANDBOXED_CODE = Rule("code", ("sandboxed",))
"""Scripts that a sandbox holds altogether."""


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
    if kind == "network" and "*" in pattern:
        raise UsageError(_("a rule for the network names one host: {text!r}").format(text=text), hint=_HINT)
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

    def of_kind(self, kind: RuleKind, *, given_only: bool = False) -> tuple[Rule, ...]:
        """Rules in force; `given_only` leaves those of `--allow`.

        Stored rules that cannot be read allow nothing; `list_rules` says why.
        """
        try:
            self._reload()
        except StorageError:
            self._stored, self._stamp = (), None
        rules = self._given if given_only else (*self._given, *self._session, *self._stored)
        return tuple(rule for rule in rules if rule.kind == kind)

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


def _quoted(word: str) -> str:
    """As a shell reads it; letters of every language stay readable."""
    return word if _PLAIN_WORD.fullmatch(word) else shlex.quote(word)


def _matches(parts: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    if not patterns:
        return not parts
    head, *tail = patterns
    if head == "**":
        return any(_matches(parts[skip:], tuple(tail)) for skip in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], head) and _matches(parts[1:], tuple(tail))


def _read(path: Path) -> tuple[Rule, ...]:
    content = read_private(path)
    if content is None:
        return ()
    import tomllib

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
