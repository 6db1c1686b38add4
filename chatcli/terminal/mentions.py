"""Files named in a line: `@src/app.py`, `@"my notes.txt"`, `@~/todo.md`, `@docs/café.md`.

A mention counts only at the start of a word and only when the path exists, so that addresses like
`user@example.com` and handles stay what they are. One that is missing is told where its name is clearly
that of a file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.tools.images import MAGIC_BYTES, image_format

_MENTION = re.compile(r"""(?<!\S)@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s\\])+))""")
_PATH_BEGINNINGS = ("/", "~", "file:///", "'", '"')
_FILE_NAME = re.compile(
    r"(?:\.{0,2}|~)/.+|.+\.(?:avif|bmp|c|cc|cfg|conf|cpp|css|csv|diff|gif|go|h|html?|ini|ipynb|java|jpe?g|jsx?"
    r"|jsonl?|kt|lock|log|md|patch|pdf|php|png|py|pyi|rb|rs|rst|sh|sql|svg|toml|tsv|tsx?|txt|webp|xml|ya?ml)",
    re.IGNORECASE,
)
"""Unlike a handle, a decorator, or the name of a package."""
_LONGEST_PASTED_CHARS = 4_000
_TRAILING = ".,;:!?)]}>\"'…"


def find_mentions(text: str, folder: Path) -> list[Path]:
    """The existing files that `text` mentions, each once, in order.

    Relative paths are taken from `folder`. Punctuation behind a path is not part of it unless a
    file is really called that.
    """
    found: dict[Path, None] = {}
    for candidates in _mentioned(text):
        for candidate in candidates:
            if path := _existing(candidate, folder):
                found[path] = None
                break
    return list(found)


def missing_mentions(text: str, folder: Path) -> list[str]:
    """What `text` mentions by the name of a file where nothing stands, each once, in order."""
    missing: dict[str, None] = {}
    for candidates in _mentioned(text):
        if not any(_exists(name, folder) for name in candidates) and _FILE_NAME.fullmatch(candidates[-1]):
            missing[candidates[-1]] = None
    return list(missing)


def told_missing(text: str, folder: Path) -> str:
    """What a person is told of `missing_mentions`; empty when nothing is missing."""
    names = ", ".join(one_line(name) for name in missing_mentions(text, folder))
    return _("There is no such file to attach: {names}").format(names=names) if names else ""


def _mentioned(text: str) -> Iterator[list[str]]:
    """What each mention may name, at least one each."""
    for match in _MENTION.finditer(text):
        quoted = match[1] or match[2]
        if candidates := [quoted] if quoted else _bare_candidates(match[3]):
            yield candidates


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


def _exists(name: str, folder: Path) -> bool:
    """Also when that cannot be known."""
    try:
        return (folder / Path(name).expanduser()).exists()
    except (OSError, ValueError, RuntimeError):
        return True


def _existing(name: str, folder: Path) -> Path | None:
    try:
        path = folder / Path(name).expanduser()
        return path if path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None
