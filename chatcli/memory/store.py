"""The memory: facts on disk, safe for many processes.

Every change is made under one lock: first it is written to the log, then to the database, then the file
for people is written anew. Whoever was killed in between has lost nothing: the next one takes in what the
log has and the database has not. What is forgotten is taken out of all three.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from chatcli.errors import StorageError, UsageError
from chatcli.i18n import _, language, ngettext
from chatcli.memory import edits
from chatcli.memory.database import Database, Tally, is_corrupt
from chatcli.memory.document import render
from chatcli.memory.fact import Fact, clean_tags, clean_text, draw_id, likeness
from chatcli.memory.grounding import spaced
from chatcli.memory.log import Forgotten, Line, Log, Noted, Tail
from chatcli.session.entries import now
from chatcli.session.files import locked, make_private_folder, storage_errors
from chatcli.session.redact import redact

T = TypeVar("T")


class Memory:
    """All facts of one user. Methods may be called from any thread; each opens the database anew."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "memory"
        self.document = self.folder / "MEMORY.md"
        self.database = self.folder / "memory.db"
        self.news: list[str] = []
        """What a person should be told, in the order in which it happened; whoever tells it takes it out."""
        self._log = Log(self.folder / "log.jsonl")

    @property
    def exists(self) -> bool:
        """Whether anything was ever remembered. Opens no database."""
        return self._log.size_bytes > 0 or self.database.exists()

    # Reading

    def facts(self) -> list[Fact]:
        """All of them, the oldest first."""
        return self.look(Database.facts, [])

    def count(self) -> int:
        return self.look(Database.count, 0)

    def of_category(self, category: str) -> list[Fact]:
        return self.look(lambda database: database.of_category(category), [])

    def get(self, fact_id: str) -> Fact | None:
        return self.look(lambda database: database.get(fact_id), None)

    def tally(self) -> Tally:
        return self.look(Database.tally, Tally(categories={}, scopes={}, strange=frozenset(), tags={}))

    def look(self, ask: Callable[[Database], T], nothing: T) -> T:
        """What `ask` finds in the database as it is now; `nothing` where nothing was ever remembered."""
        if not self.exists:
            return nothing
        import sqlite3

        try:
            if self.database.exists():
                with closing(Database(self.database)) as database:
                    if self._is_current(database):
                        return ask(database)
        except sqlite3.DatabaseError as error:
            if not is_corrupt(error):
                raise _unusable(self.database, error) from error
        return self._settled(ask)

    # Changing

    def add(self, drafts: Sequence[Fact]) -> list[Fact]:
        """Remember these; `id`, `seq` and times are given here.

        What is known already is given back as it is, unless the user now says themselves what was not theirs.

        Raises `UsageError` when one of them is no fact: then none is remembered.
        """
        cleaned = [
            structs.replace(
                draft, text=clean_text(draft.text), tags=clean_tags(draft.tags), quote=redact(draft.quote)
            )
            for draft in drafts
        ]
        return self._change(lambda database, seq: _added(database, cleaned, seq))

    def change(self, fact_id: str, text: str) -> Fact:
        """Let a fact say something else, in the user's own words. Raises `UsageError`."""
        cleaned = clean_text(text)

        def changed(database: Database, seq: int) -> tuple[list[Line], Fact]:
            fact = edits.reworded(_known(database, fact_id), cleaned, seq)
            return [Noted(fact)], fact

        return self._change(changed)

    def forget(self, ids: Sequence[str]) -> list[Fact]:
        """Take these out for good: when it returns their text is on the disk no more. What was taken out.

        But for the copies of what a person wrote into the file: of those that still hold it they are told.
        """

        def forgotten(database: Database, seq: int) -> tuple[list[Line], list[Fact]]:
            gone = [fact for fact_id in ids if (fact := database.get(fact_id))]
            return [Forgotten(ids=tuple(fact.id for fact in gone), seq=seq)] if gone else [], gone

        return self._change(forgotten) if self.exists else []

    def forget_last_batch(self) -> list[Fact]:
        """Take back what was learnt, or imported, last."""

        def taken_back(database: Database, seq: int) -> tuple[list[Line], list[Fact]]:
            last = max((fact for fact in database.facts() if fact.batch), key=lambda f: f.seq, default=None)
            gone = database.of_batch(last.batch) if last else []
            return [Forgotten(ids=tuple(fact.id for fact in gone), seq=seq)] if gone else [], gone

        return self._change(taken_back) if self.exists else []

    def keep_vectors(self, vectors: Sequence[tuple[int, str, bytes]]) -> None:
        """`(number, text, vector)` as `Database.keep_vectors` takes them."""
        self.look(lambda database: database.keep_vectors(vectors), None)

    def write_document(self) -> Path:
        """The file for people, as it should be now."""
        self._change(lambda _database, _seq: ([], None))
        return self.document

    def _change(self, plan: Callable[[Database, int], tuple[list[Line], T]]) -> T:
        """Carry out what `plan` says, given the database and the next `seq`."""

        def carry_out(database: Database) -> T:
            lines, outcome = plan(database, database.position.last_seq + 1)
            self._write(database, lines)
            return outcome

        with storage_errors(self.folder):
            make_private_folder(self.folder)
        return self._settled(carry_out)

    def _settled(self, work: Callable[[Database], T]) -> T:
        """Do something under the lock, with the log and the user's edits taken in before.

        Where the database turns out to be corrupt it is set aside, made anew, and the work done again.
        """
        import sqlite3

        try:
            return self._with_lock(work)
        except sqlite3.DatabaseError as error:
            if not is_corrupt(error):
                raise _unusable(self.database, error) from error
        try:
            return self._with_lock(work, damaged=True)
        except sqlite3.DatabaseError as error:
            raise _unusable(self.database, error) from error

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """The lock, by turns: who writes again and again stands in line behind those who wait."""
        with ExitStack() as held:
            with locked(self.folder / "line"):
                held.enter_context(locked(self.database))
            yield

    def _with_lock(self, work: Callable[[Database], T], *, damaged: bool = False) -> T:
        with storage_errors(self.folder), self._turn():
            if damaged:
                self._set_aside()
            with closing(Database(self.database)) as database:
                self._catch_up(database)
                seen = self._take_in_edits(database)
                outcome = work(database)
                self._tidy(database, seen)
                return outcome

    # With the lock held

    def _catch_up(self, database: Database) -> None:
        """Take in what the log has and the database has not."""
        position, generation = database.position, self._log.generation()
        same = generation == position.generation
        if not generation or (same and self._log.size_bytes < position.end_bytes):
            if self._log.size_bytes and not generation:
                self._salvage(database)
            self._rewrite_log(database)  # it is new, or lost: the database knows all that it said
            return
        tail = self._log.read(position.end_bytes if same else 0)
        if not same or tail.end_bytes != position.end_bytes:
            database.apply(tail.lines, generation=generation, end_bytes=tail.end_bytes, anew=not same)
        self._tell_unreadable(tail)
        self._log.cut(tail.end_bytes)  # a line that nobody was told is written

    def _salvage(self, database: Database) -> None:
        """The beginning of the log is damaged: keep it, and take in all that can still be read."""
        copy = edits.keep_copy(self._log.path)
        position = database.position
        tail = self._log.read(position.end_bytes)
        database.apply(tail.lines, generation=position.generation, end_bytes=tail.end_bytes)
        self._tell_unreadable(tail)
        text = _("The log of the memory was damaged: it is made anew. The old one is {path}.")
        self.news.append(text.format(path=copy))

    def _tell_unreadable(self, tail: Tail) -> None:
        if tail.unreadable:
            text = ngettext(
                "{n} line of {path} cannot be read.", "{n} lines of {path} cannot be read.", tail.unreadable
            )
            self.news.append(text.format(n=tail.unreadable, path=self._log.path))

    def _is_current(self, database: Database) -> bool:
        position = database.position
        return (
            position.end_bytes == self._log.size_bytes
            and position.generation == self._log.generation()
            and not position.leftovers
            and edits.stamp(self.document) == database.state("document")
        )

    def _take_in_edits(self, database: Database) -> str:
        """What the user changed in the file for people; the stamp of the file that was read."""
        seen = edits.stamp(self.document)
        if seen != database.state("document"):
            read = edits.read(self.document, database)
            self.news += read.problems
            if read.keep_copy:
                copy = edits.keep_copy(self.document)
                self.news.append(_("What you wrote is kept in {path}.").format(path=copy))
            self._write(database, read.lines)
        return seen

    def _write(self, database: Database, lines: list[Line]) -> None:
        if lines:
            self._tell_copies(database, lines)
            position = database.position
            end_bytes = self._log.append(lines, position.end_bytes)
            database.apply(lines, generation=position.generation, end_bytes=end_bytes)

    def _tell_copies(self, database: Database, lines: Sequence[Line]) -> None:
        """Which copies of what a person wrote hold a text that goes now: they are theirs to remove."""
        copies = list(self.folder.glob("MEMORY.*.md"))
        if not copies:
            return
        gone = [spaced(fact.text) for fact in _replaced(database, lines)]
        for copy in copies:
            kept = spaced(copy.read_text(encoding="utf-8", errors="replace"))
            if any(text in kept for text in gone):
                text = _(
                    "What is gone now still stands in {path}, a copy of what you wrote: remove it there."
                )
                self.news.append(text.format(path=copy))

    def _tidy(self, database: Database, seen: str) -> None:
        """Nothing that is gone stays on the disk, and the file for people says what is there."""
        position = database.position
        if position.leftovers:
            for damaged in ("memory.db.corrupt-*", "log.*.jsonl"):
                for path in self.folder.glob(damaged):
                    path.unlink()  # it may still hold what was forgotten
            self._rewrite_log(database)
        written = f"{position.memory} {position.last_seq} {language()}"
        if (database.state("document"), database.state("document_of")) == (seen, written):
            return
        if edits.stamp(self.document) != seen:
            return  # saved by an editor just now: read next time
        edits.write(self.document, render(database.facts(), position.last_seq, position.memory))
        with database.transaction():
            database.set_state("document", edits.stamp(self.document))
            database.set_state("document_of", written)

    def _rewrite_log(self, database: Database) -> None:
        position = database.position
        memory = position.memory or os.urandom(4).hex()
        generation, end_bytes = self._log.rewrite(database.facts(), position.last_seq, memory)
        database.wipe_traces()
        database.log_rewritten(generation, end_bytes, memory)  # last: until then it is all done again

    def _set_aside(self) -> None:
        aside = self.database.with_name(f"memory.db.corrupt-{os.urandom(3).hex()}")
        with storage_errors(self.database):
            for ending in ("-wal", "-shm"):
                self.database.with_name(self.database.name + ending).unlink(missing_ok=True)
            self.database.rename(aside)
        text = _(
            "The database of the memory was damaged: it is made anew from its log. The old one is {path}."
        )
        self.news.append(text.format(path=aside))


def _added(database: Database, drafts: Sequence[Fact], seq: int) -> tuple[list[Line], list[Fact]]:
    new: dict[tuple[str, str], Fact] = {}
    taken: set[str] = set()
    facts: list[Fact] = []
    for draft in drafts:
        says = (draft.scope, likeness(draft.text))
        fact = new.get(says) or database.alike(*says)
        if fact is None or (says not in new and draft.said_by == "user" != fact.said_by):
            time = now()
            fact = new[says] = structs.replace(
                draft,
                id=fact.id if fact else draw_id(lambda drawn: drawn in taken or database.get(drawn)),
                seq=seq + len(new),
                created=(fact.created if fact else draft.created) or time,
                changed=time,
            )
            taken.add(fact.id)
        facts.append(fact)
    return [Noted(fact) for fact in new.values()], facts


def _replaced(database: Database, lines: Sequence[Line]) -> Iterator[Fact]:
    """Facts whose text is no more when these lines hold."""
    for line in lines:
        match line:
            case Forgotten(ids=ids):
                yield from filter(None, map(database.get, ids))
            case Noted(fact):
                before = database.get(fact.id)
                if before and before.text != fact.text:
                    yield before


def _known(database: Database, fact_id: str) -> Fact:
    fact = database.get(fact_id)
    if fact is None:
        raise UsageError(_("There is no fact {id}.").format(id=fact_id))
    return fact


def _unusable(path: Path, error: Exception) -> StorageError:
    return StorageError(_("Cannot use {path}: {reason}.").format(path=path, reason=error))
