"""What may be read and written without asking: the session's own places and what the rules add."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from chatcli.errors import Denied, InvalidArguments
from chatcli.gate.paths import Place, Territory, is_within, runs_by_itself
from chatcli.gate.reasons import Reason
from chatcli.gate.rules import Rule, RuleKind, Rules
from chatcli.gate.secretnames import holds_secrets
from chatcli.gate.words import PIPE_NAME
from chatcli.i18n import N_

# Nothing is kept there, and nothing is learned from there.
HARMLESS_DEVICES = frozenset(
    {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", PIPE_NAME}
)

SECRET = N_("it may hold keys or passwords: {about}")
SPECIAL = N_("it is a device, a pipe or a socket: {about}")
OUTSIDE = N_("it is outside the project: {about}")
SAVED_RESULT = N_("saved tool results are never changed: {about}")
HARD_LINK = N_("the same file has other names elsewhere: {about}")
HOLDS_SECRETS = N_("key stores lie below it: {about}")
SECRET_NAME = N_("by its name it holds passwords or keys: {about}")
SECRET_NAME_BELOW = N_("it would read a file that by its name holds passwords or keys: {about}")
UNNAMED = N_("it shows an object of git whose file has no name here: {about}")

_UNSEARCHED = frozenset({".git", "node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox"})
"""Folders of programs of others: their files of keys are for their tests."""
_MAX_LOOKED_AT = 20_000
BY_NAME = frozenset({SECRET_NAME, SECRET_NAME_BELOW, UNNAMED})
"""They ask under every autonomy."""

Purpose = Literal["read", "names", "search", "write", "unknown"]


class Reach:
    """Answers for resolved paths. None means: without asking.

    `given_only` (plan mode): beyond reading, only the rules that were given for this run count.
    """

    def __init__(self, territory: Territory, rules: Rules, *, given_only: bool = False) -> None:
        self.territory = territory
        self._rules = rules
        self._given_only = given_only

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Those for commands."""
        return self._rules_of("exec")

    def refuses_to_read(self, path: Path) -> Reason | None:
        place = self.territory.place(path)
        match place.kind:
            case "secret":
                return None if self._allows_secret("read", path) else Reason(SECRET, str(path))
            case "special":
                return Reason(SPECIAL, str(path))
            case "outside" if not self._allows("read", path) and not self._allows("write", path):
                return Reason(OUTSIDE, str(path))
            case "project" if not place.is_folder and self.is_secret_by_name(path):
                return Reason(SECRET_NAME, str(path))
        return None

    def may_show(self, path: Path) -> bool:
        """Whether a file found below a readable folder may be shown too; `path` need not be resolved."""
        resolved = path.resolve()
        kind = self.territory.place(resolved).kind
        if kind in {"secret", "special"} or (kind == "outside" and resolved != path):
            return False
        return not self.is_secret_by_name(resolved)

    def refuses_to_search(self, path: Path) -> Reason | None:
        """For a program that reads everything below a folder."""
        holds = self.territory.secrets_below(path) and not self._allows("read", path)
        return self.refuses_to_read(path) or (Reason(HOLDS_SECRETS, str(path)) if holds else None)

    def secret_name_below(self, folder: Path, opens: Callable[[Path], bool]) -> Reason | None:
        """For the same; `opens` says whether the program opens a file below the folder.

        Looks at no more than 20,000 names, so that a huge folder holds nothing up; the upper ones first.
        """
        looked_at = 0
        pending = deque([folder])
        while pending and looked_at <= _MAX_LOOKED_AT:
            parent, folders, names = next(os.walk(pending.popleft()), ("", (), ()))
            looked_at += len(folders) + len(names)
            pending += [
                Path(parent, name)
                for name in folders
                if name not in _UNSEARCHED and not Path(parent, name).is_symlink()
            ]
            for path in (Path(parent, name) for name in names if holds_secrets(name)):
                if self.is_secret_by_name(path) and opens(path):
                    return Reason(SECRET_NAME_BELOW, str(path))
        return None

    def refuses_to_write(self, path: Path) -> Reason | None:
        """Inside the project this is None: whether the project itself asks, the autonomy decides."""
        place = self.territory.place(path)
        barred = self.bars_writing(place)
        if barred:
            return barred
        risk = runs_by_itself(path)
        if risk:
            return risk
        if place.other_names and not self._allows("write", path):
            return Reason(HARD_LINK, str(path))
        if place.kind == "outside" and not self._allows("write", path):
            return Reason(OUTSIDE, str(path))
        return None

    def bars_writing(self, place: Place) -> Reason | None:
        """What no answer to a question can allow."""
        match place.kind:
            case "secret" if not self._allows_secret("write", place.path):
                return Reason(SECRET, str(place.path))
            case "special":
                return Reason(SPECIAL, str(place.path))
            case "results":
                return Reason(SAVED_RESULT, str(place.path))
        return None

    def writes_by_rule(self, path: Path) -> bool:
        return self._allows("write", path)

    def is_secret_by_name(self, path: Path) -> bool:
        """And no rule names it: `read:.env` and `read:**/.env` do, `read:.` does not."""
        if not holds_secrets(path.name):
            return False
        for rule in self._rules_of("read"):
            root, wild = rule.path_pattern(self.territory.project, self.territory.user_home)
            if (wild or root == path) and self._covers(rule, path):
                return False
        return True

    def refuses_argument(self, text: str, folder: Path, purpose: Purpose) -> Reason | None:
        """The same for a path as a command line names it; an empty word names nothing.

        What a program that is not known to only read is told, it may read or write. Saved results are let
        through, since they cannot be written anyway.
        """
        if not text or text in HARMLESS_DEVICES:
            return None
        try:
            path = self.territory.resolve(text, folder)
        except (Denied, InvalidArguments):
            return Reason(OUTSIDE, text)
        match purpose:
            case "read":
                return self.refuses_to_read(path)
            case "names":
                reason = self.refuses_to_read(path)
                return reason if reason and reason.text != SECRET_NAME else None
            case "search":
                return self.refuses_to_search(path)
            case "write":
                return self.refuses_to_write(path)
        return self._refuses_unknown_use(path)

    def _refuses_unknown_use(self, path: Path) -> Reason | None:
        place = self.territory.place(path)
        if place.kind == "results":
            return None
        if place.kind == "outside" and not self._allows("write", path):
            return Reason(OUTSIDE, str(path))
        if place.exists and not place.is_folder and self.is_secret_by_name(path):
            return Reason(SECRET_NAME, str(path))
        return self.bars_writing(place) or runs_by_itself(path)

    def _allows(self, kind: RuleKind, path: Path) -> bool:
        return any(self._covers(rule, path) for rule in self._rules_of(kind))

    def _allows_secret(self, kind: RuleKind, path: Path) -> bool:
        """Only a rule that itself names the store or the key: `read:~` opens no `~/.ssh`."""
        for rule in self._rules_of(kind):
            root, _wild = rule.path_pattern(self.territory.project, self.territory.user_home)
            named = root == path or any(is_within(root, store) for store in self.territory.secrets)
            if named and self._covers(rule, path):
                return True
        return False

    def _rules_of(self, kind: RuleKind) -> tuple[Rule, ...]:
        return self._rules.of_kind(kind, given_only=self._given_only and kind != "read")

    def _covers(self, rule: Rule, path: Path) -> bool:
        return rule.covers_path(path, self.territory.project, self.territory.user_home)
