"""Ranks paths against a few typed letters, in slices, so that keys are never held up."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence

_SLICE = 2_000
_MAX_SECONDS = 0.15


async def best_matches(query: str, paths: Sequence[str], count: int) -> list[str]:
    """The `count` best paths: a name that starts with the query, a name or path that contains it,
    then paths that hold its letters in order. Stops after a moment with what it has."""
    needle = query.lower()
    in_order = re.compile(".*?".join(map(re.escape, needle)), re.IGNORECASE | re.DOTALL)
    until = time.monotonic() + _MAX_SECONDS
    found: list[tuple[int, int, str]] = []
    for start in range(0, len(paths), _SLICE):
        for path in paths[start : start + _SLICE]:
            if (rank := _rank(needle, path, in_order)) is not None:
                found.append((rank, len(path), path))
        if time.monotonic() > until:
            break
        await asyncio.sleep(0)
    return [path for _rank, _length, path in sorted(found)[:count]]


def _rank(needle: str, path: str, in_order: re.Pattern[str]) -> int | None:
    lowered = path.lower()
    if needle in lowered:
        name = lowered[lowered.rfind("/") + 1 :]
        if name.startswith(needle):
            return 0
        return 1 if needle in name else 2
    return 3 if in_order.search(path) else None
