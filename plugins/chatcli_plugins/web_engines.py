"""Search services: what each needs, how it is asked, how its answer is read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

from msgspec import Struct

from chatcli.tools import Fetched, ToolContext, ToolFailed

_SECONDS = 15.0
_MAX_BYTES = 4 << 20
_BRAVE = "https://api.search.brave.com/res/v1/web/search"
_DUCKDUCKGO = "https://html.duckduckgo.com/html/"
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
    answer = await _answer(ctx, f"{_DUCKDUCKGO}?q={quote_plus(query)}")
    parser = _ResultPage()
    parser.feed(answer.body.decode("utf-8", "replace"))
    parser.close()
    if not parser.hits and b"anomaly" in answer.body:
        raise ToolFailed("it asks for a proof of being human")
    return parser.hits


ENGINES = (
    Engine("SearxNG", lambda ctx: "" if ctx.setting("SEARXNG_URL") else "SEARXNG_URL is not set", _searxng),
    Engine("Brave", lambda ctx: "" if ctx.secret(_BRAVE_KEY) else f"{_BRAVE_KEY} is not set", _brave),
    Engine("DuckDuckGo", lambda ctx: "", _duckduckgo),
)


class _ResultPage(HTMLParser):
    """The page of results that needs no script: a link of class `result__a`, then `result__snippet`."""

    def __init__(self) -> None:
        super().__init__()
        self.hits: list[Hit] = []
        self._reading = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        classes = attributes.get("class", "").split()
        if "result__a" in classes and (url := _target(attributes.get("href", ""))):
            self.hits.append(Hit("", url, ""))
            self._reading = "title"
        elif "result__snippet" in classes:
            self._reading = "snippet"

    def handle_endtag(self, tag: str) -> None:
        if tag in {"a", "div", "td"}:
            self._reading = ""

    def handle_data(self, data: str) -> None:
        if not self._reading or not self.hits:
            return
        hit = self.hits[-1]
        title = hit.title + data * (self._reading == "title")
        self.hits[-1] = Hit(title, hit.url, hit.snippet + data * (self._reading == "snippet"))


def _target(href: str) -> str:
    """Where a result leads: its links go through a page of the service. Advertisements are left out."""
    parts = urlsplit(href)
    target = parse_qs(parts.query).get("uddg", [href])[0]
    return (
        target if target.startswith(("http://", "https://")) and "duckduckgo.com/y.js" not in target else ""
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
