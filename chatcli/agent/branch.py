"""The git branch of a folder, read without running git: a repository can configure what git runs."""

from __future__ import annotations

from pathlib import Path

_MAX_HEAD_BYTES = 1_000
_MAX_NAME_CHARS = 100


def current_branch(folder: Path) -> str:
    """The branch, the first digits of a detached commit, or nothing outside a repository."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        try:
            if git.is_file():
                git = (place / _read(git).removeprefix("gitdir:").strip()).resolve()
            head = _read(git / "HEAD").strip()
        except OSError:
            continue
        if head.startswith("ref: refs/heads/"):
            return _printable(head.removeprefix("ref: refs/heads/"))
        return head[:8] if head.isalnum() else ""
    return ""


def _printable(name: str) -> str:
    """A hostile name must not break the line that it stands in."""
    return "".join(c for c in name if c.isprintable())[:_MAX_NAME_CHARS]


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MAX_HEAD_BYTES).decode("utf-8", "replace")
