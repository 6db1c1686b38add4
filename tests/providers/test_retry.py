"""The one retry policy, with a scripted provider and no real waiting."""

from __future__ import annotations

import asyncio

import pytest

from chatcli.errors import AuthError, ContextOverflow, NetworkError, Overloaded, RateLimited
from chatcli.events import ReasoningDelta, Reply, TextDelta, ToolCallDelta, UsageSeen
from chatcli.messages import Text, Usage
from chatcli.providers.retry import RetryPolicy, stream_with_retry
from chatcli.settings import Settings
from tests.providers.conversation import request

POLICY = RetryPolicy(max_retries=3, initial_backoff_seconds=1.0, quiet_seconds=5.0)
REPLY = Reply(parts=(Text("Yes."),), stop_reason="end", usage=Usage(input=1), model="m")
BUSY = Overloaded("busy.")


class Scripted:
    """Each attempt plays the next list: events are yielded, errors raised, a number is a silence."""

    name, model, cache, window_tokens = "SCRIPTED", "m", "none", 1000

    def __init__(self, *attempts):
        self.attempts = list(attempts)
        self.closed = 0

    async def stream(self, _request):
        try:
            for item in self.attempts.pop(0):
                match item:
                    case Exception():
                        raise item
                    case float():
                        await asyncio.sleep(item)
                    case _:
                        yield item
        finally:
            self.closed += 1

    async def aclose(self):
        pass


class Recorder:
    """Waits in no time, and always draws the same chance."""

    def __init__(self, chance: float = 1.0) -> None:
        self.waits: list[float] = []
        self.retries: list[tuple[int, int, float, str]] = []
        self._chance = chance

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def play(self, provider, policy=POLICY):
        stream = stream_with_retry(
            provider,
            request(),
            policy,
            lambda *retry: self.retries.append(retry),
            sleep=self.sleep,
            chance=lambda: self._chance,
        )
        return [event async for event in stream]


async def test_a_busy_service_is_asked_again_with_growing_waits():
    recorder = Recorder()
    events = await recorder.play(Scripted([BUSY], [BUSY], [BUSY], [TextDelta("Yes."), REPLY]))
    assert events == [TextDelta("Yes."), REPLY]
    assert recorder.retries == [(1, 3, 1.0, "busy"), (2, 3, 2.0, "busy"), (3, 3, 4.0, "busy")]
    assert recorder.waits == [1.0, 2.0, 4.0]


async def test_the_wait_is_any_part_of_its_bound_and_bounded():
    recorder = Recorder(chance=0.25)
    policy = RetryPolicy(max_retries=9, initial_backoff_seconds=1.0, quiet_seconds=5.0)
    await recorder.play(Scripted(*[[BUSY]] * 9, [REPLY]), policy)
    assert recorder.waits == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]


async def test_what_the_service_asks_for_counts_more():
    recorder = Recorder()
    await recorder.play(Scripted([RateLimited("slow", retry_after_seconds=17.0)], [REPLY]))
    assert recorder.waits == [17.0]


async def test_nobody_is_kept_waiting_for_minutes():
    recorder = Recorder()
    with pytest.raises(RateLimited) as caught:
        await recorder.play(Scripted([RateLimited("slow", retry_after_seconds=3600.0)]))
    assert "3600 seconds" in caught.value.hint
    assert recorder.waits == []


async def test_after_the_last_retry_the_error_is_raised():
    with pytest.raises(Overloaded):
        await Recorder().play(Scripted(*[[BUSY]] * 4))


@pytest.mark.parametrize("error", [AuthError("no"), ContextOverflow("long"), ValueError("a bug")])
async def test_what_time_does_not_heal_is_raised_at_once(error):
    recorder = Recorder()
    with pytest.raises(type(error)):
        await recorder.play(Scripted([error]))
    assert recorder.retries == []


@pytest.mark.parametrize("shown", [TextDelta("I "), ReasoningDelta("Hm"), ToolCallDelta("c1", "read", "")])
async def test_nothing_is_repeated_once_something_was_shown(shown):
    recorder = Recorder()
    with pytest.raises(NetworkError):
        await recorder.play(Scripted([shown, NetworkError("cut")]))
    assert recorder.retries == []


async def test_usage_of_a_failed_attempt_is_told_before_the_retry():
    events = await Recorder().play(Scripted([UsageSeen(Usage(input=5)), BUSY], [REPLY]))
    assert events == [UsageSeen(Usage(input=5)), REPLY]


async def test_a_stream_in_which_nothing_happens_is_cut():
    policy = RetryPolicy(max_retries=0, initial_backoff_seconds=1.0, quiet_seconds=0.05)
    provider = Scripted([UsageSeen(Usage(input=5)), 30.0])
    with pytest.raises(NetworkError, match=r"sent nothing for 0\.05 seconds"):
        await Recorder().play(provider, policy)
    assert provider.closed == 1


async def test_a_cancel_ends_the_wait_at_once():
    waiting = asyncio.Event()
    policy = RetryPolicy(max_retries=3, initial_backoff_seconds=3600.0, quiet_seconds=5.0)
    stream = stream_with_retry(
        Scripted([BUSY]), request(), policy, lambda *_: waiting.set(), chance=lambda: 1.0
    )
    task = asyncio.ensure_future(anext(stream))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_closing_the_stream_closes_the_provider():
    provider = Scripted([TextDelta("I "), 30.0])
    stream = stream_with_retry(provider, request(), POLICY, lambda *_: None)
    await anext(stream)
    await stream.aclose()
    assert provider.closed == 1


def test_the_policy_follows_the_settings():
    policy = RetryPolicy.from_settings(
        Settings(max_retries=2, initial_backoff_seconds=0.5, stream_idle_seconds=60)
    )
    assert policy == RetryPolicy(max_retries=2, initial_backoff_seconds=0.5, quiet_seconds=600)
