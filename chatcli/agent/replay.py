"""A recorded session with other settings, without a provider: what each request would have cost.

Tokens are estimated, and scaled by what the session was billed for where the same service answers: figures
are to be compared with each other, and come near the bill for the variant that was recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, structs

from chatcli.agent.recording import Recording
from chatcli.agent.rehearsal import Rehearsal, Service, Variant
from chatcli.messages import AssistantMessage, Message, ToolSchema, Usage
from chatcli.providers.prices import cost_usd
from chatcli.session.entries import UsageRecord
from chatcli.settings import Schedule

_PAUSE_SECONDS = 10.0
"""Between two requests of a transcript that does not tell when they were."""


class Step(Struct, frozen=True, kw_only=True):
    """One request."""

    usage: Usage
    cost_usd: float | None
    rewrites: int
    """Old results that it showed shorter than the request before."""


class Replayed(Struct, frozen=True, kw_only=True):
    """What a variant would have sent."""

    schedule: Schedule
    steps: tuple[Step, ...]

    @property
    def usage(self) -> Usage:
        return sum((step.usage for step in self.steps), Usage())

    @property
    def cost_usd(self) -> float | None:
        """None when a price is not known."""
        known = [step.cost_usd for step in self.steps if step.cost_usd is not None]
        return sum(known) if len(known) == len(self.steps) else None

    @property
    def peak_tokens(self) -> int:
        return max((step.usage.context for step in self.steps), default=0)

    @property
    def rewrites(self) -> int:
        return sum(step.rewrites for step in self.steps)


def bills_of(recording: Recording, service: Service) -> Mapping[int, UsageRecord]:
    """Those of the recording that came from this service, by the `seq` of the reply."""
    return {
        message.seq: recording.billed[message.seq]
        for message in recording.messages
        if isinstance(message, AssistantMessage) and message.seq in recording.billed
        if (message.provider, message.model) == (service.name, service.model)
    }


def _counting_as_billed(service: Service, bills: Collection[UsageRecord]) -> Service:
    """With the ratio of billed tokens to estimated ones that the recorded session had."""
    estimated_tokens = sum(bill.estimated_tokens for bill in bills)
    if not estimated_tokens:
        return service
    billed_tokens = sum(bill.usage.context for bill in bills if bill.estimated_tokens)
    return structs.replace(service, tokens_ratio=billed_tokens / estimated_tokens)


def replay(recording: Recording, variant: Variant, service: Service, tools: Sequence[ToolSchema]) -> Replayed:
    """All requests of a recording, as `variant` would have made them."""
    bills = bills_of(recording, service)
    service = _counting_as_billed(service, bills.values())
    rehearsal = Rehearsal(variant, service, recording.store, blocks=recording.blocks, tools=tools)
    before: list[Message] = []
    steps: list[Step] = []
    now_seconds = 0.0
    for message in recording.messages:
        if before and isinstance(message, AssistantMessage):
            said_seconds = recording.seconds.get(before[-1].seq, now_seconds + _PAUSE_SECONDS)
            now_seconds = max(now_seconds, said_seconds)
            compaction = recording.compaction_at(message.seq)
            rehearsed = rehearsal.request(before, now_seconds, message, compaction)
            usage = rehearsed.usage
            if bill := bills.get(message.seq):
                usage = structs.replace(usage, output=bill.usage.output)
            steps.append(
                Step(
                    usage=usage,
                    cost_usd=cost_usd(service.name, service.model, usage),
                    rewrites=rehearsed.rewritten_results,
                )
            )
        before.append(message)
    return Replayed(schedule=variant.schedule, steps=tuple(steps))
