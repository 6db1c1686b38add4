"""What was typed, for the arrow keys and Ctrl-R: a file that one process can append to while others do.

One JSON string a line, so that entries of many lines survive; written when the entry is made, not
at exit; 0600; secrets are taken out before they reach the disk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

_MAX_FILE_BYTES = 1_000_000
_KEPT_ENTRIES = 2_000
_MAX_ENTRY_CHARS = 100_000


class HistoryFile(History):
    """A history in `path`. A file that cannot be read or written only means no memory."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._last = ""

    def load_history_strings(self) -> Iterable[str]:
        """Newest first."""
        entries = _read(self._path)
        if _too_big(self._path):
            _shrink(self._path, entries[-_KEPT_ENTRIES:])
        self._last = entries[-1] if entries else ""
        return reversed(entries)

    def store_string(self, string: str) -> None:
        from chatcli.session.redact import redact

        entry = redact(string)
        if entry == self._last or len(entry) > _MAX_ENTRY_CHARS:
            return
        self._last = entry
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return
        try:
            os.write(descriptor, (json.dumps(entry, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
        except OSError:
            return
        finally:
            os.close(descriptor)


def _read(path: Path) -> list[str]:
    """Oldest first; lines that are no JSON string are passed over."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    entries = []
    for line in text.split("\n"):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, str) and entry:
            entries.append(entry)
    return entries


def _too_big(path: Path) -> bool:
    try:
        return path.stat().st_size > _MAX_FILE_BYTES
    except OSError:
        return False


def _shrink(path: Path, entries: list[str]) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}")
    text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
