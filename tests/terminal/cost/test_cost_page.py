"""The page of /cost --html: whole, self-contained, and safe with whatever names it holds."""

from __future__ import annotations

from html.parser import HTMLParser

from chatcli.terminal.cost.page import cost_page
from tests.terminal.cost.costs import report

_VOID = frozenset({"meta", "br", "rect", "line", "circle"})


class Checked(HTMLParser):
    """Holds every end tag against its start, and collects what could load something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.references: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in _VOID:
            self.open.append(tag)
        self.references += [value for name, value in attrs if name in ("src", "href", "xlink:href", "onload")]

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_whole_and_loads_nothing() -> None:
    page = cost_page(report(30))
    checked = Checked(page)
    assert checked.open == []
    assert checked.references == []
    assert "script" not in checked.tags
    assert "@import" not in page
    assert "url(" not in page
    assert page.count("<svg") == 2
    assert "prefers-color-scheme: dark" in page


def test_foreign_names_are_text() -> None:
    page = cost_page(report(30, evil=True))
    checked = Checked(page)
    assert "script" not in checked.tags
    assert "\x1b" not in page
    assert any('<script>alert("x")</script>' in text for text in checked.text)


def test_the_figures_stand_in_it() -> None:
    text = " ".join(Checked(cost_page(report(12, unknown=True))).text)
    assert "CLAUDEAI/claude-sonnet-5-5" in text
    assert "unknown" in text
    assert "≥$" in text
    assert "≥ at least: of some requests the price is unknown." in text
    assert "the cache expired: idle for 20 min" in text


def test_a_mark_that_stands_nowhere_is_not_explained() -> None:
    text = " ".join(Checked(cost_page(report(4))).text)
    assert "≥" not in text
    assert "~ estimated from price lists. Without a mark: as the service reported it." in text


def test_what_costs_nothing_has_no_chart_of_money() -> None:
    page = cost_page(report(4, evil=True))
    assert page.count("<svg") == 1
