"""/compact: the model sums up what is older, and is shown that instead; undo shows it all again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatcli.gate.screen import safe_text
from chatcli.i18n import _
from chatcli.terminal.cells import fill
from chatcli.terminal.figures import short_count
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl


async def _compact(repl: Repl, text: str) -> None:
    if text == "undo":
        _undo(repl)
    else:
        repl.tell(_("What is older than the last turns is being summed up …"))
        repl.start_task(_sum_up(repl, text))


async def _sum_up(repl: Repl, keep: str) -> None:
    compaction = await repl.conversation.compact(keep)
    if compaction is None:
        repl.tell(_("Nothing was summed up: it was cancelled, or would not make the conversation shorter."))
        return
    columns = repl.screen.columns
    paragraphs = safe_text(compaction.summary).splitlines()
    repl.screen.print(["", *(row for paragraph in paragraphs for row in fill(paragraph, columns))])
    text = _("{before} → {after} tokens. Nothing is lost: /compact undo shows the model all of it again.")
    before, after = short_count(compaction.before_tokens), short_count(compaction.after_tokens)
    repl.tell(text.format(before=before, after=after))


def _undo(repl: Repl) -> None:
    if repl.conversation.undo_compaction():
        repl.tell(_("From now on the model sees again what the last summary stood for."))
    else:
        repl.tell(_("Nothing was summed up in this session."))


COMMANDS = (
    Command(
        name="compact",
        arguments="[WHAT TO KEEP | undo]",
        help=lambda: _("sum up what is older, to make room"),
        run=_compact,
        words=lambda _repl: ("undo",),
    ),
)
