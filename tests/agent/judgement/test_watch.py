"""What is done about a run that goes in circles: the model is told once, then the person decides."""

from __future__ import annotations

from chatcli.agent.judgement.watch import ADVICE
from chatcli.events import Notice
from chatcli.messages import Text, UserMessage
from tests.wire.script import call, reply


def circle(rounds: int) -> list:
    turn = [reply(call("read", file="hello.py")), reply(call("tree"))]
    return turn * rounds


def notices(talk) -> list[str]:
    """What chatcli itself told the model."""
    return [
        part.text
        for message in talk.conversation.session.transcript
        if isinstance(message, UserMessage)
        for part in message.parts
        if isinstance(part, Text) and part.origin == "notice"
    ]


async def test_the_model_is_advised_once_and_may_go_on(talk):
    async with talk([*circle(2), reply("Another way.")]) as t:
        finished = await t.conversation.run("go")
        assert (finished.end, finished.text) == ("answered", "Another way.")
        assert notices(t) == [ADVICE["cycle"]]
        assert len(t.told(Notice)) == 1
        assert t.person.asked == 0


async def test_a_circle_that_goes_on_is_stopped_when_nobody_is_there(talk):
    async with talk([*circle(4), reply("It says olá.", call("tree"))], present=False) as t:
        finished = await t.conversation.run("go")
        assert (finished.end, finished.text, finished.turns) == ("stagnation", "It says olá.", 9)
        assert [text == ADVICE["cycle"] for text in notices(t)] == [True, False]
        assert t.results()[-1].status == "not_executed"
        assert "/chat" not in t.result_text(-1)


async def test_the_person_may_let_it_go_on(talk):
    async with talk([*circle(4), reply("Done.")]) as t:
        finished = await t.conversation.run("go")
        assert (finished.end, t.person.asked) == ("answered", 1)
        assert notices(t) == [ADVICE["cycle"]]


async def test_the_person_may_stop_it(talk):
    async with talk([*circle(4), reply("Stopped.")]) as t:
        t.person.says = "Stop here"
        assert (await t.conversation.run("go")).end == "stagnation"


async def test_what_the_person_says_instead_goes_to_the_model(talk):
    async with talk([*circle(4), reply("Done.")]) as t:
        t.person.says = "look at the other folder"
        assert (await t.conversation.run("go")).end == "answered"
        assert "look at the other folder" in [
            m.text for m in t.conversation.session.transcript if isinstance(m, UserMessage)
        ]


async def test_one_error_again_and_again_is_told_to_the_model(talk):
    script = [
        *(reply(call("read", file=f"nowhere/{name}.py")) for name in ("aaa", "bbb", "ccc")),
        reply("No."),
    ]
    async with talk(script) as t:
        assert (await t.conversation.run("go")).end == "answered"
        assert notices(t) == [ADVICE["errors"]]


async def test_turned_off_nothing_is_counted(talk):
    script = [*(reply(call("read", file="hello.py")) for _ in range(8)), *circle(5), reply("Done.")]
    async with talk(script, assignments=("CHATCLI_AGENT_EARLY_EXIT=off",)) as t:
        assert (await t.conversation.run("go")).end == "answered"
        assert notices(t) == []


async def test_a_message_in_between_begins_anew(talk):
    async with talk([*circle(2), reply("Done.")]) as t:

        def hear(event) -> None:
            if getattr(event, "turn", 0) == 3:
                t.conversation.inbox.put("and hurry")

        t.conversation.listeners.append(hear)
        assert (await t.conversation.run("go")).end == "answered"
        assert notices(t) == []
