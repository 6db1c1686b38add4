"""Below the marker: first how to get less, then how to look into the result, with tools that are there."""

from __future__ import annotations

import pytest

from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.limits import Limits
from chatcli.context.notice import offload_notice
from tests.context.builders import Originals, Story, lines_of, shown_texts

TOOLS = {"exec": "a command that prints less", "recall": "", "read": "", "search": "", "code": ""}
NOTICE = (
    "[For less next time: a command that prints less. To look into this one: recall (stat, grep, lines,"
    " json), search or read the file, code.]"
)


@pytest.mark.parametrize(
    ("tools", "saved", "expected"),
    [
        (TOOLS, True, NOTICE),
        (TOOLS, False, NOTICE.replace(" search or read the file,", "")),
        ({"exec": "", "read": ""}, True, "[To look into this one: read the file.]"),
        ({"exec": "less of it"}, True, "[For less next time: less of it.]"),
        ({"write": ""}, True, ""),
        ({}, True, ""),
    ],
)
def test_only_tools_that_the_session_has_are_named(tools: dict, saved: bool, expected: str) -> None:
    assert offload_notice("exec", tools, saved=saved) == expected
    assert offload_notice("@exec", tools, saved=saved) == expected


def shown(story: Story, limits: Limits) -> tuple[str, dict]:
    view, report = enforce_tool_result_budget(story.messages, {}, limits, story.store)
    (text,) = shown_texts(view)
    return text, {decision.seq: decision.presentation for decision in report.decisions}


def story(text: str, **fields: object) -> Story:
    made = Story(Originals())
    made.user("Go.")
    made.call("a")
    made.result("a", text, name="exec", **fields)
    return made


def test_a_long_result_carries_the_notice_and_is_within_its_limit() -> None:
    made = story(lines_of(60_000))
    text, decided = shown(made, Limits(max_chars=2_000, tools=TOOLS))
    assert NOTICE in text.splitlines()
    assert len(text) <= 2_000
    # Other tools later change nothing of what was recorded.
    view, report = enforce_tool_result_budget(made.messages, decided, Limits(), made.store)
    assert shown_texts(view) == [text]
    assert report.decisions == ()


def test_a_short_result_and_one_without_archive_carry_none() -> None:
    assert "[For less" not in shown(story("short"), Limits(tools=TOOLS))[0]
    assert "[For less" not in shown(story(lines_of(60_000), stored=False), Limits(tools=TOOLS))[0]
