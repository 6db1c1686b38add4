"""The context note: what may change between messages, stored with the message it came with.

It is written once, at the end of the newest user message, and never moved or refreshed: every
request that follows repeats the same bytes.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

_MAX_BRANCH_CHARS = 100


def context_note(*, mode: str, autonomy: str, folder: Path, today: date) -> str:
    """One bracketed line: mode, autonomy, date, folder and branch."""
    parts = [f"mode: {mode}", f"autonomy: {autonomy}", f"date: {today.isoformat()}", f"folder: {folder}"]
    if branch := current_branch(folder):
        parts.append(f"git branch: {branch}")
    return f"[context — {'; '.join(parts)}]"


def current_branch(folder: Path) -> str:
    """The branch that `.git/HEAD` names, read without running git; empty outside a repository."""
    for parent in (folder, *folder.parents):
        dot_git = parent / ".git"
        try:
            if dot_git.is_file():  # a worktree or submodule
                pointer = dot_git.read_text(encoding="utf-8", errors="replace").strip()
                dot_git = (parent / pointer.removeprefix("gitdir:").strip()).resolve()
            head = (dot_git / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue
        name = head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:10]
        return "".join(c for c in name if c.isprintable())[:_MAX_BRANCH_CHARS]
    return ""
