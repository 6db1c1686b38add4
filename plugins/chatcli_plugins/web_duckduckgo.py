"""DuckDuckGo as the ddgs library knows it: where it is asked, and where its page has the results.

The library sends nothing here. Its own client would go around the gate; what it is kept for is its
knowledge of a page that changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

from ddgs.engines.duckduckgo import Duckduckgo
from lxml.etree import LxmlError

_EVERYWHERE = "wt-wt"


class _Engine(Duckduckgo):
    """Without the client that the library makes for itself."""

    def __init__(self) -> None:
        self.results = []


def address_of(query: str) -> str:
    fields = _Engine().build_payload(query, region=_EVERYWHERE, safesearch="moderate", timelimit=None)
    return f"{Duckduckgo.search_url}?{urlencode({name: value for name, value in fields.items() if value})}"


def read_results(page: str) -> list[tuple[str, str, str]]:
    """Title, address and snippet of each result, without advertisements; none in a page that is no HTML."""
    engine = _Engine()
    try:
        found = engine.post_extract_results(engine.extract_results(page))
    except (LxmlError, ValueError):
        return []
    return list(_usable((result.title, result.href, result.body) for result in found))


def _usable(found: Iterator[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """The links of the page go through the service itself: where they lead stands in their query."""
    for title, href, snippet in found:
        target = parse_qs(urlsplit(href).query).get("uddg", [href])[0]
        if target.startswith(("http://", "https://")):
            yield title, target, snippet
