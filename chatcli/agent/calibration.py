"""How many tokens a service bills for each one that the estimator expects: learned from every answer."""

from __future__ import annotations

from chatcli.providers.catalogue import facts
from chatcli.session.entries import UsageRecord
from chatcli.session.sent import Sent

_WEIGHT = 0.3
"""Of the newest answer; those before it have the rest."""


class Calibration:
    """Follows from the records of a session: nothing of it is stored."""

    def __init__(self) -> None:
        self._ratios: dict[tuple[str, str], float] = {}

    def learn(self, record: UsageRecord) -> None:
        """Take in what an answer was billed for; an estimated bill teaches nothing."""
        if record.usage.estimated or not record.estimated_tokens or not record.usage.context:
            return
        service = record.provider, record.model
        ratio = record.usage.context / record.estimated_tokens
        self._ratios[service] = ratio + (1 - _WEIGHT) * (self._ratios.get(service, ratio) - ratio)

    def ratio(self, provider: str, model: str) -> float:
        """Learned, else measured on other people's traffic."""
        return self._ratios.get((provider, model)) or facts(model, provider).tokens_ratio

    def tokens(self, now: Sent, before: Sent | None) -> int:
        """Size of a request: what the one before was billed for, and the estimate of the difference."""
        ratio = self.ratio(now.provider, now.model)
        if before is None or (before.provider, before.model) != (now.provider, now.model):
            return round(now.estimated_tokens * ratio)
        grown_tokens = now.estimated_tokens - before.estimated_tokens
        return max(1, round(before.tokens + grown_tokens * ratio))
