"""What a script has besides Python: the text, the lines and the records of archived results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_KEY = re.compile(r"[0-9a-f]{8,64}")
_NOTE = re.compile(r"\n?\[[^\n]*\]\s*\Z")
"""The last line that a tool writes below a command's output."""


class Results:
    """The originals in a folder, each in a file that is named by its SHA-256."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def result(self, key: str) -> str:
        """The whole text."""
        return self._path(key).read_bytes().decode("utf-8", "replace")

    def lines(self, key: str) -> Iterator[str]:
        """The lines without their ends, one at a time: of a result larger than memory too."""
        with self._path(key).open(encoding="utf-8", errors="replace", newline="\n") as file:
            for line in file:
                yield line.rstrip("\r\n")

    def records(self, key: str) -> list[Any]:
        """The items of a JSON array, the values of JSON lines, or one value alone."""
        text = self.result(key)
        try:
            value = json.loads(text)
        except ValueError:
            text = _NOTE.sub("", text)
            try:
                value = json.loads(text)
            except ValueError:
                return [json.loads(line) for line in text.splitlines() if line.strip()]
        return value if isinstance(value, list) else [value]

    def _path(self, key: str) -> Path:
        found = _KEY.search(key.lower().removeprefix("<<ccr:"))
        matches = sorted(self._folder.glob(f"{found[0]}*")) if found else []
        if len(matches) != 1:
            raise KeyError(f"no result has the key {key!r}")
        return matches[0]
