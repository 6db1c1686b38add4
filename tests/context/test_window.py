"""What fills the window: every token is in one part, every result is listed with its age."""

from __future__ import annotations

from msgspec import structs

from chatcli.context.assemble import assemble
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.context.tokens import estimate_request_tokens
from chatcli.context.window import Contents, contents_of
from chatcli.messages import Reasoning, Text, ToolCall, ToolSchema, UserMessage
from chatcli.providers.base import Block, Request
from tests.context.builders import Loop, Originals, Story, lines_of

TOOLS = [ToolSchema(name=name, description="Does something. " * 9, parameters={}) for name in ("a", "b")]
BLOCKS = [Block("core", "Be brief. " * 40), Block("rules", "Indent by four. " * 30)]


def made_of(story: Story, ageing: Ageing | None = None) -> tuple[Contents, Request]:
    view = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages).prepare()
    request = assemble(view, BLOCKS, TOOLS, model="m")
    return contents_of(request, ageing or Ageing()), request


def told() -> Story:
    story = Story(Originals())
    note = Text("[context — mode: agent]", origin="context")
    story.messages.append(UserMessage(seq=story._next(), parts=(Text("Read them all."), note)))
    story.turn(lines_of(9_000), lines_of(2_000))
    story.turn(lines_of(30_000))
    story.call(text="That was all.")
    return story


def test_every_token_of_a_request_is_in_one_part() -> None:
    contents, request = made_of(told())
    frames = 4 * sum(len(getattr(message, "parts", ())) for message in request.messages)
    assert abs(contents.tokens - estimate_request_tokens(request)) <= frames
    results = sum(part.tokens for part in contents.parts if part.kind in ("whole", "shortened"))
    assert results == sum(part.tokens for part in contents.results)


def test_parts_have_a_kind_a_name_a_count_and_a_stability() -> None:
    contents, _request = made_of(told())
    assert [(p.kind, p.name, p.count, p.stability) for p in contents.parts] == [
        ("tools", "", 2, "session"),
        ("block", "core", 1, "session"),
        ("block", "rules", 1, "session"),
        ("words", "", 1, "once"),
        ("notes", "", 1, "once"),
        ("replies", "", 1, "once"),
        ("calls", "", 3, "once"),
        ("whole", "", 1, "once"),
        ("shortened", "", 2, "open"),
    ]


def test_results_are_listed_with_their_age_and_how_they_are_shown() -> None:
    contents, _request = made_of(told())
    listed = [(p.age_turns, p.result.shown.kind, p.stability) for p in contents.results if p.result.shown]
    assert listed == [(2, "truncated", "open"), (2, "whole", "once"), (1, "preview", "open")]


def test_without_ageing_nothing_is_shortened_for_its_age() -> None:
    _contents, request = made_of(told())
    assert {part.stability for part in contents_of(request, None).results} == {"once"}


def test_a_summary_is_told_from_other_notices_and_reasoning_from_replies() -> None:
    story = Story(Originals())
    story.messages.append(UserMessage(seq=7, parts=(Text("What it came to.", origin="notice"),)))
    story.messages.append(UserMessage(seq=8, parts=(Text("You repeat yourself.", origin="notice"),)))
    reply = story.call("c", text="So.")
    story.messages[-1] = structs.replace(reply, parts=(Reasoning(text="Hm."), ToolCall(id="c", name="read")))
    request = assemble(
        Loop(Pipeline(Limits(), Ageing(), story.store), story.messages).prepare(), [], [], model="m"
    )
    assert [part.kind for part in contents_of(request, Ageing(), summary_seq=7).parts][:4] == [
        "summary",
        "notes",
        "reasoning",
        "calls",
    ]


def test_scaled_it_comes_to_what_the_service_counts() -> None:
    contents, _request = made_of(told())
    scaled = contents.scaled(2 * contents.tokens)
    assert abs(scaled.tokens - 2 * contents.tokens) <= len(contents.parts)
    assert scaled.results[0].tokens == 2 * contents.results[0].tokens
