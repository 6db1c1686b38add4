"""Loads the provider's SDK while nobody types, so that the first request need not wait for it.

An import runs in a thread but holds the interpreter lock for milliseconds at a time, which a person
feels as a late echo. So the thread stops between any two modules while keys come in, and while it
runs the lock changes hands much more often and no garbage is collected: a collection among
thousands of new classes holds the lock for 100 ms.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
from collections.abc import Callable
from importlib.abc import MetaPathFinder

from chatcli.terminal.screen.screen import Screen

QUIET_SECONDS = 0.15
_SWITCH_SECONDS = 0.0005


async def warm_up(preload: Callable[[], None], screen: Screen) -> None:
    """Call `preload`, which starts threads that import, as soon as no key came for a moment.

    Returns when the imports have ended. As soon as the screen is busy they go on without a pause.
    """
    remaining = QUIET_SECONDS
    while remaining > 0:
        await asyncio.sleep(remaining)
        remaining = _remaining_quiet_seconds(screen)
    gate = _Gate(screen)
    before, known = sys.getswitchinterval(), set(threading.enumerate())
    sys.meta_path.insert(0, gate)
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()
    try:
        preload()
        importing = [thread for thread in threading.enumerate() if thread not in known]
        while importing:
            await asyncio.sleep(QUIET_SECONDS)
            importing = [thread for thread in importing if thread.is_alive()]
    finally:
        gate.open = True
        sys.meta_path.remove(gate)
        sys.setswitchinterval(before)
        gc.freeze()
        gc.enable()


def _remaining_quiet_seconds(screen: Screen) -> float:
    return screen.last_key_seconds + QUIET_SECONDS - time.monotonic()


class _Gate(MetaPathFinder):
    """Finds no module; makes every import of another thread wait while keys come in."""

    def __init__(self, screen: Screen) -> None:
        self.open = False
        self._screen = screen
        self._main = threading.main_thread()

    def find_spec(self, *_wanted: object) -> None:
        if threading.current_thread() is not self._main:
            while not self.open and not self._screen.busy:
                remaining = _remaining_quiet_seconds(self._screen)
                if remaining <= 0:
                    break
                time.sleep(min(remaining, QUIET_SECONDS))
