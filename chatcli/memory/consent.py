"""Whether the user lets chatcli learn by itself: asked once, kept beside the memory."""

from __future__ import annotations

from pathlib import Path

from chatcli.session.files import read_private, write_private


def read_consent(folder: Path) -> bool | None:
    """What the user said; None when they were not asked yet. `folder` is that of the memory."""
    said = read_private(folder / "learn")
    return None if said is None else said.strip() == b"on"


def write_consent(folder: Path, learns: bool) -> None:
    write_private(folder / "learn", b"on\n" if learns else b"off\n")
