"""MEMORY.md: all facts as a person reads and edits them, and what an edited file says.

Each line of a fact ends with `^id-check`. The check tells whether somebody changed the line, so that an
old copy of the file, saved late, turns nothing back. The comment at the end says which facts the file
knew: only those can have been deleted from it. Everything here is pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from chatcli.i18n import _
from chatcli.memory.fact import CATEGORIES, Category, Fact, clean_tags

_BULLET = re.compile(r"(?:[-*+•]|\d+[.)])\s+")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*")
_MARK = re.compile(r"\s*\^([a-z0-9]{6})-([0-9a-f]{4})(?:\s+\([^()]*\))?$")
_CATEGORY = re.compile(r"\[(\w+)\]\s+")
_TAG = re.compile(r"\s+#([^\W\d][\w.+-]*)$")
_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_AS_OF = re.compile(r"\s*as of (\d+):")
_PROFILE = "About you"
_EVERYWHERE = "Everywhere"


class Entry(Struct, frozen=True, kw_only=True):
    """One line of a file that was read."""

    text: str
    category: Category | None
    """None: it names none."""
    tags: tuple[str, ...]
    scope: str
    id: str = ""
    """Empty on a line that somebody wrote."""
    untouched: bool = False
    """It is as it was written for this id."""


class Edited(Struct, frozen=True, kw_only=True):
    entries: tuple[Entry, ...]
    as_of: int | None
    """Facts up to this `seq` stood in the file; None when it does not say so: then nothing was deleted."""
    has_comments: bool
    """It has comments of the user's own, which no fact can hold."""


def render(facts: Sequence[Fact], as_of: int) -> str:
    """The file: who the user is, what holds everywhere, then one project after the other."""
    sections: dict[str, list[Fact]] = {_(_PROFILE): [], _(_EVERYWHERE): []}
    for fact in sorted(facts, key=lambda fact: (fact.scope, fact.category, fact.created, fact.id)):
        if fact.scope:
            sections.setdefault(fact.scope, []).append(fact)
        else:
            sections[_(_PROFILE) if fact.category == "profile" else _(_EVERYWHERE)].append(fact)
    lines = [f"# {_('What chatcli remembers')}", ""]
    for title, inside in sections.items():
        if inside:
            lines += [f"## {title}", *map(_line, inside), ""]
    note = _(
        "change a line to change the fact, delete it to have it forgotten for good, write a new one to have "
        "it remembered. What stands behind ^ belongs to the line."
    )
    return "\n".join([*lines, f"<!-- as of {as_of}: {note} -->", ""])


def parse(text: str) -> Edited:
    """What a file says, however it was edited: each bullet and each paragraph is a line."""
    comments = _COMMENT.findall(text)
    as_of = [int(found[1]) for comment in comments if (found := _AS_OF.match(comment))]
    entries = []
    scope, heading_tag, category = "", "", None
    for paragraph in _paragraphs(_COMMENT.sub("\n", text)):
        if heading := _HEADING.fullmatch(paragraph):
            scope, heading_tag, category = _section(heading[1], scope)
        else:
            entries.append(_entry(paragraph, scope, heading_tag, category))
    return Edited(
        entries=tuple(entry for entry in entries if entry.text),
        as_of=as_of[-1] if as_of else None,
        has_comments=any(not _AS_OF.match(comment) for comment in comments),
    )


def _line(fact: Fact) -> str:
    body = fact.text if fact.category == "profile" and not fact.scope else f"[{fact.category}] {fact.text}"
    body += "".join(f" #{tag}" for tag in fact.tags)
    return f"- {body} ^{fact.id}-{_check(body)}{_source(fact)}"


def _source(fact: Fact) -> str:
    match fact.said_by:
        case "user":
            return ""
        case "model":
            return f" ({_('learnt') if fact.quote else _('noted by the model')})"
        case "import":
            return f" ({_('imported')})"


def _check(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:4]


def _paragraphs(text: str) -> Iterable[str]:
    """Headings, bullets and paragraphs, each on one line. A line that ends with a mark is complete."""
    held: list[str] = []
    for raw in [*text.splitlines(), ""]:
        line = raw.strip()
        begins = not line or _BULLET.match(line) or _HEADING.fullmatch(line)
        if held and (begins or _MARK.search(held[-1])):
            yield " ".join(held)
            held = []
        if line and _HEADING.fullmatch(line):
            yield line
        elif line:
            held.append(line)


def _section(title: str, scope: str) -> tuple[str, str, Category | None]:
    """Scope, tag and category of what stands below a heading. One of the user's own is a tag."""
    named = title.strip("`")
    if named.startswith("/"):
        return named, "", None
    if title in {_PROFILE, _(_PROFILE)}:
        return "", "", "profile"
    if title in {_EVERYWHERE, _(_EVERYWHERE), _("What chatcli remembers"), "What chatcli remembers"}:
        return "", "", None
    return scope, title, None


def _entry(paragraph: str, scope: str, heading_tag: str, category: Category | None) -> Entry:
    line = _BULLET.sub("", paragraph, count=1) if _BULLET.match(paragraph) else paragraph
    mark = _MARK.search(line)
    body = " ".join((line[: mark.start()] if mark else line).split())
    tags = [heading_tag] if heading_tag else []
    text = body
    while found := _TAG.search(text):
        tags.append(found[1])
        text = text[: found.start()]
    named = _CATEGORY.match(text)
    if named and named[1] in CATEGORIES:
        category, text = next(c for c in CATEGORIES if c == named[1]), text[named.end() :]
    return Entry(
        text=text,
        category=category,
        tags=clean_tags(tags),
        scope=scope,
        id=mark[1] if mark else "",
        untouched=mark is not None and mark[2] == _check(body),
    )
