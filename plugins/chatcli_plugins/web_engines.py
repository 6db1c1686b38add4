"""Search services: what each needs, how it is asked, how its answer is read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote_plus

from msgspec import Struct

from chatcli.tools import Fetched, ToolContext, ToolFailed, in_thread

_SECONDS = 15.0
_MAX_BYTES = 4 << 20
_BRAVE = "https://api.search.brave.com/res/v1/web/search"
_BRAVE_KEY = "BRAVE_API_KEY"


class Hit(Struct, frozen=True):
    title: str
    url: str
    snippet: str


class Engine(Struct, frozen=True):
    """`missing` tells what the user would have to set; empty when nothing is missing."""

    name: str
    missing: Callable[[ToolContext], str]
    search: Callable[[ToolContext, str, int], Awaitable[list[Hit]]]


async def _searxng(ctx: ToolContext, query: str, count: int) -> list[Hit]:
    base = ctx.setting("SEARXNG_URL").rstrip("/")
    found = await _json(ctx, f"{base}/search?q={quote_plus(query)}&format=json")
    return list(_hits(found.get("results"), "title", "url", "content"))


async def _brave(ctx: ToolContext, query: str, count: int) -> list[Hit]:
    headers = {"X-Subscription-Token": ctx.secret(_BRAVE_KEY), "Accept": "application/json"}
    found = await _json(ctx, f"{_BRAVE}?q={quote_plus(query)}&count={count}", headers)
    web = found.get("web")
    return list(_hits(web.get("results") if isinstance(web, dict) else None, "title", "url", "description"))


async def _duckduckgo(ctx: ToolContext, query: str, count: int) -> list[Hit]:
    from chatcli_plugins.web_duckduckgo import address_of, read_results

    answer = await _answer(ctx, address_of(query))
    page = answer.body.decode("utf-8", "replace")
    hits = [Hit(*found) for found in await in_thread(lambda _check: read_results(page))]
    if not hits and "anomaly" in page:
        raise ToolFailed("it asks for a proof of being human")
    return hits


ENGINES = (
    Engine("SearxNG", lambda ctx: "" if ctx.setting("SEARXNG_URL") else "SEARXNG_URL is not set", _searxng),
    Engine("Brave", lambda ctx: "" if ctx.secret(_BRAVE_KEY) else f"{_BRAVE_KEY} is not set", _brave),
    Engine("DuckDuckGo", lambda ctx: "", _duckduckgo),
)


async def _answer(ctx: ToolContext, url: str, headers: Mapping[str, str] | None = None) -> Fetched:
    answer = await ctx.network.fetch(url, headers=headers, max_bytes=_MAX_BYTES, timeout_seconds=_SECONDS)
    if answer.status != 200:
        raise ToolFailed(f"HTTP {answer.status}")
    return answer


async def _json(ctx: ToolContext, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    answer = await _answer(ctx, url, headers)
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        raise ToolFailed("its answer is not JSON") from None
    return found if isinstance(found, dict) else {}


def _hits(found: object, title: str, url: str, snippet: str) -> Iterator[Hit]:
    for entry in found if isinstance(found, list) else ():
        if isinstance(entry, dict) and str(entry.get(url, "")).startswith(("http://", "https://")):
            yield Hit(str(entry.get(title) or ""), str(entry[url]), str(entry.get(snippet) or ""))
