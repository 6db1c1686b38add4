"""Plans that search."""

from __future__ import annotations

import re

from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import fenced, trouble
from chatcli.providers.offline.situation import Situation


def find(situation: Situation, slots: Slots) -> Step:
    text = slots.get("text") or slots["word"]
    return _told(situation) or [calls.search(re.escape(text), slots.get("path", ""))]


def where(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.search(_spellings(slots["name"]))]


def definition(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.search(_spellings(slots["name"]))]


def files(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.tree(depth=calls.ALL_LEVELS)]


def todos(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.search(r"\b(TODO|FIXME|XXX|HACK)\b", slots.get("path", ""))]


def _told(situation: Situation) -> str:
    if not situation.last:
        return ""
    return trouble(situation.last) or fenced(situation.last[0].text.splitlines())


def _spellings(name: str) -> str:
    """`retry policy` also finds `retry_policy`, `retry-policy` and `RetryPolicy`."""
    return r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name)))
