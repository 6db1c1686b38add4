"""How many files or lines there are."""

from __future__ import annotations

from chatcli.i18n import _
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.folder import how_many
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import code, trouble
from chatcli.providers.offline.results.excerpt import read_excerpt
from chatcli.providers.offline.results.listing import read_listing
from chatcli.providers.offline.situation import Situation


def count(situation: Situation, slots: Slots) -> Step:
    of_lines = slots.get("unit", "").startswith("li")
    path = slots.get("path", "")
    if not situation.rounds:
        return [
            calls.read(path, head=1) if of_lines and path else calls.tree(path or ".", depth=calls.ALL_LEVELS)
        ]
    if stopped := trouble(situation.last):
        return stopped
    text = situation.last[0].text
    if of_lines and path:
        return _("{file} has {n} lines.").format(file=code(path), n=read_excerpt(text).total)
    return how_many(read_listing(text))
