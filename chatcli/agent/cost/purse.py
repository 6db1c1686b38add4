"""The money that a session may cost: warned at four fifths, asked or stopped before it is exceeded."""

from __future__ import annotations

from collections.abc import Collection

from chatcli.agent.person import TimedPerson
from chatcli.errors import LimitReached
from chatcli.events import Listener, Notice
from chatcli.i18n import _, figure, filled

WARNED_AT = 0.8
_GOES_ON = frozenset({"y", "yes", "go on", "s", "sim", "continuar", "continue"})
"""Own words in place of the answer that is offered, in every language of the program."""


class MoneyLimit(LimitReached):
    """There is no money for the next request."""

    def __init__(self) -> None:
        super().__init__(
            _("The next request could cost more than this session may."),
            hint="--max-cost, CHATCLI_SESSION_BUDGET_USD",
        )


class Purse:
    """Asked before every request. What has no price cannot be counted; that is told once for each model."""

    def __init__(self, limit_usd: float, person: TimedPerson, listen: Listener) -> None:
        self._step_usd = limit_usd
        self._limit_usd = limit_usd
        self._person = person
        self._listen = listen
        self._warned = False
        self._told_unknown: set[str] = set()

    @property
    def is_limited(self) -> bool:
        return self._step_usd > 0

    async def allow(
        self, spent_usd: float, next_usd: float | None, model: str, unpriced: Collection[str] = ()
    ) -> None:
        """Let one more request pass, or raise `MoneyLimit`. `next_usd` is what it is likely to cost.

        A request without a price passes, and that is told; so is that what the models `unpriced` cost before
        does not count. At the limit a person is asked; each yes is worth the same amount again.
        """
        if not self.is_limited:
            return
        if next_usd is None:
            text = _(
                "The price of {model} is unknown: the limit of ${limit} cannot be held. A table "
                '[prices."{model}"] in settings.toml gives it one.'
            )
            self._tell_once(model, text)
        for earlier in unpriced:
            text = _(
                "What {model} has cost in this session is unknown: "
                "it does not count against the limit of ${limit}."
            )
            self._tell_once(earlier, text)
        if spent_usd + (next_usd or 0.0) <= self._limit_usd:
            self._warn(spent_usd)
            return
        if not self._person.present:
            self._listen(Notice("warning", self._at_the_limit(spent_usd)))
            raise MoneyLimit()
        if not await self._person_goes_on(spent_usd):
            raise MoneyLimit()
        self._limit_usd = spent_usd + self._step_usd
        self._warned = False

    async def _person_goes_on(self, spent_usd: float) -> bool:
        more, stop = filled(_("Go on for another ${usd}"), usd=_amount(self._step_usd)), _("Stop here")
        answer = await self._person.ask(self._at_the_limit(spent_usd), [more, stop]) or ""
        return answer == more or answer.strip().lower() in _GOES_ON

    def _at_the_limit(self, spent_usd: float) -> str:
        text = _("This session has cost ${spent:.4f} of ${limit}; the next request may exceed that.")
        return filled(text, spent=spent_usd, limit=_amount(self._limit_usd))

    def _warn(self, spent_usd: float) -> None:
        if not self._warned and spent_usd >= WARNED_AT * self._limit_usd:
            self._warned = True
            text = _("This session has cost ${spent:.4f} of the ${limit} that it may.")
            self._listen(Notice("warning", filled(text, spent=spent_usd, limit=_amount(self._limit_usd))))

    def _tell_once(self, model: str, text: str) -> None:
        """The first time that something of this model cannot be counted."""
        if model not in self._told_unknown:
            self._told_unknown.add(model)
            self._listen(Notice("warning", filled(text, model=model, limit=_amount(self._step_usd))))


def _amount(usd: float) -> str:
    """As a person would give it: cents, and more digits where there are any."""
    text = f"{usd:.4f}".rstrip("0")
    return figure(text if len(text.partition(".")[2]) > 1 else f"{usd:.2f}")
