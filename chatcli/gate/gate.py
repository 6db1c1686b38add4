"""The one place that allows, asks or denies: reading, writing, commands, network.

Four levels of autonomy. `plan`: reading alone. `ask`: reading runs, the rest asks. `edits`: writes inside
the project run too. `all`: whatever stays inside the project runs; what is dangerous still asks. Where
nobody can be asked, an ask is a denial that names the flag which would allow it.

Everything here raises `errors.Denied` with a text for the model.
"""

from __future__ import annotations

import asyncio
import hashlib
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from chatcli.errors import Denied
from chatcli.gate.commands import Verdict, analyse
from chatcli.gate.paths import Territory, runs_by_itself
from chatcli.gate.questions import Answer, Approver, Question
from chatcli.gate.reasons import N_, Reason
from chatcli.gate.rules import KnownRule, Rule, Rules
from chatcli.i18n import _

Autonomy = Literal["plan", "ask", "edits", "all"]

_PLAN = "Plan mode: only reading runs, this was not done. Go on reading, or present your plan to the user."


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
        user_home: Path | None = None,
    ) -> None:
        """`extra_readable` are the saved tool results, `extra_writable` is the scratch folder."""
        self.territory = Territory(
            project,
            home=home,
            user_home=user_home or Path.home(),
            readable=extra_readable,
            writable=extra_writable,
        )
        self.rules = rules
        self.autonomy: Autonomy = autonomy
        self.approver = approver
        self._asking = asyncio.Lock()

    async def read(self, path: str) -> Path:
        """The resolved path, allowed for reading; it need not exist."""
        resolved = self.territory.resolve(path)
        place = self.territory.place(resolved)
        if place.kind == "secret":
            raise Denied(f"{resolved} may hold keys or passwords: it is not read.")
        if place.kind == "special":
            raise Denied(f"{resolved} is a device, a pipe or a socket: it is not opened.")
        if place.kind != "outside":
            return resolved
        if self.autonomy == "plan":
            raise Denied(f"{resolved} is outside the project. {_PLAN}")
        await self._ask(
            Question(
                kind="read",
                title=_("Read outside the project"),
                subject=str(resolved),
                rule=Rule("read", (str(resolved),)),
                digest=_digest(str(resolved).encode()),
            )
        )
        return resolved

    def writable(self, path: str) -> Path:
        """The resolved path of a file that may be asked to be written; it need not exist."""
        resolved = self.territory.resolve(path)
        place = self.territory.place(resolved)
        if place.kind == "secret":
            raise Denied(f"{resolved} may hold keys or passwords: it is not written.")
        if place.kind == "special" or place.is_folder:
            raise Denied(f"{resolved} is not a regular file.")
        if place.kind == "results":
            raise Denied("Saved tool results are never changed. Write to the project or the scratch folder.")
        if self.autonomy == "plan":
            raise Denied(_PLAN)
        return resolved

    async def write(self, changes: Sequence[Change], diff: str) -> tuple[ApprovedChange, ...]:
        """Approve all changes or none; what comes back is exactly what may be written."""
        approved = tuple(ApprovedChange(self.writable(str(c.path)), c.before, c.after) for c in changes)
        reasons = [reason for change in approved for reason in self._write_reasons(change.path)]
        if not reasons:
            return approved
        rule = Rule("write", (str(approved[0].path),)) if len(approved) == 1 else None
        await self._ask(
            Question(
                kind="write",
                title=_("Write files"),
                subject="\n".join(str(change.path) for change in approved),
                detail=diff,
                reasons=tuple(reason.shown() for reason in reasons),
                rule=rule,
                digest=_digest(*(part for c in approved for part in (str(c.path).encode(), c.after))),
            )
        )
        return approved

    def judge(self, text: str, folder: Path | None = None) -> Verdict:
        """What would happen to this command line now."""
        analysis = analyse(text, folder or self.territory.project, self.territory)
        reasons = tuple(str(r) for r in (*analysis.dangers, *analysis.uncovered))
        if analysis.read_only:
            return Verdict("allow", True)
        if self.autonomy == "plan":
            return Verdict("deny", False, reasons)
        if self.autonomy == "all" and not analysis.dangers:
            return Verdict("allow", False)
        return Verdict("ask", False, reasons, analysis.rule)

    async def command(self, text: str, folder: Path | None = None) -> Verdict:
        """Allow this exact text to run in this folder."""
        verdict = self.judge(text, folder)
        if verdict.decision == "deny":
            raise Denied(_PLAN)
        if verdict.decision == "ask":
            await self._ask(
                Question(
                    kind="command",
                    title=_("Run a command"),
                    subject=text,
                    reasons=verdict.reasons,
                    rule=verdict.rule,
                    digest=_digest(text.encode()),
                )
            )
        return verdict

    async def network(self, url: str) -> None:
        """Allow one address."""
        if self.autonomy == "plan":
            raise Denied(_PLAN)
        await self._ask(
            Question(kind="network", title=_("Open an address"), subject=url, digest=_digest(url.encode()))
        )

    def list_rules(self) -> tuple[KnownRule, ...]:
        return self.rules.list_rules()

    def revoke(self, rule: Rule) -> bool:
        return self.rules.revoke(rule)

    def _write_reasons(self, path: Path) -> list[Reason]:
        place = self.territory.place(path)
        self_running = runs_by_itself(path)
        if self_running:
            return [self_running]
        if place.kind == "outside":
            return [Reason(N_("it is outside the project: {about}"), str(path))]
        if place.kind == "scratch" or self.autonomy in {"edits", "all"}:
            return []
        return [Reason(N_("it changes {about}"), str(path))]

    async def _ask(self, question: Question) -> None:
        if self.approver is None:
            flag = f"--allow {shlex.quote(str(question.rule))} or " if question.rule else ""
            raise Denied(f"Nobody is there to approve this. It needs {flag}a higher --approve level.")
        async with self._asking:
            answer = await self.approver.approve(question)
        self._settle(answer, question)

    def _settle(self, answer: Answer, question: Question) -> None:
        match answer.choice:
            case "once":
                return
            case "session" | "project" as scope:
                if question.rule:
                    self.rules.add(question.rule, scope)
            case _:
                why = f" Reason: {answer.reason}" if answer.reason else " No reason was given."
                raise Denied(f"The user denied this.{why} Do not try the same again.")


def _digest(*parts: bytes) -> str:
    """One SHA-256 over all parts; their lengths keep the borders apart."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
