"""HTML to markdown, with what pages get wrong."""

from __future__ import annotations

import pytest

from chatcli.errors import ToolFailed
from chatcli_plugins.web_html import read_page


def shown(html: str) -> str:
    return read_page(html, "https://example.com/dir/page", lambda: None).text


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Head <em>line</em></h2><p>One\n  two", "## Head line\n\nOne two"),
        ("<ul><li>one<li>two<ol><li>a<li>b</ol></ul>", "- one\n- two\n  1. a\n  2. b"),
        ("<pre>def f():\n    return 1</pre>", "```\ndef f():\n    return 1\n```"),
        ("a <code>x = 1</code> b", "a `x = 1` b"),
        ("<a href='../x y?a=1#z'>to  x </a>.", "[to x](https://example.com/x%20y?a=1#z)."),
        ("<a href='#top'>up</a> <a href='javascript:x()'>run</a> <a href=/img><img></a>", "up run"),
        ("<a href=/card><h3>Card</h3><p>text</p></a>", "### Card\n\ntext\n\n (https://example.com/card)"),
        ("<a href=/1>one<a href=/2>two</a>", "[one](https://example.com/1)[two](https://example.com/2)"),
        (
            "<table><tr><td>a|b<td><a href='/x|y'>c</a> <img alt='d|e'></table><p>f|g",
            "| a\\|b | [c](https://example.com/x%7Cy) (image: d\\|e) |\n\nf|g",
        ),
        (
            "<table><tr><th>A<th>B<tr><td>1<td><p>2<br>3</table>",
            "| A | B |\n| --- | --- |\n| 1 | 2 3 |",
        ),
        ("in<b>ter</b>nal soft&shy;hyphen &lt;b&gt;", "internal softhyphen <b>"),
        ("<script>1<2</script><style>a{}</style><p>x", "x"),
        ("<img src=x alt='a  cat'>", "(image: a cat)"),
        ("just text", "just text"),
        ("", ""),
    ],
)
def test_it_is_readable(html: str, markdown: str) -> None:
    assert shown(html) == markdown


CONTENT = "<p>" + "The content of the page. " * 20 + "</p>"


def test_what_stands_around_the_content_is_left_out() -> None:
    page = read_page(
        f"<title>T</title><nav>menu</nav><div class='cookie-bar'>we <div>use</div></div><div hidden>h</div>"
        f"<article>{CONTENT}</article><div>ads</div><footer>end</footer>",
        "https://example.com",
        lambda: None,
    )
    assert (page.title, page.left_out) == ("T", True)
    assert page.text.startswith("The content")
    assert page.text.endswith("page.")


def test_a_small_main_does_not_hide_the_rest() -> None:
    assert shown("<main>Hi</main><div>" + "What counts is here. " * 30 + "</div>").endswith("here.")


@pytest.mark.parametrize("html", [f"<nav>menu {CONTENT}", f"<nav>only {CONTENT}</nav>"])
def test_a_page_that_would_be_empty_is_shown_whole(html: str) -> None:
    assert "The content" in shown(html)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 50_000,
        "<a href=x>" * 20_000 + "</a>" * 20_000,
        "<!--" + "x" * 500_000,
        "<table><tr><td>" * 20_000,
    ],
    ids=["nested", "links", "comment", "tables"],
)
def test_odd_pages_end(html: str) -> None:
    shown(html)


def test_a_page_made_to_be_slow_is_stopped() -> None:
    left = 3

    def check() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise ToolFailed("time")

    with pytest.raises(ToolFailed):
        read_page("<p>x" * 100_000, "https://example.com", check)


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>evil</div>", "<p hidden>evil<p>", "<p style='display: none'>evil<div></div>",
        "<span style='VISIBILITY:hidden'>evil</span>", "<li style='font-size:0px'>evil</li>",
        "<p style='opacity:0.0'>evil</p>", "<!-- evil -->", "<template>evil</template>",
        "<td hidden>evil</tr></table>", "<section style='display:none'><p>evil<p>evil</section>",
    ],
)  # fmt: skip
def test_what_no_reader_sees_is_left_out(hidden: str) -> None:
    assert shown(f"<p>before</p>{hidden}<p>after</p>") == "before\n\nafter"


@pytest.mark.parametrize("style", ["opacity:0.5", "font-size:0.8em", "display:block", "font-size: 10px"])
def test_what_is_small_or_pale_stays(style: str) -> None:
    assert shown(f"<p style='{style}'>text</p>") == "text"
