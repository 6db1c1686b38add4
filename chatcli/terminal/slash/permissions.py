"""/permissions and /trust: what is allowed without asking, and what this folder may bring along."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from chatcli.extensions.rules import project_rules_files
from chatcli.gate.screen import exact_text, one_line
from chatcli.gate.trust import Trust
from chatcli.i18n import _
from chatcli.settings import Autonomy
from chatcli.terminal.cells import clip
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl

LEVELS: tuple[Autonomy, ...] = get_args(Autonomy)


async def _permissions(repl: Repl, text: str) -> None:
    word, _space, rest = text.partition(" ")
    for level in LEVELS:
        if word == level:
            repl.set_autonomy(level)
            return
    if word == "revoke":
        _revoke(repl, rest.strip())
    elif word:
        repl.tell(
            _("/permissions, /permissions {levels} or /permissions revoke N").format(levels="|".join(LEVELS)),
            "warning",
        )
    else:
        _list(repl)


def _list(repl: Repl) -> None:
    rules = repl.conversation.gate.list_rules()
    lines = ["", _("autonomy: {level}").format(level=repl.conversation.autonomy)]
    for number, known in enumerate(rules, start=1):
        lines.append(f"{number:>2}. {exact_text(str(known.rule))} · {_scope(known.scope)}")
    repl.screen.print([clip(line, repl.screen.columns) for line in lines])
    repl.tell(_("/permissions revoke N takes one back.") if rules else _("No rules are stored."))


def _revoke(repl: Repl, which: str) -> None:
    gate = repl.conversation.gate
    rules = gate.list_rules()
    if not which.isdecimal() or not 1 <= int(which) <= len(rules):
        repl.tell(_("Which one? /permissions lists them with their numbers."), "warning")
        return
    rule = rules[int(which) - 1].rule
    gate.revoke(rule)
    repl.tell(_("Revoked: {rule}").format(rule=exact_text(str(rule))))


def _scope(scope: str) -> str:
    match scope:
        case "run":
            return _("given by --allow")
        case "session":
            return _("this session")
        case _:
            return _("this project")


async def _trust(repl: Repl, _text: str) -> None:
    trust, folder = Trust(repl.home), repl.conversation.session.folder
    files = list(dict.fromkeys([*trust.config_files(folder), *project_rules_files(folder)]))
    if trust.is_trusted(folder):
        repl.tell(_("This folder is trusted."))
        if await repl.confirm(_("Take the trust back?")):
            trust.untrust(folder)
            repl.tell(_("Its settings count no more from the next start on."))
        return
    digest = trust.digest(folder)
    if files:
        repl.screen.print(
            ["", *(clip(f"  {one_line(repl.shown_path(path))}", repl.screen.columns) for path in files)]
        )
        question = _("Trust this folder and let these files take effect?")
    else:
        repl.tell(_("It has no settings of its own yet; when some appear, you are asked again."))
        question = _("Trust this folder?")
    if await repl.confirm(question):
        trust.trust(folder, digest)
        repl.tell(_("Trusted. Its settings count from the next start on."))


COMMANDS = (
    Command(
        name="permissions",
        arguments="[LEVEL | revoke N]",
        help=lambda: _("what runs without asking; rules"),
        run=_permissions,
        words=lambda _repl: (*LEVELS, "revoke"),
        while_busy=True,
    ),
    Command(name="trust", help=lambda: _("let this folder's settings take effect"), run=_trust),
)
