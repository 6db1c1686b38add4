"""Ranks paths against a few typed letters, in slices, so that keys are never held up."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence

_SLICE = 2_000
_MAX_SECONDS = 0.15


async def best_matches(query: str, paths: Sequence[str], count: int) -> list[str]:
    """The `count` best paths: a name that starts with the query, a name that contains it, a path
    that contains it; when these are too few, paths that hold its letters in order. The last are only
    looked for until a moment has passed."""
    needle = query.lower()
    found: list[tuple[int, int, str]] = []
    async for some in _slices(paths):
        for path in some:
            lowered = path.lower()
            if needle in lowered:
                name = lowered[lowered.rfind("/") + 1 :]
                rank = 0 if name.startswith(needle) else 1 if needle in name else 2
                found.append((rank, len(path), path))
    if len(found) < count:
        known = {path for _rank, _length, path in found}
        in_order = re.compile(".*?".join(map(re.escape, needle)), re.IGNORECASE | re.DOTALL)
        until = time.monotonic() + _MAX_SECONDS
        async for some in _slices(paths):
            found += ((3, len(p), p) for p in some if p not in known and in_order.search(p))
            if time.monotonic() > until:
                break
    return [path for _rank, _length, path in sorted(found)[:count]]


async def _slices(paths: Sequence[str]) -> AsyncIterator[Sequence[str]]:
    """The paths in parts; keys are taken between two of them."""
    for start in range(0, len(paths), _SLICE):
        yield paths[start : start + _SLICE]
        await asyncio.sleep(0)
