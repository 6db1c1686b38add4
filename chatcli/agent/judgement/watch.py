"""Watches a run for standing still, and decides what is done about it.

Plain repetition ends the run. Going in circles is first told to the model, once; when it goes on,
the person decides, and where nobody is there to decide, the run ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from chatcli.agent.judgement.circling import Circling, Sign
from chatcli.agent.judgement.stagnation import Stagnation
from chatcli.agent.person import TimedPerson
from chatcli.events import Listener, Notice
from chatcli.i18n import _
from chatcli.messages import Text, ToolCall, ToolResult
from chatcli.session.session import Session

ADVICE: dict[Sign, str] = {
    "cycle": (
        "The last turns went in a circle: the same calls in the same order gave the same results. They will "
        "give nothing new. Do something different, or answer from what you have and say what is missing."
    ),
    "errors": (
        "A tool keeps failing in the same way with different arguments. Other arguments will not help: find "
        "out why it fails, take another way, or answer from what you have and say what is missing."
    ),
}


class Watch:
    """One for each run; `turns` is the setting `early_exit_turns`, None when it is off."""

    def __init__(self, turns: int | None, session: Session, person: TimedPerson, listen: Listener) -> None:
        self._on = turns is not None
        self._stagnation = Stagnation(turns or 0)
        self._circling = Circling(turns or 0)
        self._session = session
        self._person = person
        self._listen = listen
        self._advised = False

    def forget(self) -> None:
        """Begin anew: the person said something."""
        self._stagnation.forget()
        self._circling.forget()

    async def must_stop(
        self, calls: Sequence[ToolCall], results: Sequence[ToolResult], texts: Sequence[str]
    ) -> bool:
        """Count one turn, whose results are in the transcript. True: no further tool may run."""
        if not self._on:
            return False
        if self._stagnation.seen(calls, texts):
            return True
        sign = self._circling.seen(calls, results, texts)
        if sign is None:
            return False
        self._circling.forget()
        if self._advised:
            return not await self._may_go_on(sign)
        self._advised = True
        self._session.add_user((Text(ADVICE[sign], origin="notice"),))
        self._listen(Notice("info", _told(sign) + " " + _("The model was told to try something else.")))
        return False

    async def _may_go_on(self, sign: Sign) -> bool:
        """Ask the person, whose own words, if any, the model gets. False when nobody is there."""
        go_on, stop = _("Go on"), _("Stop here")
        answer = await self._person.ask(_told(sign), [go_on, stop])
        if answer is None or answer == stop:
            return False
        if answer != go_on:
            self._session.add_user((Text(answer),))
        self._stagnation.forget()
        return True


def _told(sign: Sign) -> str:
    if sign == "cycle":
        return _("The run goes in a circle: the same calls give the same results.")
    return _("The run is stuck: a tool keeps failing in the same way.")
