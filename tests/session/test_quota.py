from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from chatcli.messages import Text
from chatcli.session import layout
from chatcli.session.quota import sweep
from chatcli.session.session import Session

Create = Callable[[], Session]

DAY_SECONDS = 86_400


def closed(create: Create, home: Path, *, size_bytes: int, idle_days: float) -> str:
    session = create()
    session.add_user((Text("hi"),))
    session.archive.put(os.urandom(size_bytes))
    session.close()
    age(home, session.id, idle_days)
    return session.id


def age(home: Path, session_id: str, idle_days: float) -> None:
    then = time.time() - idle_days * DAY_SECONDS
    os.utime(layout.session_folder(home, session_id) / layout.JOURNAL, (then, then))


def left(home: Path) -> set[str]:
    return {folder.name for folder in (home / "sessions").iterdir()}


def test_sessions_within_both_limits_stay(create: Create, home: Path) -> None:
    ids = {closed(create, home, size_bytes=10, idle_days=days) for days in (1, 6.9)}
    assert sweep(home, quota_bytes=1_000_000, days=7) == ()
    assert left(home) == ids


def test_old_sessions_are_dropped_whole_and_announced(create: Create, home: Path) -> None:
    old = closed(create, home, size_bytes=5_000, idle_days=8)
    young = closed(create, home, size_bytes=10, idle_days=1)
    (dropped,) = sweep(home, quota_bytes=1_000_000, days=7)
    assert (dropped.id, dropped.reason, round(dropped.idle_days)) == (old, "age", 8)
    assert dropped.size_bytes >= 5_000
    assert left(home) == {young}


def test_beyond_the_quota_the_oldest_go_first(create: Create, home: Path) -> None:
    ids = [closed(create, home, size_bytes=100_000, idle_days=days) for days in (5, 4, 3, 2)]
    dropped = sweep(home, quota_bytes=250_000, days=7)
    assert [(d.id, d.reason) for d in dropped] == [(ids[0], "quota"), (ids[1], "quota")]
    assert left(home) == {ids[2], ids[3]}


def test_the_session_used_last_is_not_dropped_for_its_size(create: Create, home: Path) -> None:
    last = closed(create, home, size_bytes=100_000, idle_days=0)
    assert sweep(home, quota_bytes=1_000, days=7) == ()
    age(home, last, 8)
    assert [dropped.id for dropped in sweep(home, quota_bytes=1_000, days=7)] == [last]


def test_open_sessions_are_never_dropped(create: Create, home: Path) -> None:
    session = create()
    session.add_user((Text("hi"),))
    session.archive.put(b"x" * 100_000)
    age(home, session.id, 100)
    assert sweep(home, quota_bytes=1, days=1) == ()
    assert left(home) == {session.id}
    session.close()


def test_broken_sessions_grow_old_too(home: Path) -> None:
    folder = layout.session_folder(home, "broken")
    folder.mkdir(parents=True)
    assert sweep(home, quota_bytes=1, days=1) == ()
    os.utime(folder, (0, 0))
    assert [dropped.id for dropped in sweep(home, quota_bytes=1, days=1)] == ["broken"]


def test_what_killed_processes_left_is_removed(home: Path) -> None:
    for name in (".dropped-a", ".new-old", ".new-young"):
        (home / "sessions" / name / "archive").mkdir(parents=True)
    os.utime(home / "sessions" / ".new-old", (0, 0))
    assert sweep(home, quota_bytes=1, days=1) == ()
    assert left(home) == {".new-young"}


def test_an_empty_home_has_nothing_to_drop(home: Path) -> None:
    assert sweep(home, quota_bytes=1, days=1) == ()
