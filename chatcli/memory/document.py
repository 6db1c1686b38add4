"""MEMORY.md: all facts as a person reads and edits them, and what an edited file says.

Each line of a fact ends with `^id-check`. The check tells whether somebody changed the line, so that an
old copy of the file, saved late, turns nothing back. The comment at the end says which facts the file
knew: only those can have been deleted from it. No fact can open a comment. Everything here is pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from chatcli.i18n import N_, _, in_all_languages
from chatcli.memory.fact import CATEGORIES, Category, Fact, clean_tags

_BULLET = re.compile(r"(?:[-*+•]|\d+[.)])[^\S\n]+")
_HEADING = re.compile(r"#{1,6}[^\S\n]+(.*?)\s*#*")
_MARK = re.compile(r"\s*\^([a-z0-9]{6})-([0-9a-f]{4})(\s+\([^()]*\))?$")
_CATEGORY = re.compile(r"\[(\w+)\]\s+")
_TAG = re.compile(r"\s+#([^\W\d][\w.+#-]*)$")
_COMMENT = re.compile(r"^[ \t]*<!--(.*?)-->", re.DOTALL | re.MULTILINE)
_MISREAD = re.compile(r"<(?=\\*!--)|(?<!\S)(?=\\*#[^\W\d][\w.+#-]*$)")
"""Where a backslash keeps words of a fact from opening a comment, or from being read as a tag."""
_BACKSLASH = re.compile(r"(?<=<)\\(?=\\*!--)|(?<!\S)\\(?=\\*#[^\W\d][\w.+#-]*$)")
_AS_OF = re.compile(r"\s*as of (\d+)(?: in ([0-9a-f]+))?:")
_TITLE = N_("What chatcli remembers")
_PROFILE = N_("About you")
_EVERYWHERE = N_("Everywhere")


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
    has_source: bool = False
    """It says where it comes from: it was not the user's own."""


class _Section(Struct, frozen=True, kw_only=True):
    """What a heading says of the lines below it."""

    scope: str = ""
    tag: str = ""
    category: Category | None = None


class Edited(Struct, frozen=True, kw_only=True):
    entries: tuple[Entry, ...]
    as_of: int | None
    """Facts up to this `seq` stood in the file; None when it does not say so: then nothing was deleted."""
    memory: str
    """Whose `seq` that is: as in `Started`. Empty when it does not say so."""
    leftover: bool
    """It says what no fact can hold: a comment or an empty section of the user's own, too many tags."""


def render(facts: Sequence[Fact], as_of: int, memory: str) -> str:
    """The file: who the user is, what holds everywhere, then one project after the other."""
    sections: dict[str, list[Fact]] = {_(_PROFILE): [], _(_EVERYWHERE): []}
    for fact in sorted(facts, key=lambda fact: (fact.scope, fact.category, fact.created, fact.id)):
        if fact.scope:
            sections.setdefault(fact.scope, []).append(fact)
        else:
            sections[_(_PROFILE) if fact.category == "profile" else _(_EVERYWHERE)].append(fact)
    lines = [f"# {_(_TITLE)}", ""]
    for title, inside in sections.items():
        if inside:
            lines += [_heading(title), *map(_line, inside), ""]
    note = _(
        "change a line to change the fact, delete it to have it forgotten for good, write a new one to have "
        "it remembered. What stands behind ^ belongs to the line."
    )
    return "\n".join([*lines, f"<!-- as of {as_of} in {memory}: {note} -->", ""])


def parse(text: str) -> Edited:
    """What a file says, however it was edited: each bullet and each paragraph is a line."""
    comments = _COMMENT.findall(text)
    as_of = [(int(found[1]), found[2] or "") for comment in comments if (found := _AS_OF.match(comment))]
    leftover = len(comments) > len(as_of)
    entries: list[Entry] = []
    section, unused = _Section(), False
    for paragraph in _paragraphs(_COMMENT.sub("\n", text)):
        if heading := _HEADING.fullmatch(paragraph):
            leftover = leftover or unused
            section = _section(heading[1], section.scope)
            unused = bool(section.tag)
            continue
        entry, tags = _entry(paragraph, section)
        leftover = leftover or not _hold(entry.tags, tags)
        unused = unused and not entry.text
        entries.append(entry)
    return Edited(
        entries=tuple(entry for entry in entries if entry.text),
        as_of=as_of[-1][0] if as_of else None,
        memory=as_of[-1][1] if as_of else "",
        leftover=leftover or unused,
    )


def _heading(title: str) -> str:
    """In backticks where it would be read as another one."""
    found = _HEADING.fullmatch(f"## {title}")
    return f"## {title}" if found and found[1] == title else f"## `{title}`"


def _line(fact: Fact) -> str:
    body = _MISREAD.sub(lambda found: found[0] + "\\", fact.text)
    if fact.category != "profile" or fact.scope or _CATEGORY.match(body):
        body = f"[{fact.category}] {body}"
    body += "".join(f" #{tag}" for tag in fact.tags)
    return f"- {body} ^{fact.id}-{_check(body)}{_source(fact)}"


def _source(fact: Fact) -> str:
    match fact.said_by:
        case "user":
            return ""
        case "model":
            return " (" + (_("learnt") if fact.quote else _("noted by the model")) + ")"
        case "import":
            return " (" + _("imported") + ")"


def _check(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:4]


def _paragraphs(text: str) -> Iterable[str]:
    """Headings, bullets and paragraphs. A line that ends with a mark is complete."""
    held: list[str] = []
    for raw in [*text.splitlines(), ""]:
        line = raw.strip()
        begins = not line or _BULLET.match(line) or _HEADING.fullmatch(line)
        if held and (begins or _MARK.search(held[-1])):
            yield "\n".join(held)
            held = []
        if line and _HEADING.fullmatch(line):
            yield line
        elif line:
            held.append(line)


def _section(title: str, scope: str) -> _Section:
    """What stands below a heading. One of the user's own is a tag."""
    if quoted := re.fullmatch("`(.*)`", title):
        title = quoted[1]
    if title.startswith("/"):
        return _Section(scope=title)
    if title in in_all_languages(_PROFILE):
        return _Section(category="profile")
    if title in in_all_languages(_EVERYWHERE) | in_all_languages(_TITLE):
        return _Section()
    return _Section(scope=scope, tag=title)


def _hold(tags: Sequence[str], given: Sequence[str]) -> bool:
    """Whether these tags say all that was given."""
    return len(tags) == len({tag.lower() for tag in given}) and sum(map(len, tags)) >= sum(
        len(tag.strip()) for tag in set(given)
    )


def _entry(paragraph: str, section: _Section) -> tuple[Entry, list[str]]:
    """The entry, and its tags as they were given."""
    line = _BULLET.sub("", paragraph, count=1) if _BULLET.match(paragraph) else paragraph
    mark = _MARK.search(line)
    body = " ".join((line[: mark.start()] if mark else line).split())
    tags = [section.tag] if section.tag else []
    text, category = body, section.category
    while found := _TAG.search(text):
        tags.append(found[1])
        text = text[: found.start()]
    named = _CATEGORY.match(text)
    if named and named[1] in CATEGORIES:
        category, text = next(c for c in CATEGORIES if c == named[1]), text[named.end() :]
    entry = Entry(
        text=_BACKSLASH.sub("", text),
        category=category,
        tags=clean_tags(tags),
        scope=section.scope,
        id=mark[1] if mark else "",
        untouched=mark is not None and mark[2] == _check(body),
        has_source=mark is not None and bool(mark[3]),
    )
    return entry, tags
