"""Plans about the history of the project."""

from __future__ import annotations

import re
from collections import Counter

from chatcli.i18n import _, ngettext
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import bullets, code, failed, fenced, paragraphs, trouble
from chatcli.providers.offline.situation import Outcome, Situation

_MAX_CHANGED = 40
_MAX_DIFF_LINES = 120
_COMMITS = 10
_BRANCH = re.compile(r"^## (?:No commits yet on )?(?P<name>.+?)(?:\.\.\..*)?$")
_BLAMED = re.compile(r"^\^?[0-9a-f]+ (?:\S.*? )?\((?P<author>.+?)\s+\d{4}-\d\d-\d\d\s+\d+\)")


def changed(situation: Situation, slots: Slots) -> Step:
    """Status and the diff against the last commit; a repository without commits has no diff."""
    if not situation.rounds:
        return [calls.git("status"), calls.git("diff", ref="HEAD")]
    status, diff = situation.last
    if not status.ok:
        return failed(status)
    branch_line, *entries = status.text.splitlines() or [""]
    if not entries:
        return _("Nothing has changed since the last commit.") + " " + _on_branch(branch_line)
    count = ngettext("{n} file has changed:", "{n} files have changed:", len(entries)).format(n=len(entries))
    more = ngettext("{n} more", "{n} more", len(entries) - _MAX_CHANGED).format(n=len(entries) - _MAX_CHANGED)
    return paragraphs(
        f"{_on_branch(branch_line)} {count}",
        bullets(
            [*map(_changed_file, entries[:_MAX_CHANGED]), *([more] if len(entries) > _MAX_CHANGED else [])]
        ),
        _diff(diff),
    )


def branch(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.git("status")]
    return trouble(situation.last) or _on_branch(situation.last[0].text.partition("\n")[0])


def history(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        limit = max(1, int(slots.get("n", _COMMITS)))
        return [calls.git("log", limit=limit, path=slots.get("path", ""))]
    return trouble(situation.last) or fenced(situation.last[0].text.splitlines())


def blame(situation: Situation, slots: Slots) -> Step:
    """Authors by number of lines; for a named range the lines themselves."""
    path = slots["path"]
    if situation.rounds:
        return trouble(situation.last) or _blamed(situation.last[0], path)
    if "n" not in slots:
        return [calls.git("blame", path=path)]
    first, last = sorted((int(slots["n"]), int(slots.get("m", slots["n"]))))
    return [calls.git("blame", path=path, start=max(first, 1), end=max(last, 1))]


def _on_branch(line: str) -> str:
    found = _BRANCH.match(line)
    if found is None or found["name"].startswith("HEAD (no branch)"):
        return _("No branch is checked out.")
    return _("The branch is {branch}.").format(branch=code(found["name"]))


def _changed_file(entry: str) -> str:
    """A line of `git status --short`: two letters, then the path."""
    letters, path = entry[:2], entry[3:]
    if letters == "??":
        what = _("new, not yet known to git")
    elif "U" in letters or letters in {"AA", "DD"}:
        what = _("in conflict")
    elif "D" in letters:
        what = _("deleted")
    elif "R" in letters:
        what = _("renamed")
    elif "A" in letters:
        what = _("new")
    else:
        what = _("changed")
    return f"{code(path)}: {what}"


def _diff(outcome: Outcome) -> str:
    lines = outcome.text.splitlines()
    if not outcome.ok or not lines or not lines[0].startswith("diff "):
        return ""
    return fenced(lines, language="diff", max_lines=_MAX_DIFF_LINES)


def _blamed(outcome: Outcome, path: str) -> str:
    lines = outcome.text.splitlines()
    if "start" in outcome.arguments:
        return fenced(lines)
    authors = Counter(found["author"] for line in lines if (found := _BLAMED.match(line)))
    headline = _("Lines of {file} by author:").format(file=code(path))
    if outcome.shortened:
        headline = _("Lines of {file} by author, as far as they are shown:").format(file=code(path))
    return paragraphs(
        headline, bullets(f"{code(author)}: {count}" for author, count in authors.most_common())
    )
