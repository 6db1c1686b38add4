"""websearch: the first search service of a chain that answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from chatcli.tools import Denied, InvalidArguments, ToolContext, ToolFailed, ToolOutput, ngettext, tool

if TYPE_CHECKING:
    from chatcli_plugins.web_engines import Hit

_MAX_RESULTS = 20
_MAX_QUERY_CHARS = 150
"""Longer ones are no questions but texts, which search services do not answer."""
_MAX_TITLE_CHARS = 150
_MAX_SNIPPET_CHARS = 300


@tool("websearch", read_only=True, concurrent=True, narrower="max_results")
async def websearch(
    ctx: ToolContext, query: str, max_results: Annotated[int, "at most 20"] = 8
) -> ToolOutput:
    """Search the web. Returns numbered titles, addresses and snippets; open one with webfetch."""
    from chatcli_plugins.web_engines import ENGINES

    words = " ".join(query.split())
    if not 0 < len(words) <= _MAX_QUERY_CHARS:
        raise InvalidArguments(f"websearch: 'query' must have 1 to {_MAX_QUERY_CHARS} characters")
    count = min(max(max_results, 1), _MAX_RESULTS)
    failures: list[str] = []
    for engine in ENGINES:
        if missing := engine.missing(ctx):
            failures.append(f"{engine.name}: {missing}")
            continue
        try:
            hits = await engine.search(ctx, words, count)
        except (ToolFailed, Denied) as error:
            failures.append(f"{engine.name}: {error}")
            continue
        if hits:
            return _found(words, engine.name, hits[:count])
        failures.append(f"{engine.name}: no results")
    raise ToolFailed("no search service gave results. " + "; ".join(failures))


def _found(query: str, engine: str, hits: list[Hit]) -> ToolOutput:
    return ToolOutput(
        text="\n".join(_entry(number, hit) for number, hit in enumerate(hits, 1)),
        origin=f"web search by {engine}",
        preface=f"[results for {query!r}]",
        brief=ngettext("{n} result", "{n} results", len(hits)).format(n=len(hits)),
    )


def _entry(number: int, hit: Hit) -> str:
    snippet = f"\n   {_short(hit.snippet, _MAX_SNIPPET_CHARS)}" if hit.snippet else ""
    return f"{number}. {_short(hit.title, _MAX_TITLE_CHARS)}\n   {hit.url}{snippet}"


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
