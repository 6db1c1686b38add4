"""How many files or lines there are."""

from __future__ import annotations

import re

from chatcli.i18n import _, filled, ngettext
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.folder import how_many
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import code, trouble
from chatcli.providers.offline.results.listing import read_listing
from chatcli.providers.offline.results.matches import read_matches
from chatcli.providers.offline.situation import Outcome, Situation

_IS_FILE = re.compile(r"is a file; use read")


def count(situation: Situation, slots: Slots) -> Step:
    """Files by listing, lines by a search that every line matches; both when no unit was said."""
    path = slots.get("path", "")
    unit = slots.get("unit", "").lower()
    wanted = [calls.tree(path or ".", depth=calls.ALL_LEVELS), calls.count_lines(path)]
    if unit:
        wanted = wanted[1:] if unit.startswith("li") else wanted[:1]
    match situation.rounds:
        case ():
            return wanted
        case ((listing, *_rest),) if _IS_FILE.search(listing.text):
            return [calls.count_lines(path)]
    if stopped := trouble(situation.last):
        return stopped
    return " ".join(_told(outcome, path) for outcome in situation.last)


def _told(outcome: Outcome, path: str) -> str:
    if outcome.tool == "tree":
        return how_many(read_listing(outcome.text))
    matches = read_matches(outcome)
    lines = filled(ngettext("{n:,} line", "{n:,} lines", matches.total), n=matches.total)
    files = filled(ngettext("{n:,} text file", "{n:,} text files", matches.files), n=matches.files)
    if path:
        return _("{lines} in {files} ({path}).").format(lines=lines, files=files, path=code(path))
    return _("{lines} in {files}.").format(lines=lines, files=files)
