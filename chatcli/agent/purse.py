"""The money that a session may cost: warned at four fifths, stopped or asked at the end."""

from __future__ import annotations

from chatcli.agent.costs import Meter
from chatcli.agent.person import TimedPerson
from chatcli.events import Listener, Notice
from chatcli.i18n import _

WARNED_AT = 0.8


class Purse:
    """Asked before every request. Money whose price is unknown cannot be counted; that is told once."""

    def __init__(self, limit_usd: float, meter: Meter, person: TimedPerson, listen: Listener) -> None:
        self._step_usd = limit_usd
        self._limit_usd = limit_usd
        self._meter = meter
        self._person = person
        self._listen = listen
        self._warned = False
        self._told_unknown = False

    async def allows_another(self) -> bool:
        """Whether one more request of the size of the last one stays within the limit.

        At the limit a person is asked; each yes is worth the same amount again.
        """
        if not self._step_usd:
            return True
        self._tell_unknown()
        spent = self._meter.session_usd
        if spent + self._meter.last_usd <= self._limit_usd:
            self._warn(spent)
            return True
        if not self._person.present:
            return False
        more, stop = _("Go on for another ${usd:.2f}").format(usd=self._step_usd), _("Stop here")
        question = _("This session has cost ${spent:.4f} of ${limit:.2f}; the next request may exceed that.")
        told = question.format(spent=spent, limit=self._limit_usd)
        if await self._person.ask(told, [more, stop]) != more:
            return False
        self._limit_usd = spent + self._step_usd
        self._warned = False
        return True

    def _warn(self, spent: float) -> None:
        if not self._warned and spent >= WARNED_AT * self._limit_usd:
            self._warned = True
            text = _("This session has cost ${spent:.4f} of the ${limit:.2f} that it may.")
            self._listen(Notice("warning", text.format(spent=spent, limit=self._limit_usd)))

    def _tell_unknown(self) -> None:
        if self._meter.has_unknown_costs and not self._told_unknown:
            self._told_unknown = True
            text = _("The price of this model is unknown: the limit of money cannot be held.")
            self._listen(Notice("warning", text))
