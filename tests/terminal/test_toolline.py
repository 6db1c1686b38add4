"""One line for one tool call."""

from __future__ import annotations

import pytest

from chatcli.events import ResultShown, RunFinished, ToolFinished
from chatcli.messages import Usage
from chatcli.terminal.cells import width_cells
from chatcli.terminal.envelope import end_text, envelope
from chatcli.terminal.look import Look
from chatcli.terminal.toolline import error_line, shown_line, tool_line

PLAIN = Look(color=False, live=True)
READ = ToolFinished(
    call_id="1",
    name="read",
    summary="chatcli/app.py lines 1-80",
    status="ok",
    brief="",
    key="k",
    chars=2_100,
    duration_seconds=0.12,
)


def finished(**changes: object) -> ToolFinished:
    fields = {name: getattr(READ, name) for name in READ.__struct_fields__}
    return ToolFinished(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_call_is_told_with_size_and_time() -> None:
    assert tool_line(READ, 80, PLAIN) == "✓ read chatcli/app.py lines 1-80 · 2.1K chars · 0.1 s"


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("error", "✗ read a · 2.1K chars · 0.1 s"),
        ("denied", "⊘ read a · denied · 0.1 s"),
        ("cancelled", "– read a · cancelled · 0.1 s"),
        ("interrupted", "■ read a · interrupted · 2.1K chars · 0.1 s"),
        ("not_executed", "– read a · not run · 0.1 s"),
    ],
)
def test_what_became_of_it_is_said(status: str, line: str) -> None:
    assert tool_line(finished(status=status, summary="a"), 80, PLAIN) == line


@pytest.mark.parametrize("columns", range(10, 90))
def test_the_line_always_fits(columns: int) -> None:
    event = finished(summary="路径/" * 20 + "\x1b[2Jx\ny", brief="exit 1 " * 20)
    line = tool_line(event, columns, PLAIN)
    assert width_cells(line) <= columns
    assert "\x1b" not in line
    assert "\n" not in line


def test_an_error_is_one_line_more() -> None:
    text = "Traceback (most recent call last):\n  File x\nValueError: no \x1b[31mway\n[exit code 1]\n"
    assert error_line(text, 30, PLAIN) == ["  ValueError: no ␛[31mway"]
    assert error_line("[only this]", 30, PLAIN) == ["  [only this]"]
    assert error_line("", 30, PLAIN) == []


def test_a_shortened_result_says_how_much_the_model_sees() -> None:
    event = ResultShown(call_id="1", key="abcd", kind="preview", chars=120_000, shown_chars=5_100)
    assert shown_line(event, 80, PLAIN) == "  ↳ the model sees 5.1K of 120K chars · @recall abcd"


def run(**changes: object) -> RunFinished:
    usage = Usage(input=1_000, cache_read=9_000, output=420)
    fields: dict[str, object] = {"end": "answered", "text": "", "turns": 1, "tool_calls": 0, "usage": usage}
    fields |= {"cost_usd": 0.0123, "duration_seconds": 3.21}
    return RunFinished(**{**fields, **changes})  # type: ignore[arg-type]


def test_the_money_stands_at_the_right_edge() -> None:
    assert envelope(run(), 60, PLAIN) == "10K↑ 420↓ · 90 % cached · 3.2 s" + " " * 22 + "$0.0123"


def test_what_has_no_room_beside_the_money_goes() -> None:
    assert envelope(run(tool_calls=12), 40, PLAIN) == "10K↑ 420↓ · 90 % cached          $0.0123"
    assert envelope(run(), 20, PLAIN) == "10K↑ 420↓    $0.0123"
    assert envelope(run(), 17, PLAIN) == "10K↑ 420↓"
    assert all(width_cells(envelope(run(), columns, PLAIN)) <= columns for columns in range(1, 80))


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    assert envelope(run(cost_usd=None), 60, PLAIN).endswith("unknown")


def test_an_answer_needs_no_reason_for_its_end() -> None:
    assert end_text("answered") == ""
    assert all(end_text(end) for end in ("cancelled", "max_turns", "denied", "stagnation"))  # type: ignore[arg-type]
