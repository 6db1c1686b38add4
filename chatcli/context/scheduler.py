"""When old results are rewritten: as soon as they come of age, never, or when it pays.

A rewrite breaks the cached prefix: what stands behind it is written again, at `write_price` instead
of `read_price` a token. In return, what it removes is read no more in any later request. How many of
those will come is not known, so the rule is that of renting until one has paid as much as buying
costs: to go on reading what could be gone is rent, and as soon as the rent paid by all results
behind some point covers the price of the rewrite from there, they are rewritten together. Rewrites
become rare and deep by that. Where nothing is cached they cost nothing and are made at once.

The rent follows from sizes and ages alone: nothing is remembered from one request to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from chatcli.settings import Schedule

_HIGH_PRESSURE = 0.75
_WORTHWHILE = 0.10
"""Of the window: what must be gained under pressure. To rewrite for less would soon be done again."""


class Occasion(Struct, frozen=True, kw_only=True):
    """What a request is prepared for. Prices are multiples of what an uncached input token costs."""

    schedule: Schedule = "eager"
    read_price: float = 1.0
    write_price: float = 1.0
    """Both 1.0 where nothing is cached, and where the price is unknown."""
    cold: bool = False
    """The cache is lost already: idle for too long, or the model, the tools or the system changed."""
    overflow: bool = False
    """The request does not fit: room is made whatever the schedule says."""
    context_tokens: int = 0
    """What stands in the window before this request, everything included."""
    window_tokens: int = 0
    """Size of the model's window; 0 when unknown."""

    def reason_to_rewrite_all(self) -> str:
        """Why everything that has come of age is rewritten whatever it saves; empty when that is not so."""
        if self.overflow:
            return "overflow"
        if self.schedule == "eager" or self.write_price <= self.read_price:
            return "age"
        return "cold" if self.cold else ""

    def price_of_losing_a_token(self) -> float:
        """What a cached token costs more when it is written again instead of read."""
        return 0.0 if self.cold else max(0.0, self.write_price - self.read_price)


class Candidate(NamedTuple):
    """A result that has come of age."""

    position: int
    saved_tokens: int
    waited_turns: int
    """Requests since it came of age, this one included."""
    tokens_from_here: int
    """Of it and everything behind it, as it is now."""


class Choice(NamedTuple):
    """Rewrite everything due from the message at `start` on, because of `reason`."""

    start: int
    reason: str


def choose(candidates: Sequence[Candidate], occasion: Occasion) -> Choice | None:
    """What it pays to rewrite before this request. `candidates` in the order of the view, at least one."""
    if _is_pressed(sum(candidate.saved_tokens for candidate in candidates), occasion):
        return Choice(candidates[0].position, "pressure")
    paid = _first_that_is_paid(candidates, occasion)
    return None if paid is None else Choice(paid, "rent")


def _is_pressed(saved_tokens: int, occasion: Occasion) -> bool:
    window = occasion.window_tokens
    return occasion.context_tokens > _HIGH_PRESSURE * window > 0 and saved_tokens >= _WORTHWHILE * window


def _first_that_is_paid(candidates: Sequence[Candidate], occasion: Occasion) -> int | None:
    """The earliest position from which on all rewrites together have paid what they cost."""
    paid: int | None = None
    saved_tokens, rent = 0, 0.0
    for candidate in reversed(candidates):
        saved_tokens += candidate.saved_tokens
        rent += occasion.read_price * candidate.saved_tokens * candidate.waited_turns
        rewritten_tokens = candidate.tokens_from_here - saved_tokens
        if rent >= occasion.price_of_losing_a_token() * rewritten_tokens:
            paid = candidate.position
    return paid
