"""The first lines: what answers and why, where we are, how to get help."""

from __future__ import annotations

from pathlib import Path

from chatcli import __version__
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.terminal.cells import clip, clip_start, width_cells
from chatcli.terminal.look import Look


def welcome(provider: str, model: str, why: str, folder: Path, columns: int, look: Look) -> list[str]:
    """Four lines; `why` is the reason for this provider."""
    if provider == "OFFLINE":
        answers, why = _("OFFLINE: no model, rules only"), f"chatcli setup · {why}"
    else:
        answers = f"{provider}/{one_line(model)}"
    answers = clip(answers, columns)
    reason = clip(f" · {one_line(why)}", columns - width_cells(answers)) if why else ""
    return [
        look.paint(clip(f"chatcli {__version__}", columns), "bold"),
        look.paint(answers, "warn" if provider == "OFFLINE" else "accent") + look.paint(reason, "dim"),
        clip_start(one_line(str(folder)), columns),
        look.paint(clip(_("/help for commands · @file attaches · Ctrl-D leaves"), columns), "dim"),
    ]
