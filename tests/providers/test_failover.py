"""Who takes over, why, for how long, and when the first is asked again."""

from __future__ import annotations

import pytest

from chatcli.errors import (
    AuthError,
    BadRequest,
    BillingError,
    ContentRefused,
    ContextOverflow,
    ModelNotFound,
    NetworkError,
    Overloaded,
    RateLimited,
    UsageError,
)
from chatcli.events import Notice, Reply, TextDelta
from chatcli.messages import AssistantMessage, Text, Usage
from chatcli.providers.failover import (
    FIRST_REST_SECONDS,
    LONGEST_REST_SECONDS,
    Failover,
    parse_fallbacks,
    stream_with_failover,
)
from chatcli.providers.retry import RetryPolicy
from tests.providers.conversation import request
from tests.wire import script

POLICY = RetryPolicy(max_retries=0, initial_backoff_seconds=0.0, quiet_seconds=5.0)


class Scripted:
    """Answers with its own name; fails with the errors that are left."""

    cache = "none"
    window_tokens = 1_000

    def __init__(self, name, *errors, spoken=""):
        self.name = self.model = name
        self.errors = list(errors)
        self.spoken = spoken
        self.asked = 0
        self.closed = False

    async def stream(self, asked):
        assert asked.model == self.model
        self.asked += 1
        if self.errors:
            if self.spoken:
                yield TextDelta(self.spoken)
            raise self.errors.pop(0)
        yield Reply(parts=(Text(self.name),), stop_reason="end", usage=Usage(), model=self.model)

    async def aclose(self):
        self.closed = True


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


class World:
    def __init__(self, *providers):
        self.clock = Clock()
        self.failover = Failover(providers[0], providers[1:], clock=self.clock)
        self.switches = []

    async def ask(self):
        """The name of the provider that answered."""

        def on_switch(to, error):
            assert self.failover.current is not to  # usage of the failed one is still billed to it
            self.switches.append((to.name, type(error)))

        stream = stream_with_failover(
            self.failover, request(model="old"), POLICY, lambda *told: None, on_switch
        )
        return [event async for event in stream][-1].model


@pytest.mark.parametrize(
    "kind", [RateLimited, Overloaded, NetworkError, AuthError, BillingError, ModelNotFound]
)
async def test_what_may_be_different_elsewhere_is_asked_elsewhere(kind):
    world = World(Scripted("A", kind("no")), Scripted("B"))
    assert await world.ask() == "B"
    assert world.switches == [("B", kind)]
    assert (world.failover.name, world.failover.model) == ("B", "B")


@pytest.mark.parametrize("kind", [ContentRefused, ContextOverflow, BadRequest])
async def test_what_is_the_same_everywhere_is_not(kind):
    world = World(Scripted("A", kind("no")), Scripted("B"))
    with pytest.raises(kind):
        await world.ask()
    assert world.switches == []


async def test_nothing_moves_once_something_was_seen():
    world = World(Scripted("A", NetworkError("cut"), spoken="I "), Scripted("B"))
    with pytest.raises(NetworkError):
        await world.ask()
    assert world.switches == []


async def test_the_first_is_asked_again_when_it_has_rested():
    world = World(Scripted("A", Overloaded("busy")), Scripted("B"))
    assert await world.ask() == "B"
    world.clock.seconds = FIRST_REST_SECONDS - 1
    assert await world.ask() == "B"
    world.clock.seconds = FIRST_REST_SECONDS
    assert await world.ask() == "A"
    assert world.switches == [("B", Overloaded), ("A", type(None))]


async def test_each_failure_in_a_row_doubles_the_rest_and_an_answer_ends_the_row():
    first = Scripted("A", Overloaded("1"), Overloaded("2"))
    world = World(first, Scripted("B"))
    await world.ask()
    world.clock.seconds += FIRST_REST_SECONDS
    assert await world.ask() == "B"
    world.clock.seconds += FIRST_REST_SECONDS
    assert await world.ask() == "B"
    assert first.asked == 2
    world.clock.seconds += FIRST_REST_SECONDS
    assert await world.ask() == "A"
    first.errors.append(Overloaded("3"))
    await world.ask()
    world.clock.seconds += FIRST_REST_SECONDS
    assert await world.ask() == "A"


@pytest.mark.parametrize(
    ("error", "rest_seconds"),
    [
        (AuthError("no key"), LONGEST_REST_SECONDS),
        (BillingError("no credit"), LONGEST_REST_SECONDS),
        (RateLimited("slow", retry_after_seconds=3_000.0), 3_000.0),
    ],
)
async def test_what_waiting_does_not_heal_rests_long(error, rest_seconds):
    world = World(Scripted("A", error), Scripted("B"))
    await world.ask()
    world.clock.seconds = rest_seconds - 1
    assert await world.ask() == "B"
    world.clock.seconds = rest_seconds
    assert await world.ask() == "A"


async def test_the_next_in_order_is_taken_and_the_last_error_is_raised():
    world = World(Scripted("A", Overloaded("a")), Scripted("B", RateLimited("b")), Scripted("C"))
    assert await world.ask() == "C"
    assert world.switches == [("B", Overloaded), ("C", RateLimited)]
    everybody = World(Scripted("A", Overloaded("a")), Scripted("B", RateLimited("b")))
    with pytest.raises(RateLimited):
        await everybody.ask()
    assert await everybody.ask() == "B"  # all are resting: the user asked, so somebody is asked


async def test_a_provider_alone_fails_as_it_would():
    stream = stream_with_failover(
        Scripted("A", Overloaded("busy")), request(model="A"), POLICY, lambda *t: None, lambda *t: None
    )
    with pytest.raises(Overloaded):
        [event async for event in stream]


async def test_all_are_closed():
    one, other = Scripted("A"), Scripted("B")
    await Failover(one, [other]).aclose()
    assert (one.closed, other.closed) == (True, True)


async def test_a_session_goes_on_elsewhere_and_says_why(play):
    look = script.reply(script.think("Hm."), script.call("read", file="hello.py"))
    steps = (look, script.status(529), script.reply("It greets."), script.reply("Still here."))
    fallback = {"CHATCLI_FALLBACK_PROVIDERS": "GOOGLEAI", "MAX_RETRIES": "0"}
    async with play("claudeai", *steps, **fallback) as open_talk:
        talk = open_talk()
        finished = await talk.say("What does it do?")
        again = await talk.say("And now?")
        transcript, usage = talk.conversation.session.transcript, talk.conversation.session.usage
    assert (finished.text, again.text) == ("It greets.", "Still here.")
    assert [exchange.wire for exchange in talk.server.exchanges] == [
        "anthropic",
        "anthropic",
        "gemini",
        "gemini",
    ]
    (notice,) = talk.told(Notice)
    assert notice.text.startswith("GOOGLEAI/gemini-3.8-flash takes over: CLAUDEAI is failing or busy")
    said = [message.provider for message in transcript if isinstance(message, AssistantMessage)]
    assert said == ["CLAUDEAI", "GOOGLEAI", "GOOGLEAI"]
    assert [record.provider for record in usage] == said


async def test_a_model_without_tools_takes_over_in_the_middle_of_the_work(play):
    steps = (
        script.reply(script.call("read", file="hello.py")),
        script.status(529),
        script.reply("Once more.", script.call("read", file="hello.py")),
        script.reply("It greets."),
    )
    fallback = {"CHATCLI_FALLBACK_PROVIDERS": "STACKSPOT", "MAX_RETRIES": "0"}
    async with play("claudeai", *steps, **fallback) as open_talk:
        talk = open_talk()
        finished = await talk.say("What does it do?")
    assert finished.text == "It greets."
    assert [exchange.wire for exchange in talk.server.exchanges][1:] == ["anthropic"] + ["stackspot"] * 2
    assert len(talk.seen.results) == 2
    assert all("olá" in found.text for found in talk.seen.results)


async def test_a_fallback_that_cannot_work_is_told_at_once(play):
    with pytest.raises(UsageError, match="NOBODY"):
        async with play("claudeai", CHATCLI_FALLBACK_PROVIDERS="NOBODY") as open_talk:
            open_talk()


def test_fallbacks_are_names_with_or_without_a_model():
    found = parse_fallbacks(" openai, OPENROUTER/anthropic/claude-sonnet-5.5;ollama ")
    assert [(spec.name, model) for spec, model in found] == [
        ("OPENAI", ""),
        ("OPENROUTER", "anthropic/claude-sonnet-5.5"),
        ("OLLAMA", ""),
    ]
    assert parse_fallbacks("") == []
    with pytest.raises(UsageError, match="NOBODY"):
        parse_fallbacks("NOBODY")
