"""A long result in few characters: beginning, marker, end. One implementation for every form.

A preview is always made from the original, never from another preview. Its marker tells exactly how
many chars are missing and where they are; below it stand the lines of the missing part that look
like errors. All of that counts against the limit.
"""

from __future__ import annotations

from msgspec import Struct, structs

from chatcli.context.content_type import content_type, looks_like_json
from chatcli.context.cuts import head_end, tail_start
from chatcli.context.error_lines import find_error_lines
from chatcli.context.excerpt import Excerpt
from chatcli.context.reduction import reduce
from chatcli.context.tokens import estimate_tokens
from chatcli.messages import Archived, Presentation

_JSON_NOTE = "\n[cut inside JSON: what is shown is no longer valid JSON]"
_QUOTA_NOTE = "\n[{bytes} bytes in the middle of the output exceeded the session's storage and are lost]"
_ERRORS_NOTE = "\n[lines of the omitted part that look like errors:{lines}]"
_PATH_MAX_CHARS = 400
_SUMMARY_MAX_CHARS = 150


class Preview(Struct, frozen=True, kw_only=True):
    """A rendered result. `kept_chars + omitted_chars` is the length of the original."""

    text: str
    kept_chars: int
    omitted_chars: int


def render(text: str | Excerpt, presentation: Presentation, original: Archived, path: str | None) -> Preview:
    """`original` as `presentation` says. The marker names `path` unless it is None.

    `text` is all of the original, or an excerpt that reaches as far as the presentation. To be shown
    whole it must be all.
    """
    source = Excerpt.of(text, original) if isinstance(text, str) else text
    size_chars = source.size_chars
    if presentation.kind == "whole":
        return Preview(text=source.start, kept_chars=size_chars, omitted_chars=0)
    if presentation.kind == "summary":
        return Preview(text=_summary(source, original), kept_chars=0, omitted_chars=size_chars)
    if presentation.kind == "reduced":
        return _reduced(source.start, presentation, original, path)
    json = looks_like_json(source.start, source.last)
    head = source.start[: head_end(source.start, presentation.head_chars, records=json)]
    begin = tail_start(source.last, presentation.tail_chars, records=json)
    tail = source.last[begin:]
    omitted = size_chars - len(head) - len(tail)
    if omitted <= 0:
        return Preview(text=source.start, kept_chars=size_chars, omitted_chars=0)
    middle = source.middle(len(head), begin)
    errors = find_error_lines(middle, min(presentation.error_chars, omitted // 4))
    omitted -= sum(len(line) for _, line in errors)
    marker = _marker(presentation, size_chars - omitted, omitted, original, path)
    marker += _notes(presentation, original, json)
    if errors:
        marker += _ERRORS_NOTE.format(lines="".join(f"\n{number}: {line}" for number, line in errors))
    shown = f"{head}{_gap(head)}{marker}" + (f"\n\n{tail}" if tail else "")
    return Preview(text=shown, kept_chars=size_chars - omitted, omitted_chars=omitted)


def fit(
    text: str | Excerpt,
    wanted: Presentation,
    original: Archived,
    path: str | None,
    *,
    max_chars: int,
    max_tokens: int = 0,
) -> Presentation:
    """`wanted`, with its sizes reduced as far as the rendered text needs to be within the limits.

    The marker itself always stays: below about 500 chars, or 300 tokens, a limit is not met.
    """
    source = Excerpt.of(text, original) if isinstance(text, str) else text
    path = path if path is not None and len(path) <= _PATH_MAX_CHARS else None
    presentation = structs.replace(wanted, saved=path is not None)
    frame = _marker(presentation, source.size_chars, source.size_chars, original, path) + _ERRORS_NOTE
    frame += _notes(presentation, original, looks_like_json(source.start, source.last))
    presentation = _scaled(presentation, max_chars - len(frame) - len("\n\n") * 2)
    if not max_tokens:
        return presentation
    while _room(presentation) and (
        (tokens := estimate_tokens(render(source, presentation, original, path).text)) > max_tokens
    ):
        presentation = _scaled(presentation, _room(presentation) * max_tokens * 9 // (tokens * 10))
    return presentation


def longest_chars(presentation: Presentation, original: Archived) -> int:
    """What `render` makes of `original` at most, for a presentation whose marker names no file."""
    size_chars = original.size_chars
    if presentation.kind == "summary":
        return min(size_chars, _SUMMARY_MAX_CHARS)
    omitted = size_chars - presentation.head_chars - presentation.tail_chars
    if presentation.kind == "whole" or omitted <= 0:
        return size_chars
    frame = _marker(presentation, size_chars, size_chars, original, None)
    frame += _notes(presentation, original, json=True)
    errors = min(presentation.error_chars, omitted // 4)
    return size_chars - omitted + len(frame) + len(_ERRORS_NOTE) + len("\n\n") * 2 + errors


def _scaled(presentation: Presentation, room_chars: int) -> Presentation:
    """The same proportions within `room_chars`; error lines get at most a quarter of it."""
    if _room(presentation) <= room_chars:
        return presentation
    room_chars = max(0, room_chars)
    error = min(presentation.error_chars, room_chars // 4)
    both = max(1, presentation.head_chars + presentation.tail_chars)
    room_chars = min(room_chars - error, both)
    head = room_chars * presentation.head_chars // both
    tail = min(room_chars - head, presentation.tail_chars)
    return structs.replace(presentation, head_chars=head, tail_chars=tail, error_chars=error)


def _room(presentation: Presentation) -> int:
    return presentation.head_chars + presentation.tail_chars + presentation.error_chars


def _gap(head: str) -> str:
    if not head:
        return ""
    return "\n" if head.endswith("\n") else "\n\n"


def _marker(presentation: Presentation, kept: int, omitted: int, original: Archived, path: str | None) -> str:
    if presentation.kind == "truncated":
        return f"[... {omitted} chars omitted from old tool result, @recall <<ccr:{original.key}>> ...]"
    where = _where(presentation, original, path)
    if presentation.kind == "capped":
        return f"[TRUNCATED {omitted} chars omitted, {kept} kept — {where}]"
    return f"... [{omitted} chars omitted — {where}]"


def _where(presentation: Presentation, original: Archived, path: str | None) -> str:
    recall = f"@recall <<ccr:{original.key}>>"
    if not original.key:
        return "they could not be saved and are lost"
    if path is None or not presentation.saved:
        return f"full output could not be saved to a file, {recall}"
    return f"full output saved to {path}, {recall}"


def _reduced(text: str, presentation: Presentation, original: Archived, path: str | None) -> Preview:
    """The whole text where it is neither a log nor JSON, or would hardly become shorter."""
    reduced = reduce(text)
    if reduced is None:
        return Preview(text=text, kept_chars=len(text), omitted_chars=0)
    omitted = len(text) - reduced.kept_chars
    where = _where(presentation, original, path)
    marker = (
        f"[REDUCED: {reduced.what} left out, {omitted} chars omitted, {reduced.kept_chars} kept — {where}]"
    )
    marker += _notes(presentation, original, json=False)
    return Preview(
        text=f"{reduced.text}{_gap(reduced.text)}{marker}",
        kept_chars=reduced.kept_chars,
        omitted_chars=omitted,
    )


def _notes(presentation: Presentation, original: Archived, json: bool) -> str:
    notice = f"\n{presentation.notice}" if presentation.notice else ""
    quota = _QUOTA_NOTE.format(bytes=original.omitted_bytes) if original.omitted_bytes else ""
    return notice + quota + (_JSON_NOTE if json else "")


def _summary(source: Excerpt, original: Archived) -> str:
    return (
        f"[Old tool result cleared — {source.lines} lines, {source.size_chars // 1000}K chars, "
        f"{content_type(source.start)}] <<ccr:{original.key}>>"
    )
