"""The database of the memory: the state that the log leads to, with an index of words and of vectors.

Everything in it can be made anew from the log. `sqlite3` is imported when a database is opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from chatcli.memory.fact import Fact, likeness
from chatcli.memory.log import Forgotten, Line, Noted, Started
from chatcli.session.files import storage_errors

if TYPE_CHECKING:
    import sqlite3

BUSY_SECONDS = 10.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, category TEXT NOT NULL, scope TEXT NOT NULL,
    batch TEXT NOT NULL, likeness TEXT NOT NULL, body TEXT NOT NULL, embedded INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS alike ON facts (scope, likeness);
CREATE INDEX IF NOT EXISTS unembedded ON facts (number) WHERE embedded = 0;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, tags, tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE IF NOT EXISTS vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
"""

_OUTSIDE = "json_extract(body, '$.outside')"

_decode = msgspec.json.Decoder(Fact).decode


class Position(Struct, frozen=True, kw_only=True):
    """How much of the log the database holds."""

    generation: str = ""
    end_bytes: int = 0
    last_seq: int = 0
    leftovers: bool = False
    """The log, or a page of the database, still holds text that was forgotten or replaced."""
    memory: str = ""
    """As in `Started`; empty before the first fact."""


class Tally(Struct, frozen=True, kw_only=True):
    """Facts counted by category, by project and by tag."""

    categories: Mapping[str, int]
    scopes: Mapping[str, int]
    strange: frozenset[str]
    """Scopes that only facts from outside name. Strangers chose them: they stand in no prompt."""
    tags: Mapping[str, int]
    """Of facts from outside none."""


class Database:
    """One connection, used by one thread. Raises what `sqlite3` raises, `StorageError` when it is opened."""

    def __init__(self, path: Path) -> None:
        import sqlite3

        with storage_errors(path):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            self._connection.executescript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;"
            )
            if not self._one("SELECT count(*) FROM sqlite_master"):
                self._connection.executescript(_SCHEMA)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    # What it holds

    @property
    def position(self) -> Position:
        found = self.state("position")
        return msgspec.json.decode(found, type=Position) if found else Position()

    def state(self, name: str) -> str:
        """A small text that is kept beside the facts; empty when it was never set."""
        return str(self._one("SELECT value FROM state WHERE name = ?", name) or "")

    def set_state(self, name: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))

    def count(self) -> int:
        return int(str(self._one("SELECT count(*) FROM facts")))

    def facts(self) -> list[Fact]:
        """All of them, in the order in which they were first noted."""
        return self._facts("SELECT body FROM facts ORDER BY number")

    def of_batch(self, batch: str) -> list[Fact]:
        return self._facts("SELECT body FROM facts WHERE batch = ? ORDER BY number", batch)

    def of_category(self, category: str) -> list[Fact]:
        return self._facts("SELECT body FROM facts WHERE category = ? ORDER BY number", category)

    def get(self, fact_id: str) -> Fact | None:
        return next(iter(self._facts("SELECT body FROM facts WHERE id = ?", fact_id)), None)

    def alike(self, scope: str, like: str) -> Fact | None:
        """A fact of this scope whose text has this likeness."""
        query = "SELECT body FROM facts WHERE scope = ? AND likeness = ?"
        return next(iter(self._facts(query, scope, like)), None)

    def tally(self) -> Tally:
        tags: dict[str, int] = {}
        query = (
            f"SELECT tags FROM words JOIN facts ON words.rowid = number WHERE tags <> '' AND NOT {_OUTSIDE}"
        )
        for (line,) in self._connection.execute(query):
            for tag in line.split():
                tags[tag] = tags.get(tag, 0) + 1
        scopes = "SELECT scope, count(*) FROM facts WHERE scope <> '' GROUP BY scope"
        return Tally(
            categories=self._counted("SELECT category, count(*) FROM facts GROUP BY category"),
            scopes=self._counted(scopes),
            strange=frozenset(self._counted(f"{scopes} HAVING min({_OUTSIDE})")),
            tags=tags,
        )

    # Searching

    def numbered(self, numbers: Sequence[int]) -> dict[int, Fact]:
        marks = ",".join("?" * len(numbers))
        query = f"SELECT number, body FROM facts WHERE number IN ({marks})"
        return {number: _decode(body) for number, body in self._connection.execute(query, numbers)}

    def matches(self, expression: str, limit: int) -> list[tuple[int, float]]:
        """Numbers of facts that an FTS5 expression finds, the best first, each with its BM25 score."""
        query = (
            "SELECT rowid, -bm25(words) AS score FROM words WHERE words MATCH ? ORDER BY score DESC LIMIT ?"
        )
        return list(self._connection.execute(query, (expression, limit)))

    def vectors(self) -> Iterator[tuple[int, bytes]]:
        yield from self._connection.execute("SELECT number, vector FROM vectors ORDER BY number")

    def without_vector(self, limit: int) -> list[tuple[int, str]]:
        """Numbers and texts of facts that have no vector, the newest first."""
        query = "SELECT number, body FROM facts WHERE embedded = 0 ORDER BY number DESC LIMIT ?"
        return [(number, _decode(body).text) for number, body in self._connection.execute(query, (limit,))]

    def keep_vectors(self, vectors: Iterable[tuple[int, str, bytes]]) -> None:
        """`(number, text, vector)`, each kept unless the fact has another text by now."""
        with self.transaction():
            for number, text, vector in vectors:
                if self._one("SELECT text FROM words WHERE rowid = ?", number) == text:
                    self._connection.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (number, vector))
                    self._connection.execute("UPDATE facts SET embedded = 1 WHERE number = ?", (number,))
            self.set_state("vectors", os.urandom(8).hex())

    @property
    def version(self) -> str:
        """Another one whenever a fact or a vector may be another one."""
        position = self.position
        return f"{position.generation} {position.end_bytes} {self.state('vectors')}"

    # Changing

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def apply(self, lines: Iterable[Line], *, generation: str, end_bytes: int, anew: bool = False) -> None:
        """Take in lines of the log, which end at `end_bytes`; a second time changes nothing.

        `anew`: they are all that there is.
        """
        with self.transaction():
            position = Position(leftovers=self.count() > 0) if anew else self.position
            if anew:
                for name in ("facts", "words", "vectors"):
                    self._connection.execute(f"DELETE FROM {name}")
            last_seq, leftovers, memory = position.last_seq, position.leftovers, position.memory
            for line in lines:
                match line:
                    case Started():
                        last_seq, memory = max(last_seq, line.last_seq), line.memory
                    case Noted(fact):
                        last_seq = max(last_seq, fact.seq)
                        leftovers = self._put(fact) or leftovers
                    case Forgotten():
                        last_seq, leftovers = max(last_seq, line.seq), True
                        for fact_id in line.ids:
                            self._remove(fact_id)
            self._set_position(
                Position(
                    generation=generation,
                    end_bytes=end_bytes,
                    last_seq=last_seq,
                    leftovers=leftovers,
                    memory=memory,
                )
            )

    def log_rewritten(self, generation: str, end_bytes: int, memory: str) -> None:
        last_seq = self.position.last_seq
        self._set_position(
            Position(generation=generation, end_bytes=end_bytes, last_seq=last_seq, memory=memory)
        )

    def wipe_traces(self) -> None:
        """Take what was removed out of the pages of the index and out of the write-ahead log."""
        self._connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _put(self, fact: Fact) -> bool:
        """Whether it took the place of another text."""
        body = msgspec.json.encode(fact).decode()
        row = self._connection.execute("SELECT number, body FROM facts WHERE id = ?", (fact.id,)).fetchone()
        if row and row[1] == body:
            return False
        if row:
            self._remove(fact.id)
        number = self._connection.execute(
            "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
            (
                row[0] if row else None,
                fact.id,
                fact.category,
                fact.scope,
                fact.batch,
                likeness(fact.text),
                body,
            ),
        ).lastrowid
        self._connection.execute(
            "INSERT INTO words (rowid, text, tags) VALUES (?, ?, ?)", (number, fact.text, " ".join(fact.tags))
        )
        return row is not None

    def _remove(self, fact_id: str) -> None:
        number = self._one("SELECT number FROM facts WHERE id = ?", fact_id)
        for table, key in (("facts", "number"), ("words", "rowid"), ("vectors", "number")):
            self._connection.execute(f"DELETE FROM {table} WHERE {key} = ?", (number,))

    def _set_position(self, position: Position) -> None:
        self.set_state("position", msgspec.json.encode(position).decode())

    def _facts(self, query: str, *values: str) -> list[Fact]:
        return [_decode(body) for (body,) in self._connection.execute(query, values)]

    def _counted(self, query: str) -> dict[str, int]:
        return dict(self._connection.execute(query))

    def _one(self, query: str, *values: object) -> object:
        row = self._connection.execute(query, values).fetchone()
        return row[0] if row else None


def is_corrupt(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is broken; everything else has a class of its own."""
    import sqlite3

    return type(error) is sqlite3.DatabaseError
