"""Files named in a line: `@src/app.py`, `@"my notes.txt"`, `@~/todo.md`, `@docs/café.md`.

A mention counts only at the start of a word and only when the path exists, so that addresses like
`user@example.com` and handles stay what they are.
"""

from __future__ import annotations

import re
from pathlib import Path

_MENTION = re.compile(r"""(?<!\S)@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s\\])+))""")
_TRAILING = ".,;:!?)]}>\"'…"


def find_mentions(text: str, folder: Path) -> list[Path]:
    """The existing files that `text` mentions, each once, in order.

    Relative paths are taken from `folder`. Punctuation behind a path is not part of it unless a
    file is really called that.
    """
    found: dict[Path, None] = {}
    for match in _MENTION.finditer(text):
        quoted = match[1] or match[2]
        candidates = [quoted] if quoted else _bare_candidates(match[3])
        for candidate in candidates:
            if path := _existing(candidate, folder):
                found[path] = None
                break
    return list(found)


def quoted_mention(path: str) -> str:
    """How `path` is written in a line so that `find_mentions` finds it."""
    if re.search(r"[\s\\'\"]", path) or path.endswith(tuple(_TRAILING)):
        return f"@'{path}'" if '"' in path else f'@"{path}"'
    return f"@{path}"


def _bare_candidates(word: str) -> list[str]:
    plain = re.sub(r"\\(.)", r"\1", word)
    candidates = [plain]
    while plain and plain[-1] in _TRAILING:
        plain = plain[:-1]
        candidates.append(plain)
    return [candidate for candidate in candidates if candidate]


def _existing(name: str, folder: Path) -> Path | None:
    try:
        path = folder / Path(name).expanduser()
        return path if path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None
