"""The memory: how often recall misses on labelled questions, how long it takes, the size of the digest."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from chatcli.memory.digest import digest
from tests.bench.table import Figure
from tests.memory.labelled import Labelled, questions


def figures() -> Iterator[Figure]:
    for count in (500, 10_000):
        with tempfile.TemporaryDirectory() as folder:
            labelled = Labelled(Path(folder), count)
            yield from _of(labelled, count)


def _of(labelled: Labelled, count: int) -> Iterator[Figure]:
    by_words = 1 - sum(labelled.hits_by_words(half) for half in ("dev", "test")) / 2
    for half in ("dev", "test"):
        yield Figure(
            name=f"recall misses at 5, {count:,} facts, {half} half",
            value=100 * (1 - labelled.hits(half)),
            bound=10,
            unit="%",
            detail=f"words alone {100 * by_words:.0f} %",
        )
    yield Figure(
        name=f"one recall among {count:,} facts", value=1_000 * _median_seconds(labelled), bound=20, unit="ms"
    )
    memory = labelled.memory
    text = digest(memory.tally(), memory.of_category("profile"), "")
    yield Figure(name=f"digest of {count:,} facts", value=len(text), bound=600, unit="ch")


def _median_seconds(labelled: Labelled) -> float:
    seconds = []
    for question in questions():
        began = perf_counter()
        labelled.found(question, 5)
        seconds.append(perf_counter() - began)
    return median(seconds)
