"""Keys of earlier results, however they are written, and why one is not known."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from chatcli.tools import StoreEntry, ToolFailed

_MARKED = re.compile(r"ccr\s*:\s*([0-9a-z]+)", re.IGNORECASE)
_FILE = re.compile(r"budget_\S*_([0-9a-f]{8})\.txt")
_BARE = re.compile(r"(?<![0-9a-zA-Z])[0-9a-fA-F]{8,64}(?![0-9a-zA-Z])")
_KEY_DIGITS = 16
_FEWEST_DIGITS = 8
"""As many digits of a key stand in the name of a file in `tool-results`."""
_LATEST = 3


def find_keys(texts: Sequence[str]) -> list[str]:
    """The keys in some texts, in lower case and in order, each once.

    `<<ccr:K>>`, `<ccr:K>`, `ccr:K` and a bare K are the same, also inside prose or the name of a file.
    Bare ones count only where nothing is marked, and shorter ones only where none has all its digits.
    """
    found: list[str] = []
    for text in texts:
        keys = _MARKED.findall(text) or _FILE.findall(text)
        if not keys:
            bare = _BARE.findall(text)
            keys = [key for key in bare if len(key) >= _KEY_DIGITS] or bare
        found += [key.lower() for key in keys or [text.strip()[:_KEY_DIGITS]] if key]
    return list(dict.fromkeys(found))


def find_entry(key: str, entries: Sequence[StoreEntry]) -> StoreEntry:
    """The result with this key or a beginning of it. Raises `ToolFailed` when it cannot be opened."""
    if len(key) >= _FEWEST_DIGITS:
        matches = [e for e in entries if key.startswith(e.key) or e.key.startswith(key)]
        if len({entry.key for entry in matches}) == 1:
            return _openable(matches[-1])
    raise ToolFailed(f"{key}: no result of this session has this key.{_near(key, entries)}")


def _openable(entry: StoreEntry) -> StoreEntry:
    about = f"{entry.key}: this result of {entry.tool} ({entry.size_chars} chars)"
    match entry.state:
        case "deleted":
            raise ToolFailed(f"{about} was deleted by the user. Do not ask for it again.")
        case "lost":
            raise ToolFailed(
                f"{about} is not in the archive as it was stored: its file is gone or damaged."
                " Run the tool again."
            )
        case _:
            return entry


def _near(key: str, entries: Sequence[StoreEntry]) -> str:
    """The keys that may have been meant, else the latest ones."""
    by_key = {entry.key: entry for entry in entries if entry.state == "stored"}
    if not by_key:
        return " Nothing is archived yet."
    begun = [name for name in by_key if name.startswith(key)]
    near = begun[:2] or difflib.get_close_matches(key, by_key, 2, 0.7)
    names = near or list(by_key)[-_LATEST:]
    shown = ", ".join(f"<<ccr:{name}>> ({by_key[name].tool})" for name in names)
    if near:
        return f" Similar: {shown}."
    return (
        f" The latest are {shown}. Results of other sessions cannot be opened here, and those of"
        " sessions that were dropped for their age are gone."
    )
