"""A terminal or pipe whose other end is gone."""

from __future__ import annotations

import os
from typing import TextIO


def abandon(stream: TextIO) -> None:
    """Let everything that is still written to `stream` vanish: what it buffers would fail at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
