"""The word by which a model tells results from what only looks like one."""

from __future__ import annotations

import os

from chatcli.session.session import Session

_NOTE = "fence"


def fence_of(session: Session) -> str:
    """Drawn once a session and journalled, with the stable blocks. What repeats it in a result is masked."""
    if _NOTE not in session.notes:
        session.set_note(_NOTE, os.urandom(4).hex())
    return session.notes[_NOTE]
