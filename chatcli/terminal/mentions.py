"""Files named in a line: `@src/app.py`, `@"my notes.txt"`, `@~/todo.md`, `@docs/café.md`.

A mention counts only at the start of a word and only when the path exists, so that addresses like
`user@example.com` and handles stay what they are.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from chatcli.tools.images import MAGIC_BYTES, image_format

_MENTION = re.compile(r"""(?<!\S)@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s\\])+))""")
_PATH_BEGINNINGS = ("/", "~", "file:///", "'", '"')
_LONGEST_PASTED_CHARS = 4_000
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


def pasted_images(data: str) -> str:
    """Mentions of the images whose absolute paths were pasted, as when a file is dropped on the terminal.

    Empty when anything else was. Terminals quote, escape or write `file:` addresses, each in its way.
    """
    text = data.strip()
    if not text.startswith(_PATH_BEGINNINGS) or len(text) > _LONGEST_PASTED_CHARS:
        return ""
    candidates = [[text]]
    with suppress(ValueError):  # a quote that is not closed
        candidates.append(shlex.split(text))
    for words in candidates:
        paths = [_without_scheme(word) for word in words]
        if all(map(_is_image, paths)):
            return " ".join(map(quoted_mention, paths)) + " "
    return ""


def _without_scheme(word: str) -> str:
    return unquote(word.removeprefix("file://")) if word.startswith("file:///") else word


def _is_image(name: str) -> bool:
    try:
        path = Path(name).expanduser()
        if not (path.is_absolute() and path.is_file()):
            return False
        with path.open("rb") as file:
            return bool(image_format(file.read(MAGIC_BYTES)))
    except (OSError, ValueError, RuntimeError):
        return False


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
