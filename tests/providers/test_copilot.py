"""Copilot: a token of minutes, and the wire that the service names for a model."""

from __future__ import annotations

import time

import pytest
from msgspec import structs

from chatcli.errors import AuthError
from chatcli.messages import AssistantMessage, Text, UserMessage
from chatcli.providers.anthropic_messages import AnthropicMessages
from chatcli.providers.copilot import Copilot, headers
from chatcli.providers.openai_chat import OpenAIChat
from chatcli.providers.openai_chat_body import Dialect
from chatcli.providers.openai_responses import OpenAIResponses
from tests.providers.conversation import call, receive, request, result, service, user
from tests.providers.loopback import loopback, refusal, sse

GRANTED = {"token": "tid=1", "expires_at": time.time() + 1800, "endpoints": {"api": "http://elsewhere"}}
DONE = sse({"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]}, "data: [DONE]\n\n")
REFUSED = refusal(401, {"error": {"message": "IDE token expired"}})


def copilot(url, model="gpt-5.4", **given):
    asked = service("COPILOT", model, url, key="ghu_1", window_tokens=922_000, **given)
    return Copilot(asked, Dialect(limit_name=""), redirected=True)


def listed(model="gpt-5.4", *endpoints, **limits):
    limits = {"max_prompt_tokens": 264_000, "max_output_tokens": 64_000, **limits}
    row = {"id": model, "supported_endpoints": list(endpoints), "capabilities": {"limits": limits}}
    return refusal(200, {"data": [row]})


async def test_the_token_is_exchanged_once_and_used_for_everything():
    async with loopback(refusal(200, GRANTED), listed(), DONE, DONE) as server:
        provider = copilot(server.url)
        for _ in range(2):
            [event async for event in provider.stream(request(model="gpt-5.4"))]
        await provider.aclose()
        got = server.received
    assert [one.path for one in got] == [
        "/copilot_internal/v2/token",
        "/models",
        "/chat/completions",
        "/chat/completions",
    ]
    assert got[0].headers["authorization"] == "token ghu_1"
    assert {one.headers["authorization"] for one in got[1:]} == {"Bearer tid=1"}
    assert all(one.headers["copilot-integration-id"] for one in got)


async def test_a_refused_token_is_exchanged_once_more():
    answers = (refusal(200, GRANTED), listed(), REFUSED, refusal(200, GRANTED), listed(), DONE)
    async with loopback(*answers) as server:
        _, reply = await receive(copilot(server.url), request(model="gpt-5.4"))
    assert reply.parts == (Text("Hi."),)


async def test_a_token_refused_twice_is_the_users_to_mend():
    answers = (refusal(200, GRANTED), listed(), REFUSED) * 2
    async with loopback(*answers) as server:
        with pytest.raises(AuthError):
            await receive(copilot(server.url), request(model="gpt-5.4"))
        assert len(server.received) == 6


async def test_without_a_subscription_nothing_is_tried_again():
    forbidden = refusal(403, {"error": {"message": "no access"}})
    async with loopback(refusal(200, GRANTED), listed(), forbidden) as server:
        with pytest.raises(AuthError):
            await receive(copilot(server.url), request(model="gpt-5.4"))
        assert len(server.received) == 3


async def test_a_token_that_is_about_to_expire_is_exchanged_before_it_does():
    soon = {**GRANTED, "expires_at": time.time() + 30}
    async with loopback(refusal(200, soon), listed(), DONE, refusal(200, GRANTED), listed(), DONE) as server:
        provider = copilot(server.url)
        for _ in range(2):
            [event async for event in provider.stream(request(model="gpt-5.4"))]
        await provider.aclose()
        assert len(server.received) == 6


async def test_a_token_of_another_kind_is_used_as_it_is():
    async with loopback(refusal(404, {"message": "Not Found"}), listed(), DONE) as server:
        await receive(copilot(server.url), request(model="gpt-5.4"))
        assert server.received[2].headers["authorization"] == "Bearer ghu_1"


@pytest.mark.parametrize(
    ("endpoints", "adapter"),
    [
        ((), OpenAIChat),
        (("/chat/completions",), OpenAIChat),
        (("/chat/completions", "/responses"), OpenAIResponses),
        (("/chat/completions", "/v1/messages"), AnthropicMessages),
    ],
)
async def test_the_list_names_the_wire_and_the_window(endpoints, adapter):
    async with loopback(refusal(200, GRANTED), listed("gpt-5.4", *endpoints)) as server:
        provider = copilot(server.url)
        made = await provider._ready()
        await provider.aclose()
    assert type(made) is adapter
    assert provider.window_tokens == 264_000


async def test_a_window_that_the_user_set_stays():
    async with loopback(refusal(200, GRANTED), listed()) as server:
        provider = copilot(server.url, window_given=True)
        await provider._ready()
        await provider.aclose()
    assert provider.window_tokens == 922_000


def test_the_service_is_told_who_asks():
    said = AssistantMessage(seq=2, parts=(call("c1"),), provider="COPILOT", model="gpt-5.4")
    asked = request(user(1, "Go."), said, result(3, "c1", "A"))
    assert headers(asked)["X-Initiator"] == "agent"
    assert headers(request(user(1, "Go.")))["X-Initiator"] == "user"
    notice = UserMessage(seq=4, parts=(Text("Go on where you stopped.", origin="notice"),))
    assert headers(structs.replace(asked, messages=(*asked.messages, notice)))["X-Initiator"] == "agent"
