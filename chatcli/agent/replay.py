"""A recorded session with other settings, without a provider: what each request would have cost.

Tokens are estimated, so that figures are to be compared with each other and not with a bill.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from chatcli.agent.recording import Recording
from chatcli.agent.rehearsal import Rehearsal, Service, Variant
from chatcli.messages import AssistantMessage, Message, ToolSchema, Usage
from chatcli.providers.prices import cost_usd
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


def replay(recording: Recording, variant: Variant, service: Service, tools: Sequence[ToolSchema]) -> Replayed:
    """All requests of a recording, as `variant` would have made them."""
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
            steps.append(
                Step(
                    usage=rehearsed.usage,
                    cost_usd=cost_usd(service.name, service.model, rehearsed.usage),
                    rewrites=rehearsed.rewritten_results,
                )
            )
        before.append(message)
    return Replayed(schedule=variant.schedule, steps=tuple(steps))
