"""webfetch on the zoo: what the model reads of each kind of answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatcli.errors import InvalidArguments, ToolFailed
from chatcli_plugins.web_text import decode
from chatcli_plugins.webfetch import webfetch
from tests.tools.fakes import FakeContext
from tests.tools.zoo import HTML, Zoo, zoo


@pytest.fixture(scope="module")
def web() -> Iterator[Zoo]:
    with zoo() as running:
        yield running


async def text(context: FakeContext, url: str, **arguments: object) -> str:
    return (await context.call(webfetch, url=url, **arguments)).text


async def test_a_page_is_markdown_with_title_and_links(context, web) -> None:
    output = await context.call(webfetch, url=web.url + "/page")
    assert output.text == f"Title: A page\n\n# Hello\n\nSee [the other]({web.url}/other)."
    assert output.preface == "[text/html]"
    assert output.origin == f"web page {web.url}/page"
    assert output.self_limited


async def test_raw_is_the_html_itself(context, web) -> None:
    assert (await text(context, web.url + "/page", raw=True)).startswith("<title>A page</title><h1>")


async def test_json_stays_as_it_is(context, web) -> None:
    assert await text(context, web.url + "/json") == '{"goals": [2, 1], "team": "Flamengo"}'


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/latin-1", "ação “já”"),
        ("/wrong-charset", "ação ✓"),
        ("/meta", "日本"),
        ("/utf-16", "ação"),
        ("/gzip", "packed"),
    ],
)
async def test_text_is_read_in_its_encoding(context, web, path, shown) -> None:
    assert await text(context, web.url + path) == shown


@pytest.mark.parametrize("charset", ["zip", "utf-7", "nonsense", "unicode_escape"])
def test_a_charset_that_is_none_is_not_believed(charset) -> None:
    assert decode("ação".encode(), f"text/plain; charset={charset}")[0] == "ação"


async def test_a_pdf_is_its_text(context, web) -> None:
    assert await text(context, web.url + "/pdf") == "[page 1 of 1]\nHello from a PDF\n"
    assert "its text cannot be read" in await text(context, web.url + "/broken-pdf")


async def test_what_is_no_text_is_named(context, web) -> None:
    assert (
        await text(context, web.url + "/image")
        == "[image/png, PNG image, 108 bytes: nothing to show as text]"
    )


async def test_an_error_of_the_server_is_an_error(context, web) -> None:
    output = await context.call(webfetch, url=web.url + "/none")
    assert output.is_error
    assert (output.preface, output.text) == ("[HTTP 404: no page]", "# There is no such page")


async def test_a_long_page_is_saved_and_previewed(context, web) -> None:
    output = await context.call(webfetch, url=web.url + "/big")
    first, saved, where, use = output.preface.split("\n")
    assert first == "[text/html]"
    assert saved.startswith("[auto-saved: response was 5")
    assert "read with start/end" in use
    assert "filter/from_line/to_line" in use
    path = Path(where.removeprefix("Full body is at ").removesuffix("."))
    whole = path.read_text(encoding="utf-8")
    assert path.name.startswith("webfetch_call_1_")
    assert len(whole) > 5_000_000
    shown = output.text.removeprefix("Title: Big\n\n").removesuffix("\n...(auto-truncated)")
    assert whole.startswith(shown)
    assert 4_000 < len(shown) <= 5_000


async def test_a_preview_is_no_longer_than_was_asked_for(context, web) -> None:
    output = await context.call(webfetch, url=web.url + "/big", max_length=50)
    shown = output.text.removeprefix("Title: Big\n\n").removesuffix("\n...(auto-truncated)")
    assert 0 < len(shown) <= 50


async def test_the_same_bytes_give_the_same_text(context, web, tmp_path) -> None:
    other = FakeContext(tmp_path)
    assert await context.call(webfetch, url=web.url + "/big") == await other.call(
        webfetch, url=web.url + "/big"
    )


async def test_parts_come_from_the_copy_that_was_fetched(context, web) -> None:
    url = web.url + "/big"
    await text(context, url)
    asked = len(context.network.asked)
    found = await text(context, url, filter="Paragraph 77:")
    assert found.startswith("Title: Big\n\n155: Paragraph 77: word")
    assert found.endswith("[1 of 20999 lines match]")
    third = await text(context, url, from_line=5, to_line=5)
    assert third.startswith("Title: Big\n\nParagraph 2: word")
    assert third.endswith("[lines 5-5 of 20999]")
    assert len(context.network.asked) == asked


async def test_what_has_no_room_says_how_to_go_on(context, web) -> None:
    shown = await text(context, web.url + "/big", from_line=1)
    assert "; go on with from_line=" in shown.rsplit("\n", 1)[1]
    assert len(shown) < 20_000
    assert len(await text(context, web.url + "/big", from_line=1, max_length=60_000)) > 55_000


async def test_save_keeps_a_short_text_too(context, web) -> None:
    output = await context.call(webfetch, url=web.url + "/json", save=True)
    path = output.preface.partition("the whole text is at ")[2].rstrip("]")
    assert Path(path).read_text(encoding="utf-8") == output.text


async def test_bad_arguments_are_said(context, web) -> None:
    for arguments in ({"filter": "("}, {"from_line": 99}, {"max_length": 0}):
        with pytest.raises(InvalidArguments):
            await text(context, web.url + "/page", **arguments)
    web.pages["/slow"] = ({"content-type": "text/plain"}, b"a" * 4_000 + b"!")
    with pytest.raises(ToolFailed, match="takes too long"):
        await text(context, web.url + "/slow", filter="(a|a)*$(?<=b)|(a+a+)+b")


async def test_a_page_that_builds_itself_says_so(context, web) -> None:
    web.pages["/app"] = (HTML, b"<div id=root></div><script>" + b"x" * 3_000 + b"</script>")
    assert "build itself by script" in (await context.call(webfetch, url=web.url + "/app")).preface


async def test_a_pattern_that_is_slow_on_every_line_is_stopped(context, web) -> None:
    web.pages["/slow"] = ({"content-type": "text/plain"}, b"\n".join([b"a" * 23 + b"b"] * 2_000))
    began = time.monotonic()
    with pytest.raises(ToolFailed, match="takes too long"):
        await context.call(webfetch, url=web.url + "/slow", filter="^(a|aa|a?a?)+$")
    assert time.monotonic() - began < 10
