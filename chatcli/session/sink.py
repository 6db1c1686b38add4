"""Streams one original of any size into an archive, in constant memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chatcli.errors import StorageError
from chatcli.messages import Archived
from chatcli.session.files import storage_errors, sync_file, sync_folder
from chatcli.session.measure import Measure

SPOOL_PREFIX = ".spool-"
_CHUNK_BYTES = 1 << 20


class Sink:
    """Spools to a hidden file beside the originals, which gets its real name in `finish`.

    When more than `room_bytes()` come, only both ends are kept, `end_bytes` each: from then on the
    file behind the head is a ring in which the newest bytes overwrite the oldest. Whatever fails
    raises `StorageError`, again at each later use, and leaves no file behind.
    """

    def __init__(
        self,
        folder: Path,
        *,
        end_bytes: int,
        room_bytes: Callable[[], int],
        on_stored: Callable[[Archived], None],
    ) -> None:
        self._folder = folder
        self._end_bytes = end_bytes
        self._room_bytes = room_bytes
        self._on_stored = on_stored
        self._path = folder / f"{SPOOL_PREFIX}{os.urandom(8).hex()}"
        self._measure = Measure()
        self._total_bytes = 0
        self._ring_start: int | None = None
        self._failure: StorageError | None = None
        with storage_errors(folder):
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)

    def write(self, data: bytes) -> None:
        self._require_open()
        view = memoryview(data)
        with self._or_discard():
            if self._ring_start is None:
                total_bytes = self._total_bytes + len(view)
                if total_bytes <= 2 * self._end_bytes or total_bytes <= self._room_bytes():
                    self._put(view, self._total_bytes)
                    self._measure.update(view)
                    return
                head = view[: max(0, self._end_bytes - self._total_bytes)]
                self._put(head, self._total_bytes)
                view = view[len(head) :]
                # The newest bytes so far lie in order: the ring is laid around them.
                self._ring_start = max(self._end_bytes, self._total_bytes - self._end_bytes)
            self._write_ring(view, self._ring_start)

    def _write_ring(self, view: memoryview, start: int) -> None:
        lost = max(0, len(view) - self._end_bytes)
        self._total_bytes += lost
        view = view[lost:]
        while view:
            offset = (self._total_bytes - start) % self._end_bytes
            piece = view[: self._end_bytes - offset]
            self._put(piece, start + offset)
            view = view[len(piece) :]

    def _put(self, view: memoryview, offset: int) -> None:
        self._total_bytes += len(view)
        while view:
            written = os.pwrite(self._fd, view, offset)
            view = view[written:]
            offset += written

    def finish(self) -> Archived:
        """Sync the original, give it its name and sync that. The sink is closed afterwards.

        Sizes and hash are those of the stored bytes: when the middle was not let in, a line in its
        place says so and is counted, and `omitted_bytes` is what it stands for.
        """
        self._require_open()
        if self._ring_start is None:
            return self._store(omitted_bytes=0)
        with self._or_discard():
            joined = Sink(
                self._folder,
                end_bytes=self._end_bytes,
                room_bytes=lambda: sys.maxsize,
                on_stored=self._on_stored,
            )
            omitted_bytes = self._total_bytes - 2 * self._end_bytes
            for piece in self._both_ends(self._ring_start, omitted_bytes):
                joined.write(piece)
            self.discard()
            return joined._store(omitted_bytes=omitted_bytes)

    def _both_ends(self, start: int, omitted_bytes: int) -> Iterator[bytes]:
        oldest = (self._total_bytes - start) % self._end_bytes
        yield from self._read(0, self._end_bytes)
        yield (
            f"\n[... {omitted_bytes} bytes were not stored: this session's storage is used up, so that only"
            f" the first and the last {self._end_bytes} bytes of a result are kept ...]\n"
        ).encode()
        yield from self._read(start + oldest, start + self._end_bytes)
        yield from self._read(start, start + oldest)

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        while start < end:
            piece = os.pread(self._fd, min(_CHUNK_BYTES, end - start), start)
            yield piece
            start += len(piece)

    def _store(self, *, omitted_bytes: int) -> Archived:
        archived = self._measure.archived(omitted_bytes=omitted_bytes)
        with self._or_discard():
            sync_file(self._fd)
            self._path.replace(self._folder / archived.sha256)
            sync_folder(self._folder)
        self.discard()
        self._on_stored(archived)
        return archived

    def discard(self) -> None:
        """Close the sink and forget what was not stored."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            self._path.unlink(missing_ok=True)

    def _require_open(self) -> None:
        """Whoever closes a sink on the way out must not hide why it failed."""
        if self._failure:
            raise self._failure
        if self._fd < 0:
            raise ValueError("the sink is closed")

    @contextmanager
    def _or_discard(self) -> Iterator[None]:
        try:
            with storage_errors(self._folder):
                yield
        except BaseException as error:
            self._failure = error if isinstance(error, StorageError) else None
            self.discard()
            raise
