"""Plans that search."""

from __future__ import annotations

import re
from collections.abc import Mapping

from chatcli.providers.offline import calls
from chatcli.providers.offline.draft import Call
from chatcli.providers.offline.quoting import quoted
from chatcli.providers.offline.situation import Situation

Slots = Mapping[str, str]
Step = str | list[Call]


def find(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return quoted(situation.last)
    return [calls.search(re.escape(slots["text"]), slots.get("path", ""))]


def where(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return quoted(situation.last)
    return [calls.search(_spellings(slots["name"]))]


def todos(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return quoted(situation.last)
    return [calls.search(r"\b(TODO|FIXME|XXX|HACK)\b", slots.get("path", ""))]


def _spellings(name: str) -> str:
    """`retry policy` also finds `retry_policy`, `retry-policy` and `RetryPolicy`."""
    return r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name)))
