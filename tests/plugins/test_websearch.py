"""The chain of search services, with stand-ins for their answers."""

from __future__ import annotations

import json

import pytest

from chatcli.errors import InvalidArguments, ToolFailed
from chatcli.tools import Fetched
from chatcli_plugins.websearch import websearch
from tests.tools.fakes import FakeContext
from tests.tools.zoo import zoo

BRAVE = "https://api.search.brave.com/res/v1/web/search"
DUCKDUCKGO = "https://html.duckduckgo.com/html/"
RESULTS = """<html><body>
<div class="result result--ad"><div class="links_main links_deep result__body">
 <h2 class="result__title"><a class="result__a" href="https://duckduckgo.com/y.js?ad=1">Buy</a></h2>
 <a class="result__snippet" href="https://duckduckgo.com/y.js?ad=1">now</a></div></div>
<div class="result"><div class="links_main links_deep result__body">
 <h2 class="result__title"><a class="result__a"
  href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fa%3Fb%3D1&amp;rut=x">Flamengo
  <b>2</b> x 1</a></h2>
 <a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fa%3Fb%3D1&amp;rut=x">
  The   <b>game</b> ended.</a></div></div>
<div class="result"><div class="links_main links_deep result__body">
 <h2 class="result__title"><a class="result__a" href="https://example.org/">Other</a></h2>
 <a class="result__snippet" href="https://example.org/">One</a></div></div>
</body></html>"""


def answer(body: str, status: int = 200) -> Fetched:
    return Fetched(url="x", status=status, headers={}, body=body.encode())


async def test_duckduckgo_needs_nothing(context: FakeContext) -> None:
    context.network.canned[DUCKDUCKGO] = answer(RESULTS)
    output = await context.call(websearch, query="resultado do jogo")
    assert output.text == (
        "1. Flamengo 2 x 1\n   https://example.com/a?b=1\n   The game ended."
        "\n2. Other\n   https://example.org/\n   One"
    )
    assert output.origin == "web search by DuckDuckGo"
    assert context.network.asked[-1][0] == f"{DUCKDUCKGO}?q=resultado+do+jogo&l=wt-wt"


async def test_a_key_brings_brave_first(context: FakeContext) -> None:
    context.secrets["BRAVE_API_KEY"] = "k"
    found = {
        "web": {"results": [{"title": "T", "url": "https://t.example", "description": "d"}, {"url": "x"}]}
    }
    context.network.canned[BRAVE] = answer(json.dumps(found))
    assert (
        await context.call(websearch, query="a", max_results=3)
    ).text == "1. T\n   https://t.example\n   d"
    url, headers = context.network.asked[-1]
    assert url.endswith("?q=a&count=3")
    assert headers["X-Subscription-Token"] == "k"


async def test_an_own_server_is_asked_first_and_the_next_when_it_fails(context: FakeContext) -> None:
    with zoo() as web:
        context.settings["SEARXNG_URL"] = web.url + "/"
        found = {"results": [{"title": "T", "url": "https://t.example", "content": "c"}] * 9}
        web.pages["/search"] = ({"content-type": "application/json"}, json.dumps(found).encode())
        output = await context.call(websearch, query="ação", max_results=2)
        assert output.text.count("https://t.example") == 2
        assert output.origin == "web search by SearxNG"
        web.pages["/search"] = ({}, b"no JSON")
        context.network.canned[DUCKDUCKGO] = answer(RESULTS)
        assert (await context.call(websearch, query="a")).origin == "web search by DuckDuckGo"


async def test_when_all_fail_one_error_names_each(context: FakeContext) -> None:
    context.settings["SEARXNG_URL"] = "http://localhost:1"
    context.network.canned["http://localhost:1/search"] = ToolFailed("cannot be reached")
    context.network.canned[DUCKDUCKGO] = answer("<form id='anomaly-form'>", 202)
    with pytest.raises(ToolFailed) as failed:
        await context.call(websearch, query="a")
    assert str(failed.value) == (
        "no search service gave results. SearxNG: cannot be reached; Brave: BRAVE_API_KEY is not set; "
        "DuckDuckGo: HTTP 202"
    )


@pytest.mark.parametrize(
    "page",
    ["", " ", "\0", "<!-- -->", '<?xml version="1.0" encoding="utf-8"?><p>x</p>', "<p>no results</p>", "{}"],
)
async def test_a_page_without_results_is_no_result(context: FakeContext, page: str) -> None:
    context.network.canned[DUCKDUCKGO] = answer(page)
    with pytest.raises(ToolFailed, match="DuckDuckGo: no results"):
        await context.call(websearch, query="a")


async def test_the_library_is_not_let_near_the_network(context: FakeContext, monkeypatch) -> None:
    from ddgs.http_client import HttpClient

    def refuse(*_args: object, **_options: object) -> None:
        raise AssertionError

    monkeypatch.setattr(HttpClient, "__init__", refuse)
    context.network.canned[DUCKDUCKGO] = answer(RESULTS)
    assert "Flamengo" in (await context.call(websearch, query="a")).text


@pytest.mark.parametrize("query", ["", "  ", "x" * 151])
async def test_a_query_is_a_question(context: FakeContext, query: str) -> None:
    with pytest.raises(InvalidArguments):
        await context.call(websearch, query=query)
