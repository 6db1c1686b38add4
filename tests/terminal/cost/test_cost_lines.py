"""/cost on screens of all widths, with and without colours."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chatcli.agent.cost.money import Money
from chatcli.terminal.cells import width_cells
from chatcli.terminal.cost.lines import cost_lines, turn_lines
from chatcli.terminal.cost.turnchart import Bar, turn_chart
from chatcli.terminal.cost.whylines import why_lines
from chatcli.terminal.look import Look
from tests.terminal.cost.costs import report

PLAIN, COLOURED = Look(color=False, live=True), Look(color=True, live=True)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
@pytest.mark.parametrize("turns", [1, 5, 37, 400])
def test_everything_fits(turns: int, columns: int) -> None:
    found = report(turns, evil=True, unknown=True)
    for lines in (cost_lines, turn_lines, why_lines):
        shown = lines(found, columns, COLOURED)
        plain = [COLOUR.sub("", line) for line in shown]
        assert max(map(width_cells, plain)) <= columns
        assert plain == lines(found, columns, PLAIN)
        assert not any("\x1b" in line or "\n" in line for line in plain)


def test_a_model_is_told_class_by_class() -> None:
    lines = cost_lines(report(2, misses=False), 60, PLAIN)
    start = lines.index("CLAUDEAI/claude-sonnet-5-5")
    assert [line.split() for line in lines[start + 1 : start + 7]] == [
        ["input", "6", "<$0.0001"],
        ["cache", "read", "2,700", "~$0.0003"],
        ["cache", "write", "1,800", "~$0.0045"],
        ["output", "311", "~$0.0031"],
        ["of", "it", "reasoning", "22"],
        ["total", "4,817", "~$0.0079"],
    ]
    assert lines[start + 7] == "  2 requests · 3.0 s · estimated from the price list"


def test_an_unknown_price_is_never_nothing() -> None:
    text = "\n".join(cost_lines(report(5, unknown=True, misses=False), 80, PLAIN))
    assert re.search(r"no-price\n(?: .*\n)*  total +\S+ +unknown\n", text)
    assert re.search(r"^Total\n(?: .*\n)*  total +\S+ +≥\$", text, re.M)
    assert "$0.00 " not in text


def test_what_was_lost_is_summed_up_and_told_one_by_one() -> None:
    lines = why_lines(report(12), 40, PLAIN)
    assert " ".join(lines[1:7]).startswith(
        "4 requests lost what was cached: 1 rewrite on purpose (7.3K tokens, ~$0.0175), "
        "which has saved $0.00 since, 1 that was to be expected (9.7K tokens, ~$0.0234), "
        "2 unexpected (1.2M tokens, ≥$2.50)."
    )
    text = "\n".join(lines)
    assert (
        "r turn 2 · decided: it pays for itself\n  rewritten on purpose: message 3\n  (result of @read)"
        in text
    )
    assert "x turn 5 · expected\n  the cache expired: idle for 20 min\n  9,738 tokens sent again" in text
    assert "x turn 8 · not expected\n  the tools changed: +hum" in text
    assert "what that cost is unknown" in " ".join(text.split())


def test_what_a_rewrite_saved_is_left_out_where_nobody_knows_it() -> None:
    found = report(12)
    for known_usd, told in ((0.0, "~$0.0175), 1 that"), (0.5, "which has saved ≥$0.50 since")):
        saved = Money(known_usd=known_usd, sources=("unknown",))
        shortening = structs.replace(found.shortening, saved=saved)
        lines = why_lines(structs.replace(found, shortening=shortening), 200, PLAIN)
        assert told in lines[1]


def test_a_mark_is_explained_where_it_stands() -> None:
    some, only = report(5, unknown=True, misses=False), report(5, misses=False)
    assert "≥ at least" in " ".join(cost_lines(some, 80, PLAIN))
    unknown = structs.replace(only.total, money=Money(sources=("unknown",)))
    nobody_knows = structs.replace(only, total=unknown, by_content=())
    assert "≥" not in " ".join(cost_lines(nobody_knows, 80, PLAIN))


def test_nothing_lost_is_said() -> None:
    assert why_lines(report(3, misses=False), 80, PLAIN)[1] == "No request lost anything that the cache had."


def test_the_chart_shows_each_class_in_its_own_texture() -> None:
    bars = [
        Bar(read=0, written=4_000, plain=0, output=10, usd=0.01),
        Bar(read=4_000, written=0, plain=4_000, output=20, usd=0.02, mark="x"),
        Bar(read=6_900, written=1_000, plain=100, output=5, usd=0.005, mark="r"),
    ]
    assert turn_chart(bars, 40, PLAIN) == [
        "  8.0K ┤    ▒▒▒ ▒▒▒",
        "       │    ▒▒▒ ███",
        "       │    ▒▒▒ ░░░",
        "       │    ▒▒▒ ░░░",
        "  4.0K ┤███ ░░░ ░░░",
        "       │███ ░░░ ░░░",
        "       │███ ░░░ ░░░",
        "       │███ ░░░ ░░░",
        "     0 └───────────",
        "  turn  1         3",
        "output  ▄▄▄ ███ ▂▂▂",
        "  cost  ▄▄▄ ███ ▂▂▂",
        "  lost       x   r",
    ]


SIZES = st.integers(0, 100_000)
BARS = st.builds(
    Bar,
    read=SIZES,
    written=SIZES,
    plain=SIZES,
    output=SIZES,
    usd=st.none() | st.floats(0, 1),
    mark=st.sampled_from(["", "r", "x"]),
)


@given(st.lists(BARS, max_size=300), st.integers(30, 200))
def test_any_chart_has_its_height_and_width(bars: list[Bar], columns: int) -> None:
    lines = turn_chart(bars, columns, PLAIN)
    assert all(width_cells(line) <= columns for line in lines)
    drawn = [line for line in lines if "┤" in line or "│" in line]
    assert len(drawn) == (8 if any(bar.prompt for bar in bars) else 0)
    if drawn:
        assert drawn[0].rstrip("░█▒ ") != drawn[0].rstrip(), "the largest bar reaches the top"
