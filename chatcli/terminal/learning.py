"""After a run: learns from what the user said, once they have agreed, and shows what and from which words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatcli.agent.learning import says_something_lasting
from chatcli.errors import UserFacingError
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.memory.consent import read_consent
from chatcli.memory.fact import Fact
from chatcli.terminal.cells import behind, fill

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl

_ASKED = "asked to learn"


async def learn_after_run(repl: Repl) -> None:
    """Nothing happens unless the user said something that sounds lasting, and lets chatcli learn.

    Where they were not asked yet they are told how to answer: a question would take what they type just now.
    """
    conversation = repl.conversation
    settings = conversation.settings
    if settings.memory_mode == "off" or settings.memory_learn == "off":
        return
    if conversation.provider.name == "OFFLINE" or not says_something_lasting(conversation.session):
        return
    agreed = settings.memory_learn == "on" or read_consent(conversation.memory.folder)
    if agreed:
        await learn_now(repl)
    elif agreed is None and _ASKED not in conversation.session.notes:
        conversation.session.set_note(_ASKED, "1")
        offer = _(
            "chatcli can remember facts from what you say: it asks the model and shows what it keeps. "
            "/memory learn on · /memory learn off"
        )
        repl.tell(offer)


async def learn_now(repl: Repl) -> bool:
    """Whether anything was learnt. What keeps the model from answering is told, and ends nothing."""
    try:
        facts = await repl.conversation.learn()
    except UserFacingError as error:
        repl.tell(_("Nothing was learnt: {why}").format(why=error.message), "warning")
        return False
    if facts:
        repl.screen.print(["", *_learnt(facts, repl.screen.columns)])
        repl.tell(_("Remembered for later sessions. /memory undo takes it back."))
    return bool(facts)


def _learnt(facts: list[Fact], columns: int) -> list[str]:
    lines: list[str] = []
    for fact in facts:
        lines += behind("+ ", fill(f"[{fact.category}] {one_line(fact.text)}", columns - 2))
        if fact.category != "episode":
            source = _("you said: “{quote}”").format(quote=one_line(fact.quote))
            lines += behind("    ", fill(source, columns - 4))
    return lines
