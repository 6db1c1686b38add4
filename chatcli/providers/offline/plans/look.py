"""Plans that look at files and folders."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from chatcli.i18n import _
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import code, failed, fenced, paragraphs
from chatcli.providers.offline.results.excerpt import read_excerpt
from chatcli.providers.offline.results.listing import read_listing
from chatcli.providers.offline.situation import Outcome, Situation

_SHOWN_LINES = 80
_RANGE_LINES = 400
_END_LINES = 20
_NEAR = re.compile(r"; there is ([^,;]+)")
_IS_FOLDER = re.compile(r"is a folder")

_LANGUAGES = {
    ".c": "c", ".cpp": "cpp", ".css": "css", ".go": "go", ".h": "c", ".html": "html", ".java": "java",
    ".js": "javascript", ".json": "json", ".md": "markdown", ".php": "php", ".py": "python", ".rb": "ruby",
    ".rs": "rust", ".sh": "bash", ".sql": "sql", ".toml": "toml", ".ts": "typescript", ".xml": "xml",
    ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip


def show(situation: Situation, slots: Slots) -> Step:
    """Read a file; a folder is listed instead, and a name that is nearly right is corrected."""
    match situation.rounds:
        case ():
            return [calls.read(slots["path"], head=_SHOWN_LINES)]
        case ((outcome,),) if not outcome.ok:
            if _IS_FOLDER.search(outcome.text):
                return [calls.tree(slots["path"])]
            if near := _NEAR.search(outcome.text):
                return [calls.read(near[1].strip(), head=_SHOWN_LINES)]
    return _told(situation.last[0])


def lines(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return _told(situation.last[0], max_lines=_RANGE_LINES)
    first, last = sorted((int(slots["n"]), int(slots.get("m", slots["n"]))))
    return [calls.read(slots["path"], start=max(first, 1), end=max(last, 1))]


def head(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return _told(situation.last[0], max_lines=_RANGE_LINES)
    return [calls.read(slots["path"], head=max(1, int(slots.get("n", _END_LINES))))]


def tail(situation: Situation, slots: Slots) -> Step:
    if situation.rounds:
        return _told(situation.last[0], max_lines=_RANGE_LINES)
    return [calls.read(slots["path"], tail=max(1, int(slots.get("n", _END_LINES))))]


def readme(situation: Situation, slots: Slots) -> Step:
    match situation.rounds:
        case ():
            return [calls.tree(depth=1)]
        case ((outcome,),):
            for name in sorted(read_listing(outcome.text).names()):
                if name.lower().startswith("readme"):
                    return [calls.read(name, head=_SHOWN_LINES)]
            return _("There is no README in this folder.")
    return _told(situation.last[0])


def tree(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.tree(slots.get("path", "."))]
    return _told(situation.last[0])


def original(situation: Situation, slots: Slots) -> Step:
    """An archived result: a range of it, the lines with a text, or its beginning."""
    if situation.rounds:
        return _told(situation.last[0], max_lines=_RANGE_LINES)
    if "text" in slots:
        return [calls.original(slots["key"], grep=re.escape(slots["text"]))]
    if "n" in slots:
        return [calls.original(slots["key"], lines=f"{slots['n']}-{slots['m']}")]
    return [calls.original(slots["key"], lines=f"1-{_SHOWN_LINES}")]


def _told(outcome: Outcome, *, max_lines: int = _SHOWN_LINES) -> str:
    """The text that a call returned, under the name of the file and the range."""
    if not outcome.ok:
        return failed(outcome)
    if outcome.tool != "read":
        return fenced(outcome.text.splitlines(), max_lines=max_lines)
    path = str(outcome.arguments.get("file", ""))
    excerpt = read_excerpt(outcome.text)
    title = code(path)
    if excerpt.total:
        title = _("{file}, lines {first} to {last} of {total}").format(
            file=title, first=excerpt.first, last=excerpt.last, total=excerpt.total
        )
    more = ""
    if 0 < excerpt.last < excerpt.total and "tail" not in outcome.arguments:
        until = min(excerpt.total, excerpt.last + _SHOWN_LINES)
        request = _("show lines {first}-{last} of {file}").format(
            first=excerpt.last + 1, last=until, file=path
        )
        more = _("More: {request}").format(request=code(request))
    language = _LANGUAGES.get(PurePosixPath(path).suffix.lower(), "")
    return paragraphs(title, fenced(excerpt.lines, language=language, max_lines=max_lines), more)
