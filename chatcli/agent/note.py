"""The context note: what may change between messages, stored with the message it came with.

It is written once, at the end of the newest user message, and never moved or refreshed: every
request that follows repeats the same bytes.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from chatcli.agent.branch import current_branch


def context_note(*, mode: str, autonomy: str, attended: bool, folder: Path, today: date) -> str:
    """One bracketed line: mode, autonomy, date, folder and branch; `attended`: somebody can be asked."""
    allowed = autonomy if attended else f"{autonomy}, nobody is here to approve"
    parts = [f"mode: {mode}", f"autonomy: {allowed}", f"date: {today.isoformat()}", f"folder: {folder}"]
    if branch := current_branch(folder):
        parts.append(f"git branch: {branch}")
    return f"[context — {'; '.join(parts)}]"
