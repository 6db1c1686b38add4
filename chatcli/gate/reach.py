"""What may be read and written without asking: the session's own places and what the rules add."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from chatcli.errors import Denied
from chatcli.gate.paths import Place, Territory, is_within, runs_by_itself
from chatcli.gate.reasons import N_, Reason
from chatcli.gate.rules import Rule, RuleKind, Rules
from chatcli.gate.words import PIPE_NAME

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


Purpose = Literal["read", "search", "write", "unknown"]


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
        return None

    def refuses_to_search(self, path: Path) -> Reason | None:
        """For a program that reads everything below a folder."""
        holds = self.territory.secrets_below(path) and not self._allows("read", path)
        return self.refuses_to_read(path) or (Reason(HOLDS_SECRETS, str(path)) if holds else None)

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

    def refuses_argument(self, text: str, folder: Path, purpose: Purpose) -> Reason | None:
        """The same for a path as a command line names it; an empty word names nothing.

        What a program that is not known to only read is told, it may read or write. Saved results are let
        through, since they cannot be written anyway.
        """
        if not text or text in HARMLESS_DEVICES:
            return None
        try:
            path = self.territory.resolve(text, folder)
        except Denied:
            return Reason(OUTSIDE, text)
        match purpose:
            case "read":
                return self.refuses_to_read(path)
            case "search":
                return self.refuses_to_search(path)
            case "write":
                return self.refuses_to_write(path)
        place = self.territory.place(path)
        if place.kind == "results":
            return None
        if place.kind == "outside" and not self._allows("write", path):
            return Reason(OUTSIDE, str(path))
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
