"""Plans that search for a text, for notes that somebody left, or for files by name."""

from __future__ import annotations

from fnmatch import fnmatchcase

from chatcli.i18n import _, ngettext
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import clipped, code, fenced, paragraphs, trouble
from chatcli.providers.offline.results.listing import read_listing
from chatcli.providers.offline.results.matches import Matches, read_matches
from chatcli.providers.offline.situation import Situation

_MATCH_CHARS = 110
_TODO = r"\b(TODO|FIXME|XXX|HACK)\b"


def find(situation: Situation, slots: Slots) -> Step:
    text = slots.get("text") or slots["word"]
    if not situation.rounds:
        # Small letters mean: any. Somebody who types a capital means it.
        return [calls.search(text, slots.get("path", ""), fixed=True, ignore_case=text.islower())]
    return trouble(situation.last) or told(code(text), read_matches(situation.last[0]))


def todos(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.search(_TODO, slots.get("path", ""))]
    return trouble(situation.last) or told("TODO, FIXME, XXX, HACK", read_matches(situation.last[0]))


def files(situation: Situation, slots: Slots) -> Step:
    """By listing everything; where that has no room, by searching with a glob."""
    glob = _as_glob(slots.get("glob") or slots["word"])
    match situation.rounds:
        case ():
            return [calls.tree(depth=calls.ALL_LEVELS)]
        case ((outcome,),):
            if stopped := trouble((outcome,)):
                return stopped
            listing = read_listing(outcome.text)
            if not listing.is_complete:
                return [calls.files_named(glob)]
            paths = (str(entry.path) for entry in listing.entries if not entry.is_folder)
            found = [path for path in paths if _is_named(path, glob)]
            return _named(glob, found, len(found))
    matches = read_matches(situation.last[0])
    return trouble(situation.last) or _named(glob, list(matches.names), matches.files)


def told(what: str, matches: Matches) -> str:
    """The matches, grouped by file. `what` is ready to stand in a sentence."""
    if not matches.total:
        return _("Nothing found for {what}.").format(what=what)
    lines = ngettext("{n} line", "{n} lines", matches.total).format(n=matches.total)
    files = ngettext("{n} file", "{n} files", matches.files).format(n=matches.files)
    headline = _("{what} is in {lines} of {files}:").format(what=what, lines=lines, files=files)
    return paragraphs(headline, quoted(matches))


def quoted(matches: Matches) -> str:
    """A code block: each file, below it its lines with their numbers."""
    rows: list[str] = []
    path = ""
    for match in matches.lines:
        if match.path != path:
            path = match.path
            rows.append(path)
        rows.append(f"  {match.number}: {clipped(match.text.strip(), _MATCH_CHARS)}")
    return fenced(rows)


def _named(glob: str, names: list[str], total: int) -> str:
    if not names:
        return _("No file is called {glob} here.").format(glob=code(glob))
    headline = ngettext("{n} file is called {glob}:", "{n} files are called {glob}:", total)
    return paragraphs(headline.format(n=total, glob=code(glob)), fenced(names))


def _as_glob(word: str) -> str:
    """`.toml` means any name with that ending, `setup` any name that holds it."""
    if "*" in word:
        return word
    return f"*{word}" if word.startswith(".") else f"*{word}*"


def _is_named(path: str, glob: str) -> bool:
    """A glob without a slash is about the name alone, as ripgrep has it."""
    subject = path if "/" in glob else path.rpartition("/")[2]
    return fnmatchcase(subject.lower(), glob.lower())
