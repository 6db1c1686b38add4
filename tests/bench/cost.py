"""What prompts cost under each schedule: sessions of work, the real pipeline, an exact cache book."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from chatcli.agent.rehearsal import Rehearsal
from chatcli.settings import Schedule
from tests.bench.table import Figure
from tests.bench.traces import SERVICE, Bill, SimulatedMarks, Turn, carry_out, mixed, reading

Trace = Callable[[int, int], Iterator[Turn]]
SESSIONS = 20
TRACES: Sequence[tuple[str, Trace, int, type[Rehearsal], float, float]] = (
    ("mixed work, 20 turns", mixed, 20, Rehearsal, 0.95, 0.80),
    ("mixed work, 60 turns", mixed, 60, Rehearsal, 0.80, 0.82),
    ("the same, simulated marks", mixed, 60, SimulatedMarks, 0.85, 0.70),
    ("60 whole source files", reading, 60, Rehearsal, 0.65, 0.70),
)
"""Name, trace, turns, marks, and the most that `auto` may cost of what `off` and of what `eager` costs."""


def figures() -> Iterator[Figure]:
    for name, trace, turns, rehearse, of_off, of_eager in TRACES:
        auto = mean_of(trace, turns, "auto", rehearse)
        for other, bound in (("off", of_off), ("eager", of_eager)):
            against = mean_of(trace, turns, other, rehearse)  # type: ignore[arg-type]
            yield Figure(
                name=f"auto against {other}: {name}",
                value=auto.usd / against.usd,
                bound=bound,
                unit="x",
                detail=f"auto {described(auto)}; {other} {described(against)}",
            )


def mean_of(
    trace: Trace,
    turns: int,
    schedule: Schedule,
    rehearse: type[Rehearsal] = Rehearsal,
    sessions: int = SESSIONS,
) -> Bill:
    """The mean over sessions that differ by their seed."""
    bills = [carry_out(trace(seed, turns), schedule, SERVICE, rehearse) for seed in range(sessions)]
    return Bill(**{name: _mean(bills, name) for name in Bill.__struct_fields__})


def described(bill: Bill) -> str:
    return f"${bill.usd:.3f}, peak {bill.peak_tokens / 1000:.0f}k, {bill.rewrites:.1f} rewrites"


def _mean(bills: Sequence[Bill], name: str) -> float:
    return statistics.mean(getattr(bill, name) for bill in bills)
