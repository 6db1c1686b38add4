"""code in a conversation: the person sees the whole script, and only a yes runs it."""

from __future__ import annotations

from chatcli.gate.questions import Answer
from tests.wire.script import call, reply

SCRIPT = "total = 0\nfor n in range(10):\n    total += n\nprint(total)"


async def test_what_was_approved_runs_and_comes_back(talk):
    async with talk([reply(call("code", script=SCRIPT)), reply("45.")], answers=[Answer("once")]) as t:
        await t.conversation.run("add up")
        (question,) = t.person.questions
        assert question.subject == SCRIPT
        assert t.result_text(0) == "45\n"
        assert t.results()[0].status == "ok"


async def test_a_no_is_told_to_the_model(talk):
    script = [reply(call("code", script=SCRIPT)), reply("I see.")]
    async with talk(script, answers=[Answer("deny", "not now")]) as t:
        await t.conversation.run("add up")
        assert t.results()[0].status == "denied"
        assert "not now" in t.result_text(0)


async def test_in_plan_mode_nobody_is_asked(talk):
    async with talk([reply(call("code", script=SCRIPT)), reply("Then not.")], autonomy="plan") as t:
        await t.conversation.run("add up")
        assert t.person.questions == []
        assert t.results()[0].status == "denied"


async def test_recall_of_a_deleted_result_says_that_it_was_deleted(talk, project):
    key = ""

    def again(seen):
        return reply(call("recall", keys=[key]), rewrite=True)

    async with talk([reply(call("read", file="hello.py")), reply("Read."), again, reply("Gone.")]) as t:
        await t.conversation.run("read it")
        original = t.results()[0].original
        key = original.key
        t.conversation.session.delete_result(original.sha256)
        await t.conversation.run("again")
        assert "was deleted by the user" in t.result_text(1)


async def test_the_cache_that_a_deletion_costs_has_a_named_cause(talk, project):
    (project / "long.txt").write_text("a line of a file that is read\n" * 600, encoding="utf-8")
    script = [
        reply(call("read", file="long.txt")),
        reply("Read. " * 900),
        reply("Gone.", rewrite=True),
    ]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("read it")
        t.conversation.session.delete_result(t.results()[0].original.sha256)
        await t.conversation.run("again")
        miss = t.conversation.session.usage[-1].miss
        assert (miss.cause, miss.expected) == ("rewrite", True)
        assert miss.detail.endswith(": deleted")
