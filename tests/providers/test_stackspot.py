"""StackSpot: client credentials, and one text."""

from __future__ import annotations

import pytest

from chatcli.agent.text_protocol.rendering import as_text
from chatcli.errors import AuthError, Overloaded
from chatcli.messages import AssistantMessage, Text, Usage
from chatcli.providers.credentials import Credential
from chatcli.providers.stackspot import connect
from chatcli.providers.stackspot_body import render
from tests.providers.conversation import call, receive, request, result, service, user
from tests.providers.loopback import loopback, refusal, sse

GRANTED = refusal(200, {"access_token": "t-1", "expires_in": 1200})
DONE = sse({"message": "Olá."}, {"stop_reason": "stop", "tokens": {"user": 5, "enrichment": 2, "output": 3}})


def agent(url):
    asked = service("STACKSPOT", "01AGENT", url, key="secret")
    environment = {"STACKSPOT_AUTH_URL": url, "STACKSPOT_REALM": "acme"}
    return connect(asked, environment, lambda names: Credential("client", "environment", names[0]))


async def test_the_secret_goes_to_the_identity_service_alone():
    async with loopback(GRANTED, DONE, DONE) as server:
        provider = agent(server.url)
        for _ in range(2):
            events = [event async for event in provider.stream(request(model="01AGENT"))]
        await provider.aclose()
        granted, *asked = server.received
    assert granted.path == "/acme/oidc/oauth/token"
    assert granted.body == b"grant_type=client_credentials&client_id=client&client_secret=secret"
    assert {one.path for one in asked} == {"/v1/agent/01AGENT/chat"}
    assert {one.headers["authorization"] for one in asked} == {"Bearer t-1"}
    assert events[-1].usage == Usage(input=7, output=3)


async def test_a_token_refused_before_its_time_is_renewed_once():
    expired = refusal(401, {"message": "expired"})
    async with loopback(GRANTED, expired, GRANTED, DONE) as server:
        _, reply = await receive(agent(server.url))
        assert len(server.received) == 4
    assert reply.parts == (Text("Olá."),)


async def test_a_wrong_secret_is_told_at_once():
    async with loopback(refusal(401, {"error": "unauthorized_client"})) as server:
        with pytest.raises(AuthError):
            await receive(agent(server.url))


async def test_an_error_inside_the_stream():
    async with loopback(GRANTED, sse('event: error\ndata: {"message": "broke"}\n\n')) as server:
        with pytest.raises(Overloaded):
            await receive(agent(server.url))


def test_the_conversation_is_one_text_that_only_grows():
    said = AssistantMessage(seq=2, parts=(Text("I look."), call("c1")), provider="X", model="m")
    messages = (user(1, "Go."), said, result(3, "c1", "print()"), user(4, "And?"))
    whole = render(as_text(request(*messages)))["user_prompt"]
    assert whole.startswith(render(as_text(request(*messages[:3])))["user_prompt"])
    assert whole.startswith("Be brief.\n\n# Tools\n")
    assert whole.endswith(
        "# User\nGo.\n\n# Assistant\nI look.\n\n"
        """<tool_call name="@read" args='{"file": "a.py"}' />\n\n"""
        """# User\n<tool_result- call="1" name="@read">\nprint()\n</tool_result->\n\n# User\nAnd?"""
    )
