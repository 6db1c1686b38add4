"""webfetch: one page of the web, as text. What is long is saved to a file and shown by its beginning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from chatcli.tools import Fetched, InvalidArguments, ToolContext, ToolOutput, in_thread, tool
from chatcli_plugins.web_lines import Selection, Shown, select
from chatcli_plugins.web_text import Document, read_document

_OK = 200
_FIRST_ERROR = 400
_MAX_CHARS = 20_000
_PREVIEW_CHARS = 2_000
_ERROR_CHARS = 1_000
_NOTE_CHARS = 800
"""Kept free for the notice and the fence."""
_STOPPED = {
    "size": "only the first 10 MiB were taken",
    "ratio": "cut: it decompresses to far more than it should",
    "time": "cut: it did not end in time",
    "connection": "cut: the connection broke",
}


def _summary(arguments: Mapping[str, Any]) -> str:
    defaults = {"url": arguments["url"], "max_length": _MAX_CHARS}
    given = [f"{key}={value}" for key, value in arguments.items() if value and value != defaults.get(key)]
    return " ".join([arguments["url"], *given])


@tool(
    "webfetch",
    max_result_chars=80_000,
    read_only=True,
    concurrent=True,
    summary=_summary,
    narrower="filter, exclude, from_line, to_line",
)
async def webfetch(
    ctx: ToolContext,
    url: str,
    filter: Annotated[str | None, "regex: only lines that match"] = None,
    exclude: Annotated[str | None, "regex"] = None,
    from_line: int | None = None,
    to_line: int | None = None,
    raw: Annotated[bool, "no markdown"] = False,
    max_length: int = _MAX_CHARS,
    save: Annotated[bool, "to a file"] = False,
) -> ToolOutput:
    """Open a web page as markdown; PDF, JSON and text too. Long ones are saved to a file and previewed."""
    selection = Selection(filter=filter, exclude=exclude, first=from_line, last=to_line)
    if max_length < 1:
        raise InvalidArguments("webfetch: 'max_length' must be 1 or more")
    address = url.strip() if "://" in url else f"https://{url.strip()}"
    answer = await ctx.network.fetch(address, reuse=selection.is_narrow)
    document = await read_document(ctx, answer, raw=raw)
    if answer.status >= _FIRST_ERROR:
        return _failed(answer, document)
    size_bytes = len(document.text.encode("utf-8", "replace"))
    room_chars = min(max_length, ctx.cap_chars - _NOTE_CHARS)
    if max_length == _MAX_CHARS:
        room_chars = min(room_chars, ctx.max_chars - _NOTE_CHARS)
    autosave_bytes = int(ctx.setting("CHATCLI_WEBFETCH_AUTOSAVE_BYTES"))
    if size_bytes > autosave_bytes and not selection.is_narrow and not save:
        shown = select(document.text, selection, min(room_chars, max(_PREVIEW_CHARS, room_chars // 4)))
        notice = _saved_notice(ctx, document, _origin(answer), size_bytes)
        tail = "\n...(auto-truncated)"
    else:
        shown = await _selected(document, selection, room_chars)
        notice = _file_note(ctx, document, _origin(answer)) if save else ""
        tail = f"\n[{shown.where}]" if shown.where else ""
    return ToolOutput(
        text=_titled(document) + shown.text + tail,
        origin=_origin(answer),
        preface=_facts(answer, document) + notice,
        brief=f"{answer.status} · {size_bytes:,} B",
        self_limited=True,
    )


async def _selected(document: Document, selection: Selection, room_chars: int) -> Shown:
    def work(check: Callable[[], None]) -> Shown:
        check()
        return select(document.text, selection, room_chars)

    return await in_thread(work)


def _failed(answer: Fetched, document: Document) -> ToolOutput:
    return ToolOutput(
        text=_titled(document) + document.text[:_ERROR_CHARS],
        origin=_origin(answer),
        preface=f"[HTTP {answer.status}: no page]",
        is_error=True,
        brief=f"HTTP {answer.status}",
        self_limited=True,
    )


def _facts(answer: Fetched, document: Document) -> str:
    status = "" if answer.status == _OK else f"HTTP {answer.status}"
    hops = f"redirected {len(answer.hops)} times" if answer.hops else ""
    facts = filter(None, (status, document.kind, hops, _STOPPED.get(answer.stopped, ""), *document.remarks))
    return f"[{'; '.join(facts)}]"


def _saved_notice(ctx: ToolContext, document: Document, origin: str, size_bytes: int) -> str:
    """The notice of a page that is too long, naming the tools that look into it."""
    path = ctx.store.keep_file("webfetch", document.text, origin)
    where = f"Full body is at {path}." if path else "It could not be saved to a file."
    look = "read with start/end, search, or webfetch" if path else "webfetch"
    return (
        f"\n[auto-saved: response was {size_bytes} bytes — too large to inline.\n{where}\n"
        f"Preview below; use {look} again with filter/from_line/to_line for specific ranges.]"
    )


def _file_note(ctx: ToolContext, document: Document, origin: str) -> str:
    path = ctx.store.keep_file("webfetch", document.text, origin)
    return f"\n[saved: the whole text is at {path}]" if path else "\n[it could not be saved to a file]"


def _titled(document: Document) -> str:
    return f"Title: {document.title}\n\n" if document.title else ""


def _origin(answer: Fetched) -> str:
    return f"web page {answer.url}"
