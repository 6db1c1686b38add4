"""The first lines: what answers, where we are, how to get help."""

from __future__ import annotations

from pathlib import Path

from chatcli import __version__
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.terminal.cells import clip, clip_start
from chatcli.terminal.look import Look


def welcome(provider: str, model: str, folder: Path, columns: int, look: Look) -> list[str]:
    """At most four lines."""
    lines = [look.paint("chatcli", "bold") + look.paint(f" {__version__}", "dim")]
    if provider == "OFFLINE":
        lines.append(look.paint(clip(_("OFFLINE: no model, rules only · chatcli setup"), columns), "warn"))
    else:
        lines.append(clip(f"{provider}/{one_line(model)}", columns))
    lines.append(clip_start(one_line(str(folder)), columns))
    lines.append(look.paint(clip(_("/help for commands · @file attaches · Ctrl-D leaves"), columns), "dim"))
    return lines
