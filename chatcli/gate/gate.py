"""The one place that allows, asks or denies: reading, writing, commands, network.

Four levels of autonomy. `plan`: reading alone. `ask`: reading runs, the rest asks. `edits`: writes inside
the project run too. `all`: whatever stays inside the project runs; what is dangerous still asks. Where
nobody can be asked, an ask is a denial that names the flag which would allow it.

Everything here raises `errors.Denied` with a text for the model, or `errors.InvalidArguments` for what can
be no path or address at all.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, structs

from chatcli.errors import Denied, InvalidArguments
from chatcli.gate import refusals
from chatcli.gate.environment import child_environment, search_path
from chatcli.gate.paths import Territory, runs_by_itself
from chatcli.gate.questions import Answer, Approver, Question
from chatcli.gate.reach import OUTSIDE, SECRET_NAME, Reach
from chatcli.gate.reasons import Reason
from chatcli.gate.rules import SANDBOXED_CODE, KnownRule, Rule, RuleKind, Rules
from chatcli.gate.sandbox import Sandbox
from chatcli.i18n import N_, _
from chatcli.settings import Autonomy

if TYPE_CHECKING:
    from chatcli.gate.addresses import Address, Place
    from chatcli.gate.verdict import Decision, Verdict

CARRIES_DATA = N_("the address carries data to {about}")
NOT_PUBLIC = N_("it is a machine here or in a private network: {about}")
METADATA = N_("it may be a cloud's own service, which gives out keys: {about}")
AFTER_OUTSIDE = N_("text from outside was read in this session: it may have asked for this")
FOR_GOOD = N_("what is forgotten is gone for good")


class Change(Protocol):
    """A whole new content for one file."""

    @property
    def path(self) -> Path: ...
    @property
    def before(self) -> bytes | None: ...
    @property
    def after(self) -> bytes: ...


class ApprovedChange(Struct, frozen=True):
    """The very bytes that were approved, and the path through all links where they go."""

    path: Path
    before: bytes | None
    after: bytes


class _Need(Struct, frozen=True):
    """A question, why it is asked, and the autonomy at which it would not be (empty: none)."""

    question: Question
    why: tuple[Reason, ...] = ()
    level: str = ""


class Gate:
    """One per session. `autonomy` and `approver` may be set at any time."""

    def __init__(
        self,
        project: Path,
        *,
        home: Path,
        rules: Rules,
        autonomy: Autonomy = "ask",
        approver: Approver | None = None,
        extra_readable: Sequence[Path] = (),
        extra_writable: Sequence[Path] = (),
        environment: Mapping[str, str] | None = None,
        user_home: Path | None = None,
    ) -> None:
        """`environment` is exactly what commands get; `extra_*` are the folders of the workspace."""
        self.rules = rules
        self.autonomy: Autonomy = autonomy
        self.approver = approver
        self._tainted_at: float | None = None
        inherited = child_environment(os.environ, {}) if environment is None else environment
        self._inherited = {**inherited, "PATH": search_path(inherited.get("PATH", ""))}
        self._asking = asyncio.Lock()
        self.territory = Territory(
            project,
            home=home,
            user_home=user_home or Path.home(),
            readable=extra_readable,
            writable=extra_writable,
        )

    @property
    def tainted(self) -> bool:
        """Text from outside was read: what could carry out orders hidden there asks again."""
        return self._tainted_at is not None

    @tainted.setter
    def tainted(self, tainted: bool) -> None:
        self._tainted_at = (self._tainted_at or time.time()) if tainted else None

    async def read(self, path: str) -> Path:
        """The resolved path, allowed for reading; it need not exist.

        What a search finds below a folder is checked file by file: a key store may lie there.
        """
        resolved = self.territory.resolve(path)
        await self._allow(lambda: self._read_need(resolved))
        return resolved

    def may_show(self, path: Path) -> bool:
        """Whether a file found below a folder that may be read can be shown too. Never asks."""
        return self._reach.may_show(path)

    def writable(self, path: str) -> Path:
        """The resolved path of a file that may be asked to be written; it need not exist."""
        resolved = self.territory.resolve(path)
        place = self.territory.place(resolved)
        barred = self._reach.bars_writing(place)
        if barred:
            raise Denied(f"This is not written: {barred}.")
        if place.is_folder:
            raise InvalidArguments(f"{resolved} is a folder")
        if self.autonomy == "plan" and not self._reach.writes_by_rule(resolved):
            raise self._refusal((), self._write_rule(resolved), "edits")
        return resolved

    async def write(self, changes: Sequence[Change], diff: str) -> tuple[ApprovedChange, ...]:
        """Approve all changes or none; what comes back is exactly what may be written."""
        approved = tuple(ApprovedChange(self.writable(str(c.path)), c.before, c.after) for c in changes)
        await self._allow(lambda: self._write_need(approved, diff))
        for change in approved:
            if self.territory.resolve(str(change.path)) != change.path:
                raise Denied(f"The file changed its place while it was approved: {change.path}")
        return approved

    def judge(self, text: str, folder: Path | None = None) -> Verdict:
        """What would happen to this command line now."""
        # The tables of commands cost 25 ms: paid with the first command, not at every start.
        from chatcli.gate.commands import Surroundings, analyse
        from chatcli.gate.outbound import reasons_to_ask
        from chatcli.gate.verdict import decide, offered_rule

        reach = self._reach
        where = (folder or self.territory.project).resolve()
        analysis = analyse(text, where, Surroundings(reach, self._inherited))
        verdict = decide(analysis, self.autonomy, reach)
        if not self.tainted or verdict.decision != "allow":
            return verdict
        reaches = reasons_to_ask(analysis.units, reach.rules, self._is_new)
        if not reaches:
            return verdict
        decision: Decision = "deny" if self.autonomy == "plan" else "ask"
        rule = offered_rule(analysis.units[0].words) if len(analysis.units) == 1 else None
        exact = None if rule and rule.any_arguments else rule
        return structs.replace(verdict, decision=decision, why=reaches, rule=exact, dangerous=True)

    async def command(self, text: str, folder: Path | None = None) -> Verdict:
        """Allow this exact text to run in this folder."""
        judged: dict[object, Verdict] = {}

        def verdict() -> Verdict:
            # Judged once for what is in force: it may look at many files, and ask git.
            rules = tuple(self.rules.of_kind(kind) for kind in ("exec", "read", "write"))
            in_force = (self.autonomy, self.tainted, rules)
            if in_force not in judged:
                judged[in_force] = self.judge(text, folder)
            return judged[in_force]

        first = await asyncio.to_thread(verdict)
        await self._allow(lambda: self._command_need(text, folder, verdict()))
        return first

    async def script(self, text: str, sandbox: Sandbox) -> None:
        """Allow this exact script to run in this sandbox."""
        await self._allow(lambda: self._script_need(text, sandbox))

    async def network(self, url: str, place: Place = "public") -> None:
        """Allow one address whose host is at this place. Reading a public page is never asked about."""
        from chatcli.gate.addresses import parse_address

        address = parse_address(url)
        await self._allow(lambda: self._network_need(address, place))

    async def remember(self, text: str, *, wished: bool) -> None:
        """Allow a fact to be kept for later sessions; `wished`: the user has just asked for that."""
        await self._allow(lambda: self._remember_need(text, wished))

    async def forget(self, text: str, *, wished: bool) -> None:
        """Allow a fact to be removed for good."""
        await self._allow(lambda: self._forget_need(text, wished))

    def allows_host(self, host: str) -> bool:
        """Whether the user named this very host: then its place does not matter."""
        rules = self.rules.of_kind("network", given_only=self.autonomy == "plan")
        return any(rule.covers_host(host) for rule in rules)

    def list_rules(self) -> tuple[KnownRule, ...]:
        return self.rules.list_rules()

    def revoke(self, rule: Rule) -> bool:
        return self.rules.revoke(rule)

    @property
    def _reach(self) -> Reach:
        return Reach(self.territory, self.rules, given_only=self.autonomy == "plan")

    def _is_new(self, path: Path) -> bool:
        try:
            return path.is_file() and path.stat().st_mtime >= (self._tainted_at or 0.0)
        except (OSError, ValueError):
            return False

    # What has to be asked; None when nothing has to

    def _read_need(self, path: Path) -> _Need | None:
        reason = self._reach.refuses_to_read(path)
        if reason is None:
            return None
        if reason.text not in {OUTSIDE, SECRET_NAME}:
            raise Denied(f"This is not read: {reason}.")
        question = Question(
            kind="read",
            title=(
                _("Read outside the project")
                if reason.text == OUTSIDE
                else _("Read a file that may hold passwords or keys")
            ),
            subject=str(path),
            reasons=(reason.shown(),),
            rule=self._path_rule("read", path),
            digest=_digest(os.fsencode(path)),
        )
        return _Need(question, (reason,))

    def _write_need(self, changes: Sequence[ApprovedChange], diff: str) -> _Need | None:
        reach = self._reach
        risks = tuple(filter(None, (reach.refuses_to_write(change.path) for change in changes)))
        free = self.autonomy in {"edits", "all"} or all(self._is_free(c.path, reach) for c in changes)
        if free and not risks:
            return None
        question = Question(
            kind="write",
            title=_("Write a file") if len(changes) == 1 else _("Write files"),
            subject="\n".join(str(change.path) for change in changes),
            detail=diff,
            reasons=tuple(risk.shown() for risk in risks),
            rule=self._write_rule(changes[0].path) if len(changes) == 1 else None,
            digest=_digest(*(part for c in changes for part in (os.fsencode(c.path), c.after))),
        )
        return _Need(question, risks, "" if risks else "edits")

    def _command_need(self, text: str, folder: Path | None, verdict: Verdict) -> _Need | None:
        if verdict.decision == "allow":
            return None
        if verdict.refused:
            raise Denied(f"Not run: {refusals.few(verdict.why)}.")
        here = folder is None or folder.resolve() == self.territory.project
        question = Question(
            kind="command",
            title=_("Run a command") if here else _("Run a command in {folder}").format(folder=folder),
            subject=text,
            reasons=tuple(reason.shown() for reason in verdict.why),
            rule=verdict.rule,
            digest=hashlib.sha256(text.encode()).hexdigest(),
        )
        return _Need(question, verdict.why, "" if verdict.dangerous else "all")

    def _script_need(self, text: str, sandbox: Sandbox) -> _Need | None:
        """What a sandbox holds altogether is like a command that stays inside the project."""
        rules = self.rules.of_kind("code", given_only=self.autonomy == "plan")
        if not sandbox.gaps and (self.autonomy == "all" or SANDBOXED_CODE in rules):
            return None
        question = Question(
            kind="command",
            title=_("Run a script") if sandbox.gaps else _("Run a script in the sandbox"),
            subject=text,
            reasons=tuple(gap.shown() for gap in sandbox.gaps),
            rule=None if sandbox.gaps else SANDBOXED_CODE,
            digest=hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest(),
        )
        return _Need(question, sandbox.gaps, "" if sandbox.gaps else "all")

    def _network_need(self, address: Address, place: Place) -> _Need | None:
        named = self.allows_host(address.host)
        if named and not (self.tainted and address.carries_data):
            return None
        if place == "metadata" and not named:
            flag = refusals.allow_flag(Rule("network", (address.host,)))
            raise Denied(
                f"Not opened: {Reason(METADATA, address.host)}. Only the user can allow it, with {flag}."
            )
        risks = {NOT_PUBLIC: place == "local" and not named, CARRIES_DATA: address.carries_data}
        why = tuple(Reason(risk, address.host) for risk, holds in risks.items() if holds)
        if not why:
            return None
        question = Question(
            kind="network",
            title=_("Open an address"),
            subject=address.url,
            reasons=tuple(reason.shown() for reason in why),
            rule=None if self.tainted and address.carries_data else Rule("network", (address.host,)),
            digest=hashlib.sha256(address.url.encode()).hexdigest(),
        )
        return _Need(question, why)

    def _remember_need(self, text: str, wished: bool) -> _Need | None:
        if not self.tainted and (wished or self.autonomy in {"edits", "all"}):
            return None
        why = (Reason(AFTER_OUTSIDE),) if self.tainted else ()
        return _Need(_about_memory(_("Remember for later sessions"), text, why), why, "" if why else "edits")

    def _forget_need(self, text: str, wished: bool) -> _Need | None:
        if wished and not self.tainted:
            return None
        why = (Reason(FOR_GOOD),) + ((Reason(AFTER_OUTSIDE),) if self.tainted else ())
        return _Need(_about_memory(_("Forget"), text, why), why)

    def _is_free(self, path: Path, reach: Reach) -> bool:
        return self.territory.place(path).kind == "scratch" or reach.writes_by_rule(path)

    def _write_rule(self, path: Path) -> Rule | None:
        """Never for files that run by themselves."""
        return None if runs_by_itself(path) else self._path_rule("write", path)

    def _path_rule(self, kind: RuleKind, path: Path) -> Rule | None:
        """For this one file; None when its name reads as a pattern."""
        project = self.territory.project
        name = str(path.relative_to(project) if path.is_relative_to(project) else path)
        plain = name.isprintable() and not any(sign in name for sign in "*?[")
        return Rule(kind, (name,)) if plain else None

    # Asking

    async def _allow(self, need_now: Callable[[], _Need | None]) -> None:
        need = need_now()
        if need is None:
            return
        if self.autonomy == "plan" or self.approver is None:
            raise self._refusal(need.why, need.question.rule, need.level)
        async with self._asking:
            # The answer to the question before may have settled this one.
            need = need_now()
            if need is not None:
                self._settle(await self.approver.approve(need.question), need.question)

    def _settle(self, answer: Answer, question: Question) -> None:
        match answer.choice:
            case "once":
                return
            case "session" | "project" as scope:
                if question.rule:
                    self.rules.add(question.rule, scope)
            case _:
                raise refusals.answered(answer)

    def _refusal(self, why: Sequence[Reason], rule: Rule | None, level: str) -> Denied:
        """For what is not even asked."""
        return refusals.in_plan_mode(why) if self.approver else refusals.unattended(why, rule, level)


def _about_memory(title: str, text: str, why: Sequence[Reason]) -> Question:
    return Question(
        kind="memory",
        title=title,
        subject=text,
        reasons=tuple(reason.shown() for reason in why),
        digest=_digest(text.encode()),
    )


def _digest(*parts: bytes) -> str:
    """One SHA-256 over all parts; their lengths keep the borders apart."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
