"""`chatcli sessions cost`: what /cost tells, after the fact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatcli.messages import Text, Usage
from chatcli.session.entries import CacheMiss, UsageRecord
from chatcli.session.session import Session

MISS = CacheMiss(cause="block", detail="rules", lost_tokens=4_000, expected=False, lost_usd=0.0096)


@pytest.fixture
def session(cli, tmp_path: Path) -> str:
    """Two requests, one with a known price and a lost cache; the id."""
    made = Session.create(cli.home, cli.project, tmp=tmp_path / "tmp", quota_bytes=1_000_000)
    made.add_user((Text("hello"),))
    for model, usd, miss in (("claude-sonnet-5-5", 0.01, MISS), ("nobody-knows", None, None)):
        made.record_usage(
            UsageRecord(
                provider="CLAUDEAI",
                model=model,
                purpose="answer",
                usage=Usage(input=4_000, cache_read=900, output=200),
                cost_usd=usd,
                turn=1,
                seconds=1.0,
                miss=miss,
            )
        )
    made.close()
    return made.id


def test_the_last_session_of_the_folder_is_told(session, out) -> None:
    text = out("sessions", "cost")
    assert "CLAUDEAI/claude-sonnet-5-5" in text
    assert "1 unexpected (4.0K tokens, ~$0.0096)" in text
    assert "≥$0.0100" in text
    assert "\x1b" not in text


def test_why_names_the_block(session, out) -> None:
    assert "the system prompt changed: rules" in out("sessions", "cost", session, "--why")


def test_json_has_null_where_a_price_is_unknown(session, out) -> None:
    found = json.loads(out("sessions", "cost", session[-6:], "--output", "json"))
    assert found["session_id"] == session
    assert found["total"]["cost"] == {"usd": None, "known_usd": 0.01, "sources": ["estimated", "unknown"]}
    assert [turn["cost"]["usd"] for turn in found["turns"]] == [0.01, None]
    assert found["losses"][0]["cause"] == "block"


def test_a_page_is_written(session, cli, out) -> None:
    assert out("sessions", "cost", "--html", "cost.html").startswith("Written to")
    assert "rules" in (cli.project / "cost.html").read_text(encoding="utf-8")


def test_a_page_replaces_a_file_only_when_told_to(session, cli, out) -> None:
    kept = cli.project / "keep.py"
    kept.write_text("print(1)\n", encoding="utf-8")
    ran = cli("sessions", "cost", "--html", "keep.py")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "keep.py exists." in ran.stderr
    assert "--force replaces it." in ran.stderr
    assert kept.read_text(encoding="utf-8") == "print(1)\n"
    assert out("sessions", "cost", "--html", "keep.py", "--force").startswith("Written to")
    assert "rules" in kept.read_text(encoding="utf-8")


def test_a_session_that_sent_nothing_says_so(cli, out, tmp_path: Path) -> None:
    made = Session.create(cli.home, cli.project, tmp=tmp_path / "tmp", quota_bytes=1_000_000)
    made.add_user((Text("hello"),))
    made.close()
    assert out("sessions", "cost") == "Nothing was sent yet.\n"


def test_without_a_session_it_is_one_clear_line(cli) -> None:
    ran = cli("sessions", "cost")
    assert ran.returncode == 2
    assert "No session of this folder yet." in ran.stderr
