"""What fills the window, in rows of text: its size, a map, its parts, its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chatcli.agent.window import Window
from chatcli.context.window import Part, PartKind, ResultPart, Stability
from chatcli.gate.screen import one_line
from chatcli.i18n import _, ngettext
from chatcli.terminal.cells import clip, fill, pad, width_cells
from chatcli.terminal.contextmap import Area, map_rows
from chatcli.terminal.figures import number, percent, short_count
from chatcli.terminal.look import Look, Style
from chatcli.terminal.slash.results import presentation_text

_SHORT_KEY = 8


def window_rows(window: Window, shown: Sequence[ResultPart], look: Look, columns: int) -> list[str]:
    """All of it, with the results in `shown` one by one. At most `columns` wide."""
    rows = [row for line in _sizes(window) for row in fill(line, columns)]
    rows += ["", *map_rows(_areas(window), look, columns)]
    rows += ["", *(clip(row, columns) for row in _part_rows(window.contents.parts))]
    if shown:
        rows += ["", *(clip(row, columns) for row in _result_rows(shown, window.contents.results))]
    return rows


def _sizes(window: Window) -> Iterator[str]:
    expected = window.contents.tokens
    yield _("next request: {n} of {window} tokens, {share} (estimated)").format(
        n=number(expected),
        window=number(window.window_tokens),
        share=f"{percent(expected, window.window_tokens)}\u00a0%",
    )
    if window.billed_tokens:
        yield _("last request: {n} (billed)").format(n=number(window.billed_tokens))
    yield _("room is made past {limit}: {left} left").format(
        limit=number(window.limit_tokens), left=number(max(0, window.limit_tokens - expected))
    )


def _areas(window: Window) -> list[Area]:
    tokens: dict[PartKind, int] = {}
    for part in window.contents.parts:
        tokens[part.kind] = tokens.get(part.kind, 0) + part.tokens
    used = window.contents.tokens
    free = max(0, window.limit_tokens - used)
    kinds: Sequence[tuple[str, str, Style, tuple[PartKind, ...]]] = (
        (_("tools"), "▤", "warn", ("tools",)),
        (_("system prompt"), "▦", "warn", ("block",)),
        (_("summary"), "▧", "user", ("summary",)),
        (_("your messages"), "◆", "good", ("words", "files", "notes")),
        (_("replies and calls"), "●", "bold", ("replies", "reasoning", "calls")),
        (_("results, whole"), "■", "accent", ("whole",)),
        (_("results, shortened"), "□", "accent", ("shortened",)),
    )
    return [
        *(Area(name, sign, style, sum(tokens.get(k, 0) for k in of)) for name, sign, style, of in kinds),
        Area(_("free"), "·", "dim", free),
        Area(_("kept free"), "×", "dim", max(0, window.window_tokens - max(used, window.limit_tokens))),
    ]


def _part_rows(parts: Sequence[Part]) -> list[str]:
    names = [_part_name(part) for part in parts]
    widest = max(width_cells(name) for name in names)
    return [
        f"{pad(name, widest)} {short_count(part.tokens):>6}  {_stability(part.stability)}"
        for name, part in zip(names, parts, strict=True)
    ]


def _part_name(part: Part) -> str:
    names: dict[PartKind, str] = {
        "tools": ngettext("{n} tool", "{n} tools", part.count).format(n=part.count),
        "block": _block_name(part.name),
        "summary": _("summary"),
        "words": _("your words"),
        "files": _("your files"),
        "notes": _("notes of chatcli"),
        "replies": _("replies"),
        "reasoning": _("reasoning"),
        "calls": _("calls"),
        "whole": ngettext("{n} result, whole", "{n} results, whole", part.count).format(n=part.count),
        "shortened": ngettext("{n} result, shortened", "{n} results, shortened", part.count).format(
            n=part.count
        ),
    }
    return names[part.kind]


def _block_name(name: str) -> str:
    names = {
        "core": _("core prompt"),
        "rules": _("rules files"),
        "memory": _("memory digest"),
    }
    return names.get(name, name)


def _stability(stability: Stability) -> str:
    match stability:
        case "session":
            return _("fixed")
        case "once":
            return _("written once")
        case "open":
            return _("may shrink")


def _result_rows(shown: Sequence[ResultPart], all_results: Sequence[ResultPart]) -> list[str]:
    digits = _key_digits(all_results)
    tools = max(width_cells(one_line(part.result.name)) for part in shown)
    rows = []
    for part in shown:
        name = one_line(part.result.name)
        key = part.result.original.key[:digits]
        lead = f"{key:<{digits}} {short_count(part.tokens):>6}  {pad(name, tools)}"
        rows.append(f"{lead}  {' · '.join(_about(part))}")
    return rows


def _about(part: ResultPart) -> Iterator[str]:
    shown = part.result.shown
    yield presentation_text(shown.kind if shown else None)
    yield ngettext("{n} turn old", "{n} turns old", part.age_turns).format(n=part.age_turns)
    if shown and shown.pinned:
        yield _("pinned")
    elif part.stability == "open":
        yield _stability("open")


def _key_digits(results: Sequence[ResultPart]) -> int:
    """How many digits of a key tell all of these apart."""
    keys = {part.result.original.key for part in results}
    return _SHORT_KEY if len({key[:_SHORT_KEY] for key in keys}) == len(keys) else max(map(len, keys))
