"""The unified diff of a change, as it is approved and shown."""

from __future__ import annotations

import difflib

from chatcli.tools.api import FileChange

_MAX_BYTES = 2_000_000
"""Larger files are written without a line diff: making one would take minutes."""
_SNIFFED_BYTES = 8_192


def unified_diff(name: str, change: FileChange) -> str:
    """With names as `git diff` gives them; a line of facts for big or binary files."""
    before, after = change.before or b"", change.after
    if len(before) + len(after) > _MAX_BYTES or _is_binary(before) or _is_binary(after):
        return f"--- a/{name}\n+++ b/{name}\n{len(before)} bytes replaced by {len(after)} bytes\n"
    source = "/dev/null" if change.before is None else f"a/{name}"
    lines = difflib.unified_diff(_lines(before), _lines(after), source, f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:_SNIFFED_BYTES]


def _lines(data: bytes) -> list[str]:
    """Lines end at a line feed alone, as everywhere else."""
    lines = data.decode("utf-8", "replace").split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])
