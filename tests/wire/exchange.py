"""What tests look at afterwards: the exchanges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from tests.wire.script import Tally
from tests.wire.seen import Seen

State = Literal["reading", "holding", "sent", "cut", "client_closed", "failed", "rejected"]


class Exchange(Struct, kw_only=True):
    """One request and what became of it."""

    number: int
    wire: str
    seen: Seen | None = None
    status: int = 0
    tally: Tally | None = None
    """What the usage fields said; None when nothing was billed."""
    state: State = "reading"
    """`reading` and `holding` pass, the others are how it ended."""
    sent_bytes: int = 0


Change = Callable[[State], None]
"""Tells whoever waits that the exchange is in another state."""
