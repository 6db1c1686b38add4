"""What kind of project this is: its manifest, its README, its languages."""

from __future__ import annotations

import re

from chatcli.i18n import _
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.projects import kind_of
from chatcli.providers.offline.quoting import bullets, code, paragraphs, trouble
from chatcli.providers.offline.results.excerpt import read_excerpt
from chatcli.providers.offline.results.listing import Listing, read_listing
from chatcli.providers.offline.situation import Outcome, Situation

_READ_LINES = 60
_MAX_LANGUAGES = 5
_FACT = re.compile(r"^\s*\"?(name|description|module|version)\"?\s*[=:]?\s*\"?([^\"\n]+?)\"?,?\s*$")
_MARKUP = re.compile(r"^\s*(?:<|\[!|!\[|=+$|-+$|```)")

_LANGUAGES = {
    ".c": "C", ".cpp": "C++", ".cs": "C#", ".ex": "Elixir", ".go": "Go", ".java": "Java",
    ".js": "JavaScript", ".jsx": "JavaScript", ".kt": "Kotlin", ".lua": "Lua", ".php": "PHP",
    ".py": "Python", ".rb": "Ruby", ".rs": "Rust", ".sh": "Shell", ".sql": "SQL", ".swift": "Swift",
    ".ts": "TypeScript", ".tsx": "TypeScript",
}  # fmt: skip


def kind(situation: Situation, slots: Slots) -> Step:
    if not situation.rounds:
        return [calls.tree(depth=1), calls.tree(depth=calls.ALL_LEVELS)]
    if stopped := trouble(situation.rounds[0]):
        return stopped
    top, everything = (read_listing(outcome.text) for outcome in situation.rounds[0])
    if len(situation.rounds) == 1 and (files := _telling_files(top)):
        return [calls.read(file, head=_READ_LINES) for file in files]
    described = situation.rounds[1] if len(situation.rounds) > 1 else ()
    return paragraphs(
        _headline(top),
        bullets([*_facts(described), *_languages(everything)]),
        *(_opening(outcome) for outcome in described if _is_readme(outcome)),
    )


def _telling_files(top: Listing) -> list[str]:
    """The manifest and the README, as far as they exist."""
    names = top.names()
    found = kind_of(names)
    readmes = [name for name in sorted(names) if name.lower().startswith("readme")]
    return ([found.manifest] if found else []) + readmes[:1]


def _headline(top: Listing) -> str:
    found = kind_of(top.names())
    if found is None:
        return _("No manifest of a known kind of project lies in this folder.")
    return _("It looks like a {language} project ({file}).").format(
        language=found.language, file=code(found.manifest)
    )


def _is_readme(outcome: Outcome) -> bool:
    return outcome.ok and str(outcome.arguments.get("file", "")).lower().startswith("readme")


def _facts(outcomes: tuple[Outcome, ...]) -> list[str]:
    """Name, version and description that the manifest gives; the first of each."""
    facts: dict[str, str] = {}
    for outcome in outcomes:
        if outcome.ok and not _is_readme(outcome):
            for line in read_excerpt(outcome.text).lines:
                if found := _FACT.match(line):
                    facts.setdefault(found[1], found[2])
    titles = {
        "name": _("Name"),
        "module": _("Name"),
        "version": _("Version"),
        "description": _("Description"),
    }
    return [f"{titles[key]}: {code(value)}" for key, value in facts.items()]


def _languages(everything: Listing) -> list[str]:
    counts: dict[str, int] = {}
    for suffix, count in everything.by_suffix().items():
        if language := _LANGUAGES.get(suffix):
            counts[language] = counts.get(language, 0) + count
    most = sorted(counts.items(), key=lambda item: -item[1])[:_MAX_LANGUAGES]
    text = ", ".join(f"{language} {count}" for language, count in most)
    return [_("Languages, by number of files: {languages}").format(languages=text)] if text else []


def _opening(outcome: Outcome) -> str:
    """The first paragraph of prose of a README, as a quotation."""
    paragraph: list[str] = []
    for line in read_excerpt(outcome.text).lines:
        is_prose = line.strip() and not line.startswith("#") and not _MARKUP.match(line)
        if is_prose:
            paragraph.append(line.strip())
        elif paragraph:
            break
    if not paragraph:
        return ""
    return _("The README begins: {text}").format(text=code(" ".join(paragraph)))
