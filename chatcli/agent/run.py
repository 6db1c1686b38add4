"""What one run of the loop works with."""

from __future__ import annotations

from msgspec import Struct

from chatcli.agent.attach import Attaching
from chatcli.agent.calls.dispatch import Dispatch
from chatcli.agent.cost.meter import Meter
from chatcli.agent.cost.money import Spent
from chatcli.agent.inbox import Inbox
from chatcli.agent.modes import Mode
from chatcli.agent.person import TimedPerson
from chatcli.context.pipeline import Pipeline
from chatcli.events import Listener, RunEnd, RunFinished
from chatcli.messages import ToolSchema
from chatcli.providers.base import Block, Provider
from chatcli.providers.retry import RetryPolicy
from chatcli.session.session import Session
from chatcli.settings import CacheTtl, Schedule


class RunLimits(Struct, frozen=True, kw_only=True):
    max_turns: int
    stagnation_turns: int | None
    """None: the detector is off."""


class Run(Struct, kw_only=True):
    """Everything that one run works with, and how far it has got."""

    session: Session
    provider: Provider
    pipeline: Pipeline
    blocks: tuple[Block, ...]
    fence: str
    """As `Request.fence`."""
    tools: tuple[ToolSchema, ...]
    dispatch: Dispatch
    person: TimedPerson
    meter: Meter
    mode: Mode
    limits: RunLimits
    schedule: Schedule
    ttl: CacheTtl
    """How long the cache is asked to keep what it stores."""
    stored_marks: tuple[int, ...]
    """Messages of the last request behind which the cache has a prefix."""
    retry: RetryPolicy
    max_output_tokens: int
    listen: Listener
    attaching: Attaching
    inbox: Inbox
    """Messages typed while it works."""
    turns: int = 0
    tool_calls: int = 0
    begun: str = ""
    """The text that the next reply goes on with, because it was cut."""
    text: str = ""
    """The last text of the model: the answer, once the run has ended."""


def finished(run: Run | None, end: RunEnd, spent: Spent, seconds: float) -> RunFinished:
    """`run` is None when it could not begin."""
    return RunFinished(
        end=end,
        text=run.text if run else "",
        turns=run.turns if run else 0,
        tool_calls=run.tool_calls if run else 0,
        usage=spent.usage,
        cost_usd=spent.usd,
        duration_seconds=round(seconds, 3),
    )
