"""Reads what a person changed in MEMORY.md, and writes the file anew."""

from __future__ import annotations

import hashlib
from pathlib import Path

from msgspec import Struct, structs

from chatcli.errors import StorageError, UsageError
from chatcli.i18n import _
from chatcli.memory.database import Database
from chatcli.memory.document import Entry, parse
from chatcli.memory.fact import CONFIDENCE, Fact, SaidBy, clean_text, draw_id, likeness
from chatcli.memory.log import Forgotten, Line, Noted
from chatcli.session.entries import now
from chatcli.session.files import read_private, storage_errors, write_private


class Read(Struct, frozen=True, kw_only=True):
    """What an edited file comes to."""

    lines: list[Line] = []
    """For the log."""
    problems: list[str] = []
    """For a person."""
    keep_copy: bool = False
    """The file says something that no fact can hold."""


def stamp(path: Path) -> str:
    """Another one when the file was written since; empty without a file."""
    with storage_errors(path):
        try:
            status = path.stat(follow_symlinks=False)
        except FileNotFoundError:
            return ""
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def write(path: Path, text: str) -> None:
    write_private(path, text.encode())


def keep_copy(path: Path) -> Path:
    """Copy the file beside itself, under a name that stands for its content. Raises `StorageError`."""
    with storage_errors(path):
        data = path.read_bytes()
    copy = path.with_name(f"{path.stem}.{hashlib.sha256(data).hexdigest()[:8]}{path.suffix}")
    write_private(copy, data)
    return copy


def read(path: Path, database: Database) -> Read:
    """What changed between the facts and the file. A file that is not there changes nothing."""
    try:
        data = read_private(path)
    except StorageError as error:
        return Read(problems=[f"{error.message} {error.hint}"], keep_copy=True)
    if data is None:
        return Read()
    try:
        edited = parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Read(
            problems=[_("{path} is not UTF-8: its changes do not count.").format(path=path)], keep_copy=True
        )
    if edited.as_of is None and not database.state("document"):
        return Read(problems=[_("{path} was not written by this memory.").format(path=path)], keep_copy=True)
    position = database.position
    as_of = edited.as_of or 0
    knows_more = as_of > position.last_seq or (as_of and edited.memory != position.memory)
    facts = {fact.id: fact for fact in database.facts()}
    changes = _Changes(position.last_seq, facts)
    mentioned = {entry.id for entry in edited.entries if entry.untouched}
    for entry in edited.entries:
        if not entry.untouched or (knows_more and entry.id not in facts):
            is_change = entry.id in facts and entry.id not in mentioned
            mentioned |= {entry.id, changes.take(entry, is_change=is_change)}
    keep_copy = edited.leftover or bool(changes.problems)
    if knows_more:
        text = _(
            "{path} comes from another memory, or from before a loss: what it says is added, and nothing is "
            "forgotten."
        )
        changes.problems.append(text.format(path=path))
    elif edited.as_of is not None:
        changes.forget([f.id for f in facts.values() if f.seq <= edited.as_of and f.id not in mentioned])
    return Read(lines=changes.lines, problems=changes.problems, keep_copy=keep_copy)


def reworded(fact: Fact, text: str, seq: int) -> Fact:
    """The fact with other words, which are the user's own."""
    return structs.replace(
        fact,
        text=text,
        seq=seq,
        said_by="user",
        outside=False,
        quote="",
        batch="",
        confidence=CONFIDENCE["user"],
        changed=now(),
    )


class _Changes:
    """Gathers lines for the log, in the order of the file."""

    def __init__(self, last_seq: int, facts: dict[str, Fact]) -> None:
        self.lines: list[Line] = []
        self.problems: list[str] = []
        self._seq = last_seq
        self._facts = facts
        self._said = {(fact.scope, likeness(fact.text)): fact for fact in facts.values()}

    def take(self, entry: Entry, *, is_change: bool) -> str:
        """A line that somebody wrote or changed; the id of its fact, empty when it can be none."""
        try:
            text = clean_text(entry.text)
        except UsageError as error:
            self.problems.append(f"{error.message} {error.hint}".strip())
            return ""
        says = (entry.scope, likeness(text))
        if is_change:
            fact = self._changed(self._facts[entry.id], entry, text)
        else:
            fact = self._added(entry, text, self._said.get(says))
        self._said[says] = fact
        return fact.id

    def forget(self, ids: list[str]) -> None:
        if ids:
            self.lines.append(Forgotten(ids=tuple(ids), seq=self._next()))

    def _changed(self, fact: Fact, entry: Entry, text: str) -> Fact:
        worded = fact if text == fact.text else reworded(fact, text, fact.seq)
        changed = structs.replace(
            worded, tags=entry.tags, category=entry.category or fact.category, scope=entry.scope
        )
        if changed != fact:
            self.lines.append(Noted(structs.replace(changed, seq=self._next(), changed=now())))
        return changed

    def _added(self, entry: Entry, text: str, known: Fact | None) -> Fact:
        """In the user's own words, unless it says otherwise and is as another memory wrote it.

        `known` says the same already; what was not the user's own becomes it.
        """
        foreign = entry.untouched and entry.has_source
        if known and (foreign or known.said_by == "user"):
            return known
        time = now()
        said_by: SaidBy = "import" if foreign else "user"
        fact = Fact(
            id=known.id if known else draw_id(self._facts.get),
            seq=self._next(),
            text=text,
            category=entry.category or "general",
            tags=entry.tags,
            scope=entry.scope,
            said_by=said_by,
            outside=foreign,
            confidence=CONFIDENCE[said_by],
            created=known.created if known else time,
            changed=time,
        )
        self.lines.append(Noted(fact))
        return fact

    def _next(self) -> int:
        self._seq += 1
        return self._seq
