"""Plans about the history of the project."""

from __future__ import annotations

from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import fenced, trouble
from chatcli.providers.offline.situation import Situation


def changed(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.git("status"), calls.git("diff")]


def branch(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.git("status")]


def history(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.git("log")]


def blame(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.git("blame", path=slots["path"])]


def _told(situation: Situation) -> str:
    if not situation.last:
        return ""
    return trouble(situation.last) or fenced(situation.last[0].text.splitlines())
