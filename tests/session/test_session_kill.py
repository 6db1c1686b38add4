"""A writer is killed at random moments: what it was told to be on disk is there afterwards."""

from __future__ import annotations

import hashlib
import os
import random
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chatcli.messages import Text, ToolResult
from chatcli.session.session import Session

KILLS_A_SESSION = 8
SOAK_KILLS = int(os.environ.get("CHATCLI_SOAK_KILLS", "100"))

WRITER = """
import sys
from pathlib import Path
from chatcli.messages import Text, ToolCall
from chatcli.session.files import write_durably
from chatcli.session.session import Session

home, session_id, tmp = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
session = Session.resume(home, session_id, tmp=tmp, quota_bytes=300_000)
session.archive._end_bytes = 20_000
number = 0
while True:
    number += 1
    user = session.add_user((Text(f"request {number}"),))
    print(user.seq, flush=True)
    calls = [ToolCall(id=f"read:{i}", name="read") for i in range(3)]
    reply = session.add_assistant(calls, provider="P", model="m", stop_reason="tool_calls")
    print(reply.seq, flush=True)
    for call in calls:
        session.start_call(reply, call)
        sink = session.archive.sink()
        for _piece in range(number % 5 + 1):
            sink.write((f"{session.id} {number} {call.id}\\n" * 2_000).encode())
        original = sink.finish()
        result = session.add_result(call_id=call.id, name="read", original=original)
        session.workspace.expose(call.id, original, session.archive)
        print(result.seq, flush=True)
    path = tmp / "project-file"
    before = path.read_bytes() if path.exists() else None
    after = f"{number}".encode()
    session.checkpoints.before_write(user.seq, path, content=before, mode=0o644, after=after)
    write_durably(path, after)
"""


def written_until_killed(home: Path, session_id: str, tmp: Path, chance: random.Random) -> list[int]:
    """The numbers of the messages that a writer reported before it was killed."""
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home), session_id, str(tmp)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    if chance.random() < 0.8:
        # Most are killed while they write, the others while they start and repair.
        select.select([child.stdout], [], [], 20)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(chance.uniform(0, 0.15))
    child.send_signal(signal.SIGKILL)
    out, err = child.communicate()
    assert err == ""
    return [int(line) for line in out.splitlines(keepends=True) if line.endswith("\n")]


def check_nothing_lost(session: Session, reported: set[int]) -> None:
    assert reported <= {message.seq for message in session.transcript}
    for message in session.transcript:
        if isinstance(message, ToolResult):
            with session.archive.open(message.original) as file:
                assert hashlib.file_digest(file, "sha256").hexdigest() == message.original.sha256
    assert session.unanswered() == []
    assert list(session.archive.folder.glob(".*")) == []


def live_through(base: Path, seed: int) -> None:
    """One session, killed again and again, resumed each time, at last forked and undone."""
    chance = random.Random(seed)
    home, tmp = base / "home", base / "tmp"
    tmp.mkdir(parents=True)
    session = Session.create(home, base, tmp=tmp, quota_bytes=300_000)
    session.add_user((Text("begin"),))
    session.close()
    reported: set[int] = set()
    for _kill in range(KILLS_A_SESSION):
        reported.update(written_until_killed(home, session.id, tmp, chance))
        resumed = Session.resume(home, session.id, tmp=tmp, quota_bytes=300_000)
        check_nothing_lost(resumed, reported)
        assert resumed.workspace.root == session.workspace.root
        resumed.close()
    copy = Session.fork(home, session.id, tmp=tmp, quota_bytes=300_000)
    assert copy.transcript == resumed.transcript
    copy.close()
    while done := resumed.checkpoints.undo():
        assert done.left == ()
    assert not (tmp / "project-file").exists()


def test_nothing_that_was_reported_is_lost(tmp_path: Path) -> None:
    live_through(tmp_path, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_nothing_is_lost_in_a_thousand_kills(tmp_path: Path) -> None:
    for seed in range(SOAK_KILLS // KILLS_A_SESSION):
        live_through(tmp_path / str(seed), seed)
