"""What is in this folder: counts by type, what lies on top, and what to look at first."""

from __future__ import annotations

from collections.abc import Sequence

from chatcli.i18n import _, ngettext
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.projects import kind_of
from chatcli.providers.offline.quoting import bullets, code, paragraphs, trouble
from chatcli.providers.offline.results.listing import Entry, Listing, read_listing
from chatcli.providers.offline.situation import Situation

_MAX_NAMED = 12
_MAX_TYPES = 6
_FIRST = ("readme", "contributing", "changelog", "makefile", "justfile", "dockerfile", "license")
_FOLDER_NAMES = ("docs", "examples", "tests", "test", "src")


def folder(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.tree(depth=1), calls.tree(depth=calls.ALL_LEVELS)]
    if stopped := trouble(situation.last):
        return stopped
    top, everything = (read_listing(outcome.text) for outcome in situation.last)
    if not top.entries:
        return _("This folder is empty.") if not top.ignored else _("All that is here is ignored by git.")
    return paragraphs(
        f"{how_many(everything)} {_kind(top)}".rstrip(),
        bullets(
            f"{title}: {text}"
            for title, text in (
                (_("Folders"), _named([entry for entry in top.entries if entry.is_folder])),
                (_("Files"), _named([entry for entry in top.entries if not entry.is_folder])),
                (_("Types"), _types(everything)),
                (_("Start with"), ", ".join(code(name) for name in _notable(top))),
            )
            if text
        ),
    )


def how_many(listing: Listing) -> str:
    """One sentence about the size of a folder."""
    files = ngettext("{n} file", "{n} files", listing.files).format(n=listing.files)
    text = ngettext("There is {files} here.", "There are {files} here.", listing.files).format(files=files)
    if listing.folders:
        folders = ngettext("{n} folder", "{n} folders", listing.folders).format(n=listing.folders)
        text = ngettext(
            "There is {files} in {folders} here.", "There are {files} in {folders} here.", listing.files
        ).format(files=files, folders=folders)
    if listing.ignored:
        text += " " + ngettext(
            "{n} ignored entry is not counted.", "{n} ignored entries are not counted.", listing.ignored
        ).format(n=listing.ignored)
    return text


def _kind(top: Listing) -> str:
    kind = kind_of(top.names())
    if kind is None:
        return ""
    return _("It looks like a {language} project ({file}).").format(
        language=kind.language, file=code(kind.manifest)
    )


def _named(entries: Sequence[Entry]) -> str:
    shown = [
        f"{code(entry.shown)} ({entry.detail})" if entry.detail else code(entry.shown) for entry in entries
    ]
    rest = len(shown) - _MAX_NAMED
    text = ", ".join(shown[:_MAX_NAMED])
    return text + " " + ngettext("and {n} more", "and {n} more", rest).format(n=rest) if rest > 0 else text


def _types(listing: Listing) -> str:
    common = listing.by_suffix().most_common(_MAX_TYPES)
    text = ", ".join(f"{code(suffix)} {count}" for suffix, count in common)
    if text and not listing.is_complete:
        text += " " + _("(of the first {n} entries)").format(n=len(listing.entries))
    return text


def _notable(top: Listing) -> list[str]:
    """Files and folders that a newcomer opens first, in that order."""
    names = [entry.shown for entry in top.entries]
    first = [name for start in _FIRST for name in names if name.lower().startswith(start)]
    return first[:3] + [f"{name}/" for name in _FOLDER_NAMES if f"{name}/" in names][:3]
