"""Closed sessions do not live for ever: beyond a size or an age they are dropped, oldest first."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Literal

from msgspec import Struct

from chatcli.session import layout
from chatcli.session.files import is_locked

logger = logging.getLogger(__name__)

_DAY_SECONDS = 86_400


class Dropped(Struct, frozen=True, kw_only=True):
    """A session that is gone, to be announced."""

    id: str
    size_bytes: int
    idle_days: float
    reason: Literal["age", "quota"]


class _Closed(Struct, frozen=True, kw_only=True):
    folder: Path
    size_bytes: int
    idle_seconds: float


def sweep(home: Path, *, quota_bytes: int, days: int) -> tuple[Dropped, ...]:
    """Drop whole closed sessions: those idle for longer than `days`, then the oldest until the rest
    fits `quota_bytes`.

    Open sessions are never touched and do not count. The session that was used last is not dropped
    for its size: somebody is about to go on with it. What cannot be removed is logged.
    """
    layout.remove_leftovers(home)
    closed = [found for folder in layout.session_folders(home) if (found := _look(folder))]
    closed.sort(key=lambda session: session.idle_seconds, reverse=True)
    total_bytes = sum(session.size_bytes for session in closed)
    dropped: list[Dropped] = []
    for session in closed:
        reason: Literal["age", "quota"] = "age"
        if session.idle_seconds <= days * _DAY_SECONDS:
            if total_bytes <= quota_bytes or session is closed[-1]:
                break
            reason = "quota"
        try:
            if not layout.drop_unless_open(session.folder):
                continue
        except OSError as error:
            logger.warning("cannot drop session %s: %s", session.folder.name, error)
            continue
        total_bytes -= session.size_bytes
        dropped.append(
            Dropped(
                id=session.folder.name,
                size_bytes=session.size_bytes,
                idle_days=session.idle_seconds / _DAY_SECONDS,
                reason=reason,
            )
        )
    return tuple(dropped)


def _look(folder: Path) -> _Closed | None:
    """Size and idle time of a session; None when it is open or cannot be looked at."""
    journal = folder / layout.JOURNAL
    try:
        if journal.exists() and is_locked(journal):
            return None
        used = journal if journal.exists() else folder
        return _Closed(
            folder=folder,
            size_bytes=sum(path.lstat().st_size for path in folder.rglob("*")),
            idle_seconds=time.time() - used.stat().st_mtime,
        )
    except OSError as error:
        logger.warning("cannot look at session %s: %s", folder.name, error)
        return None
