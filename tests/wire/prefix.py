"""The promise that nothing moves without a reason, checked at the service's end."""

from __future__ import annotations

from collections.abc import Sequence

from tests.wire.seen import Seen, Segment


class Lines:
    """The newest request of each session: the next one must repeat it, block by block, and go on."""

    def __init__(self) -> None:
        self._newest: dict[str, list[Seen]] = {}
        """By wire: a session that changes its provider begins anew there."""

    def follow(self, seen: Seen, *, rewrite: bool, side: bool) -> str:
        """What changed in what was sent before; empty when nothing did or when it was expected.

        A request without an assistant message begins a session; any other belongs to the session
        with which it has most in common. A side call must extend its session too, but the session
        goes on from before it.
        """
        newest = self._newest.setdefault(seen.wire, [])
        if not (newest and seen.assistant_turns):
            newest.append(seen)
            return ""
        lengths = [_common(before.segments, seen.segments) for before in newest]
        at = lengths.index(max(lengths))
        before = newest[at]
        if not side:
            newest[at] = seen
        return "" if rewrite else _difference(before, seen)


def _difference(before: Seen, after: Seen) -> str:
    if (before.model, before.cache_key) != (after.model, after.cache_key):
        return f"settings: {before.model} {before.cache_key} became {after.model} {after.cache_key}"
    at = _common(before.segments, after.segments)
    if at == len(before.segments):
        return ""
    if at == len(after.segments):
        return f"{before.segments[at].where}: gone, the history shrank"
    return f"{before.segments[at].where}: {_around(before.segments[at].data, after.segments[at].data)}"


def _common(one: Sequence[Segment], other: Sequence[Segment]) -> int:
    """How many blocks two prompts have in common from the start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a.data != b.data), min(len(one), len(other)))


def _around(old: bytes, new: bytes) -> str:
    """The first place at which two blocks differ."""
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    start = max(0, at - 30)
    return f"byte {at}: {old[start : at + 50]!r} became {new[start : at + 50]!r}"
