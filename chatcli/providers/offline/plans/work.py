"""Plans that use git, run commands and change files: the gate asks where it must."""

from __future__ import annotations

from collections.abc import Mapping

from chatcli.providers.offline import calls
from chatcli.providers.offline.draft import Call
from chatcli.providers.offline.quoting import quoted
from chatcli.providers.offline.situation import Situation

Slots = Mapping[str, str]
Step = str | list[Call]


def changed(situation: Situation, slots: Slots) -> Step:
    return quoted(situation.last) if situation.rounds else [calls.git("status"), calls.git("diff")]


def history(situation: Situation, slots: Slots) -> Step:
    return quoted(situation.last) if situation.rounds else [calls.git("log")]


def run(situation: Situation, slots: Slots) -> Step:
    return quoted(situation.last) if situation.rounds else [calls.execute(slots["command"])]


def replace(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return quoted(situation.last)
    return [calls.replace(slots["path"], slots["before"], slots["after"])]


def create(situation: Situation, slots: Slots) -> Step:
    return quoted(situation.last) if situation.rounds else [calls.write(slots["path"], slots["text"] + "\n")]
