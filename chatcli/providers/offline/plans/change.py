"""Plans that change files. The gate shows the diff and asks; here it is only said how it ended."""

from __future__ import annotations

from chatcli.i18n import _
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import code, trouble
from chatcli.providers.offline.situation import Situation


def replace(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.replace(slots["path"], slots["before"], slots["after"])]
    return trouble(situation.last) or _("{file} is changed. {undo}").format(
        file=code(slots["path"]), undo=_undo()
    )


def create(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.write(slots["path"], slots["text"].rstrip("\n") + "\n")]
    return trouble(situation.last) or _("{file} is written. {undo}").format(
        file=code(slots["path"]), undo=_undo()
    )


def _undo() -> str:
    return _("`/undo` takes that back.")
