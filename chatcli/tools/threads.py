"""Work that would block the loop, in a thread that a cancel can stop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class AbandonedError(Exception):
    """Nobody waits for the result any more. Ends the thread, is seen by nobody."""


async def in_thread(work: Callable[[Callable[[], None]], Result]) -> Result:
    """Run `work(check)` in a thread. It must call `check()` now and then: after a cancel that raises."""
    abandoned = threading.Event()

    def check() -> None:
        if abandoned.is_set():
            raise AbandonedError

    try:
        return await asyncio.to_thread(work, check)
    finally:
        abandoned.set()
