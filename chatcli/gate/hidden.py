"""This process keeps what it holds from the programs that it starts: keys in its environment and memory.

A child has a clean environment of its own, but could read that of its parent in `/proc`.
"""

from __future__ import annotations

import sys
from functools import cache

_PR_SET_DUMPABLE = 4


@cache
def hide_process() -> bool:
    """Whether `/proc` and debuggers now show other programs of this user nothing of this process.

    Only Linux has the means; root sees all the same. A process leaves no core dump from then on, and
    what it starts is not concerned. See `PR_SET_DUMPABLE` in prctl(2).
    """
    if sys.platform != "linux":
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)
