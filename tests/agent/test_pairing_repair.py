"""A request of ours whose calls and results do not pair is repaired once, and called what it is."""

from __future__ import annotations

import logging

import pytest
from msgspec import structs

from chatcli.context.pipeline import Pipeline
from chatcli.errors import BadRequest
from chatcli.events import Notice
from chatcli.messages import ToolResult
from tests.wire.script import call, reply, status

READ = call("read", file="hello.py")


def forgets_results(monkeypatch, *, times: int) -> None:
    """What the pipeline remembers has gone bad: the next views lack the last result."""
    prepare = Pipeline.prepare
    left = [times]

    def broken(self, *arguments):
        view = prepare(self, *arguments)
        if not left[0] or not isinstance(view.messages[-1], ToolResult):
            return view
        left[0] -= 1
        return structs.replace(view, messages=view.messages[:-1])

    monkeypatch.setattr(Pipeline, "prepare", broken)


async def test_it_is_made_anew_from_the_transcript_sent_again_and_logged(talk, monkeypatch, caplog):
    async with talk([reply(READ), reply("It greets.")], wire="CLAUDEAI") as t:
        forgets_results(monkeypatch, times=1)
        with caplog.at_level(logging.ERROR):
            finished = await t.conversation.run("What does it do?")
        assert finished.text == "It greets."
        assert "olá" in t.server.exchanges[-1].seen.last_result
        assert "do not pair" in caplog.text
        (notice,) = t.told(Notice)
        assert "a bug of chatcli" in notice.text
        assert len(t.server.violations) == 1
        t.server.violations.clear()


async def test_a_second_refusal_is_told(talk, monkeypatch):
    async with talk([reply(READ), reply("Never.")], wire="CLAUDEAI") as t:
        forgets_results(monkeypatch, times=2)
        with pytest.raises(BadRequest):
            await t.conversation.run("What does it do?")
        assert len(t.server.exchanges) == 3
        t.server.violations.clear()


async def test_a_refusal_for_anything_else_is_told_at_once(talk):
    """Whatever its words say: the pairs are right, and the same request would be refused again."""
    refused = status(400, "tool_use ids were found without tool_result blocks immediately after")
    async with talk([reply(READ), refused], wire="CLAUDEAI") as t:
        with pytest.raises(BadRequest):
            await t.conversation.run("What does it do?")
        assert len(t.server.exchanges) == 2
