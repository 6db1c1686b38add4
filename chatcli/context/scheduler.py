"""When old results are rewritten: as soon as they come of age, never, or when it pays.

A rewrite breaks the cached prefix: everything behind it is written again, at `write` instead of
`read` a token. In return what it removes is no longer read in every later request. How many requests
will come is not known, so the rule is that of renting until one has paid as much as buying costs:
reading what could be gone is rent, and when the rent so far reaches the price of the rewrite, it is
made, of everything behind the same point at once. That never costs more than about twice what the
best choice made in hindsight would have. Where nothing is cached, a rewrite is free and made at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from chatcli.settings import Schedule

_HIGH_PRESSURE = 0.75
_WORTHWHILE = 0.10  # of the window: what must be gained under high pressure
_FULL_PRESSURE = 0.92


class Occasion(Struct, frozen=True, kw_only=True):
    """What a request is prepared for. Prices are multiples of what an uncached input token costs."""

    schedule: Schedule = "eager"
    read_price: float = 1.0
    write_price: float = 1.0
    """Both 1.0 where nothing is cached, and where the price is unknown."""
    cold: bool = False
    """The cache is lost already: idle for too long, or the model, the tools or the system changed."""
    context_tokens: int = 0
    """What the request would have, everything included."""
    window_tokens: int = 0
    """Size of the model's window; 0 when unknown."""
    rent: float = 0.0
    """Of the view before, in uncached input tokens."""


class Candidate(NamedTuple):
    """A result that has come of age."""

    position: int
    saved_tokens: int
    """At least 1."""
    tokens_from_here: int
    """Of it and everything behind it, as it is now."""


class Choice(NamedTuple):
    """Rewrite everything due from `start` on (None: nothing) because of `reason`; go on with `rent`."""

    start: int | None
    reason: str
    rent: float


def choose(candidates: Sequence[Candidate], occasion: Occasion) -> Choice:
    """What to rewrite before this request. `candidates` in the order of the view."""
    if not candidates or occasion.schedule == "off":
        return Choice(None, "", occasion.rent)
    first = candidates[0].position
    if occasion.schedule == "eager" or occasion.write_price <= occasion.read_price:
        return Choice(first, "age", 0.0)
    if occasion.cold:
        return Choice(first, "cold", 0.0)
    if _is_pressed(sum(candidate.saved_tokens for candidate in candidates), occasion):
        return Choice(first, "pressure", 0.0)
    position, saved_tokens, price = _cheapest(candidates, occasion.write_price - occasion.read_price)
    rent = occasion.rent + occasion.read_price * saved_tokens
    return Choice(position, "rent", 0.0) if rent >= price else Choice(None, "", rent)


def _is_pressed(saved_tokens: int, occasion: Occasion) -> bool:
    window = occasion.window_tokens
    if not window:
        return False
    full = occasion.context_tokens / window
    return full > _FULL_PRESSURE or (full > _HIGH_PRESSURE and saved_tokens >= _WORTHWHILE * window)


def _cheapest(candidates: Sequence[Candidate], surcharge: float) -> tuple[int, int, float]:
    """Where to begin so that a saved token costs least: the position, what it saves, what it costs."""
    options: list[tuple[float, int, int, float]] = []
    saved_tokens = 0
    for candidate in reversed(candidates):
        saved_tokens += candidate.saved_tokens
        price = surcharge * (candidate.tokens_from_here - saved_tokens)
        options.append((price / saved_tokens, candidate.position, saved_tokens, price))
    return min(options)[1:]
