"""The task list lives in the session's notes; questions reach the user or say that nobody is there."""

from __future__ import annotations

import pytest

from chatcli.tools import InvalidArguments
from chatcli_plugins.ask import NOBODY, ask
from chatcli_plugins.todo import todo
from tests.tools.fakes import FakeContext, FakeUser


async def test_the_whole_list_is_written_and_shown(context: FakeContext) -> None:
    output = await context.call(
        todo, items=["Read", {"text": "Fix", "state": "in_progress"}, {"text": "Test", "state": "done"}]
    )
    assert output.text == "1. [ ] Read\n2. [>] Fix\n3. [x] Test"
    assert output.brief == "1/3 done"


async def test_one_item_is_marked(context: FakeContext) -> None:
    await context.call(todo, items=["Read", "Fix"])
    assert (await context.call(todo, mark=1)).text == "1. [x] Read\n2. [ ] Fix"
    assert (await context.call(todo, mark=2, state="in_progress")).text == "1. [x] Read\n2. [>] Fix"
    assert (await context.call(todo)).text == "1. [x] Read\n2. [>] Fix"


async def test_an_item_that_is_not_there_cannot_be_marked(context: FakeContext) -> None:
    await context.call(todo, items=["Read"])
    with pytest.raises(InvalidArguments, match="'mark' must be 1 to 1"):
        await context.call(todo, mark=2)


@pytest.mark.parametrize("items", [[{"text": "x"}] * 101, [{"text": "x" * 301}]])
async def test_a_list_that_nobody_would_read_is_refused(context: FakeContext, items: list) -> None:
    with pytest.raises(InvalidArguments):
        await context.call(todo, items=items)


async def test_an_empty_list_says_so(context: FakeContext) -> None:
    assert (await context.call(todo)).text == "The list is empty."


async def test_the_answer_of_the_user_comes_back(context: FakeContext) -> None:
    context.user = FakeUser("blue", present=True)
    assert await context.text(ask, question="Which colour?", options=["red", "blue"]) == "blue"
    assert context.user.asked == [("Which colour?", ("red", "blue"))]


async def test_a_dismissed_question_is_said(context: FakeContext) -> None:
    context.user = FakeUser(None, present=True)
    assert "did not want to answer" in await context.text(ask, question="Which colour?")


async def test_without_anybody_there_it_says_so_and_asks_nobody(context: FakeContext) -> None:
    assert await context.text(ask, question="Which colour?") == NOBODY
    assert context.user.asked == []
