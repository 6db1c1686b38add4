"""One line for one tool call: `✓ read chatcli/app.py lines 1-80 · 2.1K chars · 0.1 s`."""

from __future__ import annotations

from chatcli.events import ResultShown, ToolFinished
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.messages import ResultStatus
from chatcli.terminal.cells import clip, width_cells
from chatcli.terminal.figures import short_count, short_seconds
from chatcli.terminal.look import Look, Style

_GLYPHS: dict[ResultStatus, tuple[str, Style]] = {
    "ok": ("✓", "good"),
    "error": ("✗", "bad"),
    "denied": ("⊘", "warn"),
    "cancelled": ("–", "dim"),
    "interrupted": ("■", "warn"),
    "not_executed": ("–", "dim"),
    "missing": ("?", "warn"),
}
_SHORTEST_SUMMARY_CELLS = 12
_ERROR_TAIL_CHARS = 10_000
_SMALL_CHARS = 200
"""A result this small is no news when the tool said something itself."""


def tool_line(event: ToolFinished, columns: int, look: Look) -> str:
    """The summary gives way first, then the figures from the right."""
    glyph, style = _GLYPHS[event.status]
    figures = [
        text for text in (_outcome(event), _size(event), short_seconds(event.duration_seconds)) if text
    ]
    name = one_line(event.name)
    summary = one_line(event.summary)
    while figures:
        room = columns - 2 - width_cells(name) - 1 - sum(width_cells(f) + 3 for f in figures)
        if room >= min(_SHORTEST_SUMMARY_CELLS, width_cells(summary)):
            break
        figures.pop()
    tail = "".join(f" · {figure}" for figure in figures)
    head = clip(f"{name} {summary}".rstrip(), columns - 2 - width_cells(tail))
    shown_name, rest = head[: len(name)], head[len(name) :]
    return f"{look.paint(glyph, style)} {look.paint(shown_name, 'bold')}{rest}{look.paint(tail, 'dim')}"


def error_line(text: str, columns: int, look: Look) -> list[str]:
    """Where the error stands in the text of a failed call: its last line, before notes in brackets."""
    said = [line.strip() for line in text[-_ERROR_TAIL_CHARS:].splitlines() if line.strip()]
    said = [line for line in said if not line.startswith("[")] or said
    return [look.paint(clip(f"  {one_line(said[-1])}", columns), "bad")] if said else []


def shown_line(event: ResultShown, columns: int, look: Look) -> str:
    """What the model sees of a long result, and how the rest is reached."""
    text = _("the model sees {shown} of {chars} chars · @recall {key}").format(
        shown=short_count(event.shown_chars), chars=short_count(event.chars), key=event.key
    )
    return look.paint(clip(f"  ↳ {text}", columns), "dim")


def _outcome(event: ToolFinished) -> str:
    """What the tool says of itself, else what became of the call."""
    if event.brief:
        return one_line(event.brief, 60)
    match event.status:
        case "denied":
            return _("denied")
        case "cancelled":
            return _("cancelled")
        case "interrupted":
            return _("interrupted")
        case "not_executed":
            return _("not run")
        case "missing":
            return _("no result")
        case _:
            return ""


def _size(event: ToolFinished) -> str:
    if event.status not in {"ok", "error", "interrupted"}:
        return ""
    if event.brief and event.chars < _SMALL_CHARS:
        return ""
    return _("{n} chars").format(n=short_count(event.chars))
