from __future__ import annotations

from chatcli.context.assemble import assemble
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.messages import ToolSchema
from chatcli.providers.base import Block
from tests.context.builders import Loop, Originals, Story, lines_of

BLOCKS = (Block("core", "You are."), Block("rules", "Do."))
TOOLS = tuple(ToolSchema(name=name, description="", parameters={}) for name in ("write", "read", "exec"))


def test_a_request_holds_the_view_the_blocks_and_the_tools_by_name() -> None:
    story = Story(Originals())
    story.user()
    story.turn(lines_of(30_000))
    view = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages).prepare()
    request = assemble(view, BLOCKS, TOOLS, model="m", cache_key="k", max_output_tokens=7)
    assert request.messages == view.messages
    assert request.system == BLOCKS
    assert [tool.name for tool in request.tools] == ["exec", "read", "write"]
    assert (request.model, request.cache_key, request.max_output_tokens) == ("m", "k", 7)


def test_the_marks_follow_the_session() -> None:
    story = Story(Originals())
    story.user()
    loop = Loop(Pipeline(Limits(), Ageing(), story.store), story.messages)
    previous: tuple[int, ...] = ()
    marks = []
    for number in range(7):
        story.turn(f"{number}\n" + lines_of(8_000))
        request = assemble(loop.prepare(), BLOCKS, TOOLS, model="m", previous=previous)
        previous = request.marks.messages
        marks.append(previous)
    assert marks == [(1, 2), (1, 4), (1, 6), (1, 8), (3, 10), (5, 12), (7, 14)]
    assert request.marks.last_tool
    assert request.marks.system_block == 1
