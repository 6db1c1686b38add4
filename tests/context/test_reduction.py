"""Reduction leaves out what it understands, names each place, and counts exactly."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.limits import Limits
from chatcli.context.reduction import reduce
from tests.context.builders import Originals, Story, lines_of, shown_texts

GAP = re.compile(r"\[\.\.\. (\d+) lines(?: like [\d, .]+)? omitted: (\d+)-(\d+)\]")
CARGO = "".join(f"   Compiling crate-{n} v1.{n}.0\n" for n in range(200))
CARGO += "warning: unused variable: `x`\n --> src/main.rs:1:9\n" + CARGO.replace("crate", "other")
PYTEST = "".join(f"tests/test_a.py::test_{n} PASSED [{n // 3:3}%]\n" for n in range(300))
NPM = "".join(f"npm http fetch GET 200 https://example.org/p{n} {n}ms (cache miss)\n" for n in range(150))
RECORDS = "".join(
    f"2026-11-30T10:{n // 60:02}:{n % 60:02}Z INFO worker {n} took job '{n}'\n" for n in range(300)
)


@pytest.mark.parametrize("log", [CARGO, PYTEST, NPM, RECORDS])
def test_lines_that_are_alike_are_left_out_and_counted(log: str) -> None:
    reduced = reduce(log)
    assert reduced
    assert len(reduced.text) < len(log) / 4
    assert_lines_add_up(log, reduced.text, reduced.kept_chars)


@pytest.mark.parametrize(
    "needle",
    [
        "error[E0308]: mismatched types",
        "tests/test_a.py::test_x FAILED [ 50%]",
        "npm http fetch GET 404 https://example.org/gone 12ms",
        "2026-11-30T10:00:00Z WARN disk is nearly full",
        "a line of no known kind",
        "   at Object.<anonymous> (/app/index.js:1:1)",
        "",
    ],
)
@pytest.mark.parametrize("log", [CARGO, PYTEST, NPM, RECORDS])
def test_what_is_of_another_kind_or_says_something_stays(log: str, needle: str) -> None:
    lines = log.split("\n")
    lines[77:77] = [needle]
    reduced = reduce("\n".join(lines))
    assert reduced
    assert needle in reduced.text.split("\n")


@pytest.mark.parametrize(
    "text",
    [
        "x = 0x00\n" * 2_000,
        "def f():\n    return 1\n" + "# INFO nothing\n" * 2_000,
        "commit 1234\nAuthor: A\n\n    Compiling things\n" * 300,
        "diff --git a/x b/x\n" + "+INFO nothing\n" * 2_000,
        lines_of(20_000),
        CARGO[:3_999],
        "{" + "broken" * 2_000,
        "word " * 5_000,
    ],
)
def test_source_diffs_prose_and_short_texts_are_left_alone(text: str) -> None:
    assert reduce(text) is None


known = st.sampled_from(["   Compiling a v1", "x PASSED", "npm http fetch GET 200 u", "10:00:00 INFO n 1"])
unknown = st.sampled_from(["error: no", "plain", "  --> a:1", "", "10:00:00 ERROR n", "GET 500", "é\x1b[0m"])


@given(
    st.lists(st.tuples(st.one_of(known, known, known, unknown), st.integers(1, 60)), min_size=1, max_size=40)
)
def test_every_line_is_kept_in_order_or_counted_in_its_place(runs: list[tuple[str, int]]) -> None:
    text = "\n".join(line for line, times in runs for _ in range(times)) + "\n"
    if reduced := reduce(text):
        assert_lines_add_up(text, reduced.text, reduced.kept_chars)
        for line in ("error: no", "plain", "10:00:00 ERROR n", "GET 500"):
            assert reduced.text.split("\n").count(line) == text.split("\n").count(line)


def assert_lines_add_up(original: str, reduced: str, kept_chars: int) -> None:
    lines, at, kept = original.split("\n"), 0, 0
    shown = reduced.split("\n")
    for line in shown:
        if gap := GAP.fullmatch(line):
            count, first, last = map(int, gap.groups())
            assert (first, count) == (at + 1, last - first + 1)
            at = last
        else:
            assert line == lines[at]
            kept += len(line) + 1
            at += 1
    assert at == len(lines)
    assert kept - 1 == kept_chars


ROWS = [{"id": n, "state": "ok", "price": 1.10} for n in range(500)]


def test_long_arrays_keep_their_ends_and_what_is_unlike_the_rest() -> None:
    rows = [dict(row) for row in ROWS]
    rows[250]["state"] = "failed"
    rows[300] = {"id": 300, "error": "no such thing"}
    reduced = reduce(json.dumps(rows, indent=2))
    assert reduced
    shown = json.loads(reduced.text)
    assert shown[0] == ROWS[0]
    assert shown[-1] == ROWS[-1]
    assert rows[250] in shown
    assert rows[300] in shown
    gaps = [
        re.fullmatch(r"\.\.\. (\d+) items omitted: \[(\d+)\] to \[(\d+)\]", x) for x in shown if x == str(x)
    ]
    assert sum(int(gap[1]) for gap in gaps if gap) == 500 - (len(shown) - len(gaps))
    assert reduced.what == f"{500 - (len(shown) - len(gaps))} items of arrays"


def test_values_are_written_as_they_were() -> None:
    rows = ",\n ".join(
        f'{{"n": 1.{n}0e1, "s": "\\u00e9\\n{n}", "big": 12345678901234567890123}}' for n in range(90)
    )
    reduced = reduce(f"[{rows}]\n[exit 0 in 0.1 s]")
    assert reduced
    assert reduced.text.startswith(
        '[{"n":1.00e1,"s":"\\u00e9\\n0","big":12345678901234567890123},{"n":1.10e1,'
    )
    assert reduced.text.endswith("]\n[exit 0 in 0.1 s]")


def test_long_strings_lose_their_middle_and_no_escape_is_split() -> None:
    written = json.dumps("é\n\U0001f600\\" * 2_000)
    reduced = reduce(f'{{"blob": {written}}}')
    assert reduced
    shown = json.loads(reduced.text)["blob"]
    assert re.search(r"\.\.\. \d+ chars omitted \.\.\.", shown)
    assert "\ud83d" not in shown.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert reduced.what == "the middle of 1 long strings"


def test_json_lines_are_left_out_as_lines() -> None:
    text = "starting\n" + "".join(json.dumps(row) + "\n" for row in ROWS) + "[exit 0 in 0.1 s]"
    reduced = reduce(text)
    assert reduced
    assert_lines_add_up(text, reduced.text, reduced.kept_chars)
    assert reduced.text.startswith("starting\n")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=12,
)


@given(st.lists(values, min_size=1, max_size=30), st.integers(1, 30), st.sampled_from([None, 2]))
def test_what_is_left_of_json_is_json_and_equal_to_the_original(
    items: list, times: int, indent: int | None
) -> None:
    text = json.dumps({"items": items * times, "pad": "x" * 900 + " " * 90}, indent=indent)
    reduced = reduce(text)
    if reduced is None:
        return
    shown = json.loads(reduced.text)["items"]
    original, at = items * times, 0
    for item in shown:
        gap = (
            re.fullmatch(r"\.\.\. (\d+) items omitted: \[(\d+)\] to \[(\d+)\]", item)
            if item == str(item)
            else None
        )
        if gap:
            at += int(gap[1])
        else:
            assert item == original[at] or "omitted" in json.dumps(item)
            at += 1
    assert at == len(original)


def shown(text: str, **limits: object) -> tuple[str, list[str]]:
    story = Story(Originals())
    story.user()
    story.turn(text, name="exec", read_only=False)
    view, report = enforce_tool_result_budget(story.messages, {}, Limits(reduces=True, **limits), story.store)
    return shown_texts(view)[0], [decision.presentation.kind for decision in report.decisions]


def test_the_marker_says_what_was_left_out_and_where_it_is() -> None:
    text, kinds = shown(CARGO)
    assert kinds == ["reduced"]
    assert "warning: unused variable: `x`" in text
    marker = text.split("\n")[-1]
    found = re.fullmatch(
        r"\[REDUCED: (\d+) of \d+ lines left out, (\d+) chars omitted, (\d+) kept — full output saved to \S+,"
        r" @recall <<ccr:[0-9a-f]{16}>>\]",
        marker,
    )
    assert found
    assert int(found[2]) + int(found[3]) == len(CARGO)


def test_what_is_still_too_long_or_no_log_is_shown_by_its_ends_as_before() -> None:
    log = "".join(f"error: number {n}\n" + f"   Compiling c{n} v1\n" * 9 for n in range(3_000))
    assert shown(log)[1] == ["capped"]
    assert shown(lines_of(25_000))[1] == ["preview"]
    assert shown(lines_of(15_000))[1] == ["whole"]


def test_nothing_is_reduced_unless_it_is_asked_for() -> None:
    story = Story(Originals())
    story.user()
    story.turn(CARGO, name="exec")
    view, _report = enforce_tool_result_budget(story.messages, {}, Limits(), story.store)
    assert shown_texts(view)[0] == CARGO
