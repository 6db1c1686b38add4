"""Plans that look at the folder and its files."""

from __future__ import annotations

from collections.abc import Mapping

from chatcli.providers.offline import calls
from chatcli.providers.offline.draft import Call
from chatcli.providers.offline.quoting import quoted
from chatcli.providers.offline.situation import Situation

Slots = Mapping[str, str]
Step = str | list[Call]


def folder(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.tree(slots.get("path", "."))]
    return quoted(situation.last)


def show(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return quoted(situation.last)
    return [calls.read(slots["path"])]


def lines(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return quoted(situation.last)
    first, last = sorted((int(slots["n"]), int(slots.get("m", slots["n"]))))
    return [calls.read(slots["path"], start=max(first, 1), end=max(last, 1))]


def head(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return quoted(situation.last)
    return [calls.read(slots["path"], head=int(slots.get("n", 20)))]


def tail(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return quoted(situation.last)
    return [calls.read(slots["path"], tail=int(slots.get("n", 20)))]
