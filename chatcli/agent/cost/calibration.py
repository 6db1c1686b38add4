"""How many tokens a service bills for each one that the estimator expects: learned from every answer."""

from __future__ import annotations

from itertools import accumulate

from chatcli.context.tokens import estimate_tokens, message_texts
from chatcli.providers.base import Request
from chatcli.providers.catalogue import facts
from chatcli.providers.tool_forms import written
from chatcli.providers.vocabulary import count_tokens
from chatcli.session.entries import UsageRecord
from chatcli.session.sent import Sent

_WEIGHT = 0.3
"""Of the newest answer; those before it have the rest."""


_SAMPLE_CHARS = 200_000
"""Counted in about 12 ms. What is longer in itself is left out."""


class Calibration:
    """Follows from the records of a session: nothing of it is stored."""

    def __init__(self) -> None:
        self._ratios: dict[tuple[str, str], float] = {}
        self._expected: dict[tuple[str, str], float] = {}

    def learn(self, record: UsageRecord) -> None:
        """Take in what an answer was billed for; an estimated bill teaches nothing."""
        if record.usage.estimated or not record.estimated_tokens or not record.usage.context:
            return
        service = record.provider, record.model
        ratio = record.usage.context / record.estimated_tokens
        self._ratios[service] = ratio + (1 - _WEIGHT) * (self._ratios.get(service, ratio) - ratio)

    def expect(self, request: Request, provider: str) -> None:
        """Before the first bill: count a sample by the vocabulary of the model, where that is loaded."""
        service = provider, request.model
        if service in self._ratios or service in self._expected:
            return
        sample = _sample(request)
        tokens, estimated = count_tokens(request.model, sample), sum(map(estimate_tokens, sample))
        if tokens and estimated:
            self._expected[service] = tokens / estimated

    def ratio(self, provider: str, model: str) -> float:
        """Learned, else counted, else measured on other people's traffic."""
        service = provider, model
        known = self._ratios.get(service) or self._expected.get(service)
        return known or facts(model, provider).tokens_ratio

    def tokens(self, now: Sent, before: Sent | None) -> int:
        """Size of a request: what the one before was billed for, and the estimate of the difference."""
        ratio = self.ratio(now.provider, now.model)
        if before is None or (before.provider, before.model) != (now.provider, now.model):
            return round(now.estimated_tokens * ratio)
        grown_tokens = now.estimated_tokens - before.estimated_tokens
        return max(1, round(before.tokens + grown_tokens * ratio))


def _sample(request: Request) -> list[str]:
    """The texts of a request from the beginning, as far as they tell enough."""
    texts = [block.text for block in request.system]
    texts += [written(tool, request.tool_form) for tool in request.tools]
    texts += [text for message in request.messages for text in message_texts(message)]
    ends = accumulate(map(len, texts))
    return [text for text, end in zip(texts, ends, strict=True) if end <= _SAMPLE_CHARS]
