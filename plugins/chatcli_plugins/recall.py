"""recall: the original of an earlier result, whole, in part, or what it is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, BinaryIO

from msgspec import Struct

from chatcli.tools import InvalidArguments, StoreEntry, ToolContext, ToolFailed, ToolOutput, in_thread, tool
from chatcli.tools.text import UTF_8, TextDecoder, safe_cut
from chatcli.tools.windows import CharWindow, LineWindow
from chatcli_plugins.recall_grep import compile_grep, compile_literal, grep_file
from chatcli_plugins.recall_json import Document, Span, find_document, parse_path, select
from chatcli_plugins.recall_keys import find_entry, find_keys
from chatcli_plugins.recall_stat import MAX_JSON_BYTES, describe
from chatcli_plugins.search_results import SearchResults

_BLOCK_BYTES = 1 << 20
_NOTE_CHARS = 400
"""Kept free for what stands around a part."""
_MAX_CONTEXT = 20
_MAX_KEYS = 20
_MAX_PATTERN_CHARS = 200
_RANGE = re.compile(r"\s*(\d*)\s*(-|:|\.\.)?\s*(\d*)\s*")

Check = Callable[[], None]


class Range(Struct, frozen=True):
    """`first`..`last`, both included (None: to the end), or the `tail` last ones."""

    first: int
    last: int | None
    tail: int = 0


class Wanted(Struct, frozen=True, kw_only=True):
    """The part that was asked for."""

    lines: Range | None
    chars: Range | None
    grep: str
    context: int
    offset: int
    json: str
    stat: bool


def _summary(arguments: Mapping[str, Any]) -> str:
    given = [f"{name}={value}" for name, value in arguments.items() if name != "keys" and value]
    return " ".join([*arguments["keys"], *given])


@tool("recall", read_only=True, concurrent=True, summary=_summary)
async def recall(
    ctx: ToolContext,
    keys: list[str],
    stat: Annotated[bool, "only sizes, type, JSON keys"] = False,
    lines: Annotated[str, "10-40, 10- or -40"] = "",
    chars: Annotated[str, "0-5000"] = "",
    grep: Annotated[str, "regex; with lines: only there"] = "",
    context: int = 0,
    offset: int = 0,
    json: Annotated[str, "a.b[3].c, [2:5], [*]"] = "",
) -> ToolOutput:
    """Open the original behind <<ccr:KEY>>, verbatim: whole or one part of it."""
    if len(grep) > _MAX_PATTERN_CHARS:
        raise InvalidArguments(f"recall: 'grep' has more than {_MAX_PATTERN_CHARS} characters")
    if bool(chars) + bool(json) + stat + bool(lines or grep) > 1:
        raise InvalidArguments("recall: give one of stat, lines, chars, json, grep (grep may have lines)")
    wanted = Wanted(
        lines=_range("lines", lines, 1),
        chars=_range("chars", chars, 0),
        grep=grep,
        context=min(max(context, 0), _MAX_CONTEXT),
        offset=max(offset, 0),
        json=json,
        stat=stat,
    )
    named = find_keys(keys)
    if not named:
        raise InvalidArguments("recall: 'keys' names no result; write the KEY of a <<ccr:KEY>>")
    room_chars = ctx.cap_chars - _NOTE_CHARS
    text = await in_thread(lambda check: _recall(ctx, named[:_MAX_KEYS], wanted, room_chars, check))
    if len(named) > _MAX_KEYS:
        text += f"\n[{len(named) - _MAX_KEYS} more keys were left out: ask for them in another call]"
    return ToolOutput(text=text, brief=f"{len(text)} chars", self_limited=True, verbatim=True)


def _recall(ctx: ToolContext, keys: Sequence[str], wanted: Wanted, room_chars: int, check: Check) -> str:
    entries = ctx.store.entries()
    if wanted.grep:
        return _grep(ctx, [find_entry(key, entries) for key in keys], wanted, room_chars, check)
    if len(keys) == 1:
        return _part(ctx, find_entry(keys[0], entries), wanted, room_chars, check)
    sections: list[str] = []
    for position, key in enumerate(keys):
        share_chars = room_chars // (len(keys) - position)
        section = f"<<ccr:{key}>>\n"
        try:
            room = share_chars - len(section) - _NOTE_CHARS
            section += _part(ctx, find_entry(key, entries), wanted, room, check)
        except ToolFailed as error:
            section += f"[{error}]"
        room_chars -= len(section) + 1
        sections.append(section)
    return "\n".join(sections)


def _part(ctx: ToolContext, entry: StoreEntry, wanted: Wanted, room_chars: int, check: Check) -> str:
    with ctx.store.open(entry.key) as file:
        if wanted.stat:
            return describe(entry, file)
        if wanted.json:
            return _by_json(entry, file, wanted, room_chars)
        if wanted.chars:
            return _by_chars(entry, file, wanted.chars, room_chars, check)
        if wanted.lines:
            return _by_lines(entry, file, wanted.lines, room_chars, check)
        if entry.size_chars <= room_chars:
            return file.read().decode("utf-8", "replace") or "[the result is empty]"
        return _by_lines(entry, file, Range(1, None), room_chars, check)


def _by_lines(entry: StoreEntry, file: BinaryIO, lines: Range, room_chars: int, check: Check) -> str:
    first = max(1, entry.lines - lines.tail + 1) if lines.tail else max(1, lines.first)
    if first > max(1, entry.lines):
        raise ToolFailed(f"there is no line {first}: the result has {entry.lines} lines")
    window = LineWindow(first, lines.last, room_chars)
    _feed(file, window, check)
    shown = window.shown()
    if shown.inside_line:
        end = shown.start_char + len(shown.text)
        where = f"the first {len(shown.text)} chars of line {first} of {entry.lines}"
        return _framed(where, shown.text, f"go on with chars={end}-")
    last = "" if lines.last is None else lines.last
    go_on = f"go on with lines={shown.last_line + 1}-{last}" if shown.more else ""
    return _framed(f"lines {first}-{shown.last_line} of {entry.lines}", shown.text, go_on)


def _by_chars(entry: StoreEntry, file: BinaryIO, chars: Range, room_chars: int, check: Check) -> str:
    start = max(0, entry.size_chars - chars.tail) if chars.tail else chars.first
    if start and start >= entry.size_chars:
        raise ToolFailed(f"there is no char {start}: the result has {entry.size_chars} chars")
    window = CharWindow(start, None if chars.last is None else chars.last - start, room_chars)
    _feed(file, window, check)
    shown = window.shown()
    end = start + len(shown.text)
    last = "" if chars.last is None else chars.last
    go_on = f"go on with chars={end}-{last}" if shown.more else ""
    return _framed(f"chars {start}-{end} of {entry.size_chars}", shown.text, go_on)


def _by_json(entry: StoreEntry, file: BinaryIO, wanted: Wanted, room_chars: int) -> str:
    steps = parse_path(wanted.json)
    if entry.size_bytes > MAX_JSON_BYTES:
        raise ToolFailed(f"{entry.size_bytes} bytes are too many to be parsed; use grep, lines or chars")
    document = find_document(file.read().decode("utf-8", "replace"))
    if document is None:
        raise ToolFailed(f"the result of {entry.tool} is not JSON; use grep, lines or chars")
    found = list(select(document, steps))
    if len(found) == 1:
        _path, start, end = found[0]
        if end - start <= room_chars:
            return document.text[start:end]
        cut = safe_cut(document.text, start + room_chars)
        return _framed("", document.text[start:cut], f"go on with chars={cut}-{end}")
    return _values(document, found, wanted.offset, room_chars)


def _values(document: Document, found: Sequence[Span], offset: int, room_chars: int) -> str:
    """One value a line, behind its path, from `offset` on as far as there is room."""
    parts: list[str] = []
    for path, start, end in found[offset:]:
        value = f"{path}: {document.text[start:end]}"
        room_chars -= len(value) + 1
        if room_chars < 0 and parts:
            break
        parts.append(
            value if room_chars >= 0 else f"{path}: {end - start} chars, ask for chars={start}-{end}"
        )
    until = offset + len(parts)
    go_on = f"; go on with offset={until}" if until < len(found) else ""
    return "\n".join([*parts, f"[{len(found)} values, shown {offset + 1}-{until}{go_on}]"])


def _grep(
    ctx: ToolContext, entries: Sequence[StoreEntry], wanted: Wanted, room_chars: int, check: Check
) -> str:
    pattern, remark = compile_grep(wanted.grep)
    results = _search(ctx, entries, wanted, pattern, room_chars, check)
    if not results.matches and not remark:
        as_text = _search(ctx, entries, wanted, compile_literal(wanted.grep), room_chars, check)
        if as_text.matches:
            results, remark = as_text, "as plain text: as a regular expression it matches nothing"
    results.remarks += [remark] if remark else []
    return results.text(f"no match for {wanted.grep!r}")


def _search(
    ctx: ToolContext,
    entries: Sequence[StoreEntry],
    wanted: Wanted,
    pattern: Any,
    room_chars: int,
    check: Check,
) -> SearchResults:
    results = SearchResults(
        "lines",
        context=wanted.context,
        offset=wanted.offset,
        max_results=None,
        room_chars=room_chars,
        places="results",
    )
    for entry in entries:
        first, last = 1, None
        if wanted.lines:
            first = entry.lines - wanted.lines.tail + 1 if wanted.lines.tail else wanted.lines.first
            last = wanted.lines.last
        results.begin_file(f"<<ccr:{entry.key}>> ({entry.tool})")
        with ctx.store.open(entry.key) as file:
            grep_file(file, pattern, results, first=first, last=last, check=check)
        results.end_file()
    return results


def _feed(file: BinaryIO, window: LineWindow | CharWindow, check: Check) -> None:
    decoder = TextDecoder(UTF_8)
    while not window.is_done and (data := file.read(_BLOCK_BYTES)):
        check()
        window.feed(decoder.decode(data))
    window.feed(decoder.decode(b"", final=True))


def _framed(where: str, text: str, go_on: str) -> str:
    """A part with its place above and, when it is not all that was asked for, what to ask for next."""
    above = f"[{where}]\n" if where else ""
    gap = "" if text.endswith("\n") or not go_on else "\n"
    return f"{above}{text}{gap}[{go_on}]" if go_on else f"{above}{text}"


def _range(name: str, given: str, base: int) -> Range | None:
    """`10-40`, `10-`, `-40` (the last 40), `10`: that line, or the first 10 chars."""
    if not given.strip():
        return None
    found = _RANGE.fullmatch(given)
    first, dash, last = found.groups() if found else ("", "", "")
    if not first and not last:
        raise InvalidArguments(f"recall: {name!r} must be a range such as 10-40, 10- or -40, not {given!r}")
    if not first:
        return Range(base, None, tail=int(last))
    end = last if dash else first
    if end and int(end) < max(base, int(first)):
        raise InvalidArguments(f"recall: {name!r} begins at {base} and goes forward, not {given!r}")
    if not dash:
        return Range(int(first), int(first)) if base else Range(0, int(first))
    return Range(int(first), int(last) if last else None)
