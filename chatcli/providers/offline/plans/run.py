"""Plans that run commands. The gate judges them like any other command."""

from __future__ import annotations

import re

from chatcli.i18n import _, figure
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.projects import kind_of
from chatcli.providers.offline.quoting import code, last_lines, paragraphs, trouble
from chatcli.providers.offline.results.excerpt import read_excerpt
from chatcli.providers.offline.results.listing import read_listing
from chatcli.providers.offline.situation import Outcome, Situation

_MAKEFILE_LINES = 400
_TEST_TARGET = re.compile(r"^test\s*:(?!=)")
_ENDED = re.compile(r"^\[(exit (\d+)|[^\]]+) in ([\d.]+) s[^\]]*\]$")


def command(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.execute(slots["command"])]
    return _told(situation.last[0])


def tests(situation: Situation, slots: Slots) -> Step:
    """Look for the way in which this project runs its tests, then run them."""
    match situation.rounds:
        case ():
            return [calls.tree(depth=1)]
        case ((listing,),):
            if stopped := trouble((listing,)):
                return stopped
            if "Makefile" in read_listing(listing.text).names():
                return [calls.read("Makefile", head=_MAKEFILE_LINES)]
            return _run_tests(listing)
        case ((listing,), (outcome,)) if outcome.tool == "read":
            if any(_TEST_TARGET.match(line) for line in read_excerpt(outcome.text).lines):
                return [calls.execute("make test")]
            return _run_tests(listing)
    return _told(situation.last[0])


def _run_tests(listing: Outcome) -> Step:
    kind = kind_of(read_listing(listing.text).names())
    if kind is None:
        return _("I do not see how the tests of this folder are run. Say it: {example}").format(
            example=code(_("run make check"))
        )
    return [calls.execute(kind.test_command)]


def _told(outcome: Outcome) -> str:
    lines = outcome.text.splitlines()
    ended = _ENDED.match(lines[-1]) if lines else None
    printed = lines[:-1] if ended else lines
    return paragraphs(
        _how(str(outcome.arguments.get("command", "")), ended) if ended else "",
        last_lines(printed, shortened=outcome.shortened) if printed else "",
    )


def _how(command: str, ended: re.Match[str]) -> str:
    what, exit_code, seconds = ended[1], ended[2], figure(ended[3])
    if exit_code is None:
        return _("{command} was stopped ({what}) after {seconds} s.").format(
            command=code(command), what=what, seconds=seconds
        )
    text = _("{command} succeeded in {seconds} s.")
    if exit_code != "0":
        text = _("{command} failed with exit code {exit_code} after {seconds} s.")
    return text.format(command=code(command), exit_code=exit_code, seconds=seconds)
