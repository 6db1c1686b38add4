"""The rows that tell what is going on."""

from __future__ import annotations

from chatcli.events import ToolStarted
from chatcli.terminal.activity import Activity
from chatcli.terminal.look import Look


def test_hundreds_of_calls_at_once_take_a_few_rows() -> None:
    activity = Activity()
    for number in range(200):
        activity.hear(ToolStarted(call_id=str(number), name="read", summary=f"{number}.py"))
    rows = activity.rows(80, Look(color=False, live=True))
    assert len(rows) == 7
    assert "read 0.py" in rows[0]
    assert rows[-1].strip() == "… 194 more"
