"""`chatcli replay` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatcli.terminal.chart import chart_row


@pytest.fixture
def session_id(cli) -> str:
    """A session of the scripted OFFLINE provider that read twelve parts of a file."""
    (cli.project / "long.txt").write_text("a line of a file\n" * 900, encoding="utf-8")
    reads = [
        {"calls": [{"name": "read", "arguments": {"file": "long.txt", "start": n}}]} for n in range(1, 13)
    ]
    script = cli.project / "script.jsonl"
    script.write_text("\n".join(json.dumps(one) for one in [*reads, {"text": "Done."}]), encoding="utf-8")
    ran = cli("-p", "/agent read", "--provider", "OFFLINE", CHATCLI_OFFLINE_SCRIPT=str(script))
    assert ran.returncode == 0, ran.stderr
    (folder,) = (cli.home / "sessions").iterdir()
    return folder.name


def test_every_schedule_has_its_figures_and_its_chart(out, session_id: str) -> None:
    said = out("replay", session_id)
    assert said.startswith(f"{session_id} · 13 requests · 12 results · CLAUDEAI/")
    rows = [
        line.split()[0] for line in said.splitlines() if line.split() and line.split()[0] in "auto eager off"
    ]
    assert rows == ["auto", "eager", "off"] * 2
    assert "█" in said
    assert "$" in said


def test_numbers_for_programs(out, session_id: str) -> None:
    said = json.loads(out("replay", session_id[-6:], "--compare", "off,eager", "--output", "json"))
    assert [one["schedule"] for one in said] == ["off", "eager"]
    off, eager = said
    assert len(off["requests"]) == 13
    assert off["rewrites"] == 0
    assert eager["rewrites"] > 0
    assert sum(one["cache_read"] for one in off["requests"]) == off["usage"]["cache_read"]


def test_settings_and_prices_can_be_others(out, session_id: str) -> None:
    small = ("--set", "CHATCLI_TOOL_RESULT_BUDGET_CHARS=3000")
    usual = json.loads(out("replay", session_id, "--compare", "off", "--output", "json"))[0]
    said = json.loads(
        out("replay", session_id, "--compare", "off", *small, "--provider", "OPENAI", "--output", "json")
    )[0]
    assert said["provider"] == "OPENAI"
    assert said["peak_tokens"] < usual["peak_tokens"] / 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "There is no session nothing"),
        (["{id}", "--compare", "sometimes"], "'sometimes' cannot be compared"),
        (["{id}", "--set", "X=1"], "There is no setting X"),
    ],
)
def test_what_is_wrong_is_one_line(cli, session_id: str, arguments: list[str], said: str) -> None:
    ran = cli("replay", *(argument.format(id=session_id) for argument in arguments))
    assert ran.returncode == 2
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_transcript_of_another_agent_is_a_file(out, tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    lines = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert out("replay", str(path)).startswith("export.jsonl · 1 request · 0 results · CLAUDEAI/")


@pytest.mark.parametrize(
    ("values", "columns", "expected"),
    [
        ([0, 1, 50, 100], 10, " ▁▄█"),
        ([1, 2, 100, 4], 2, "▁█"),
        ([], 10, ""),
        ([0, 0], 10, ""),
        ([7], 1, "█"),
    ],
)
def test_a_chart_shows_the_peaks(values: list[int], columns: int, expected: str) -> None:
    assert chart_row(values, max(values, default=0), columns) == expected
