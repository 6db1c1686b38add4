"""Cache breakpoints in the bodies that are sent: never more than four, on any wire, whatever was planned."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.providers import anthropic_body, converse_body, openai_chat_body, openai_responses_body
from chatcli.providers.base import Marks
from chatcli.providers.encoding import encode
from chatcli.providers.marks import MOST_MARKS, at_most_four
from chatcli.providers.openai_chat_body import Dialect
from chatcli.providers.openai_responses_body import has_breakpoints
from chatcli.providers.table import find_spec
from tests.providers.conversation import assistant, call, request, result, user

CLAUDE_AT_OPENROUTER = "anthropic/claude-sonnet-5.5"
CONVERSATION = (
    user(1, "Go.", "Note."),
    assistant(2, call("c1"), call("c2")),
    result(3, "c1", "a"),
    result(4, "c2", "b"),
    assistant(5, call("c3")),
    result(6, "c3", ""),
    user(7, "And?"),
)
POSITIONS = st.integers(0, len(CONVERSATION) - 1)
MARKS = st.builds(
    Marks,
    last_tool=st.booleans(),
    system_block=st.sampled_from((None, 0)),
    messages=st.lists(POSITIONS, max_size=9).map(tuple),
)


@given(MARKS)
def test_no_body_ever_has_more_than_four(marks: Marks) -> None:
    asked = request(*CONVERSATION, marks=marks)
    routed = request(*CONVERSATION, marks=marks, model=CLAUDE_AT_OPENROUTER)
    dialect = Dialect(marked_models=("anthropic/",))
    bodies = [
        anthropic_body.render(asked, provider="CLAUDEAI", max_output_tokens=1_000),
        openai_chat_body.render(routed, provider="OPENROUTER", dialect=dialect),
        converse_body.render(asked, provider="BEDROCK", ttl="1h"),
    ]
    for body in bodies:
        text = encode(body)
        assert text.count(b'"cache_control":') + text.count(b'"cachePoint":') <= MOST_MARKS


@given(MARKS)
def test_what_is_within_the_limit_stays_as_it_is(marks: Marks) -> None:
    kept = at_most_four(marks)
    within = marks.last_tool + (marks.system_block is not None) + len(set(marks.messages)) <= MOST_MARKS
    assert (kept == marks) == within
    if marks.messages:
        assert max(kept.messages) == max(marks.messages)


def test_what_is_left_out_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        kept = at_most_four(Marks(last_tool=True, system_block=0, messages=(0, 2, 4, 6)))
    assert kept == Marks(last_tool=True, messages=(2, 4, 6))
    assert "6 cache breakpoints were planned" in caplog.text


def test_a_cache_point_can_ask_for_an_hour() -> None:
    body = converse_body.render(request(marks=Marks(system_block=0)), provider="BEDROCK", ttl="1h")
    assert body["system"][-1] == {"cachePoint": {"type": "default", "ttl": "1h"}}


def test_a_model_without_a_cache_gets_no_points_on_converse() -> None:
    marks = Marks(system_block=0, messages=(0,))
    assert b"cachePoint" not in encode(converse_body.render(request(marks=marks), provider="B", ttl=None))


@pytest.mark.parametrize(
    ("name", "asked", "sent"),
    [("CLAUDEAI", "1h", "1h"), ("CLAUDEAI", "5m", "5m"), ("MINIMAX", "1h", "5m")],
)
def test_an_hour_is_asked_only_of_services_that_have_it(name: str, asked: str, sent: str) -> None:
    from chatcli.providers.service import Service

    service = Service(name=name, model="m", base_url="", hour_cache=find_spec(name).hour_cache)
    assert service.cache_ttl(request(marks=Marks(ttl=asked))) == sent


@pytest.mark.parametrize(
    ("model", "has"),
    [
        ("gpt-5.6", True),
        ("gpt-5.6-terra", True),
        ("gpt-6-luna", True),
        ("gpt-6.1-sol", True),
        ("gpt-10", True),
        ("gpt-5.5-pro", False),
        ("gpt-5", False),
        ("gpt-4.1", False),
        ("o3", False),
        ("grok-4.7", False),
    ],
)
def test_breakpoints_came_with_gpt_5_6(model: str, has: bool) -> None:
    assert has_breakpoints(model) is has


def responses(model: str, *, breakpoints: bool = True) -> list[dict]:
    marks = Marks(last_tool=True, system_block=0, messages=(1, 3, 6))
    asked = request(*CONVERSATION, marks=marks, model=model)
    return openai_responses_body.render(asked, provider="OPENAI", breakpoints=breakpoints)["input"]


def test_responses_marks_what_goes_in_and_leaves_the_end_to_the_service() -> None:
    """A mark behind a reply goes to what was said before it."""
    asked, _, _, _, second, _, empty, last = responses("gpt-6.1-sol")
    explicit = {"mode": "explicit"}
    assert [part.get("prompt_cache_breakpoint") for part in asked["content"]] == [None, explicit]
    assert second["output"] == [{"type": "input_text", "text": "b", "prompt_cache_breakpoint": explicit}]
    assert empty["output"] == ""
    assert "prompt_cache_breakpoint" not in last["content"][0]


def test_older_models_and_other_services_get_outputs_as_text_and_no_breakpoints() -> None:
    for items in (responses("gpt-5.4"), responses("gpt-6.1-sol", breakpoints=False)):
        assert b"prompt_cache_breakpoint" not in encode(items)
        outputs = [item["output"] for item in items if item["type"] == "function_call_output"]
        assert outputs == ["a", "b", ""]
