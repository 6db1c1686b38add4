"""Amazon's and Anthropic's own clients read what the scripted Bedrock sends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.script import Reply, call, reply, think
from tests.wire.server import WireServer, serve
from tests.wire.service_bodies import service_body
from tests.wire.wires import KEY

TURN: Reply = reply(think("Hm."), "Olá ", "✓", call("read", file="é.py"))


@pytest.fixture
def amazon(monkeypatch):
    """A client of Bedrock's runtime, made by botocore from Amazon's own description of the service."""
    session = pytest.importorskip("botocore.session")
    from botocore import UNSIGNED
    from botocore.config import Config

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def add_key(params: dict[str, Any], **_: Any) -> None:
        params["headers"]["Authorization"] = f"Bearer {KEY}"  # botocore itself sends it over HTTPS alone

    def connected(server: WireServer) -> Any:
        client = session.get_session().create_client(
            "bedrock-runtime",
            region_name="us-east-1",
            endpoint_url=f"{server.url}/bedrock",
            config=Config(signature_version=UNSIGNED),
        )
        client.meta.events.register("before-call.bedrock-runtime.ConverseStream", add_key)
        return client

    return connected


def test_botocore_reads_converse(amazon):
    with serve([TURN]) as server:
        answer = amazon(server).converse_stream(
            modelId="global.amazon.nova-2-lite-v1:0", **service_body("converse")
        )
        events = list(answer["stream"])
    deltas = [event["contentBlockDelta"]["delta"] for event in events if "contentBlockDelta" in event]
    assert "".join(delta.get("text", "") for delta in deltas) == "Olá ✓"
    assert deltas[0]["reasoningContent"]["text"] == "Hm."
    assert "".join(d["toolUse"]["input"] for d in deltas if "toolUse" in d) == '{"file": "é.py"}'
    assert events[-2]["messageStop"]["stopReason"] == "tool_use"
    assert events[-1]["metadata"]["usage"]["outputTokens"] > 0
    assert server.violations == []


def test_botocore_knows_the_errors_by_name(amazon):
    exceptions = pytest.importorskip("botocore.exceptions")
    body = service_body("converse")
    body["messages"].pop()
    with serve([TURN]) as server, pytest.raises(exceptions.ClientError) as caught:
        amazon(server).converse_stream(modelId="global.amazon.nova-2-lite-v1:0", **body)
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_anthropics_client_reads_invoke_model():
    pytest.importorskip("botocore")
    import anthropic

    with serve([TURN]) as server:
        client = anthropic.AnthropicBedrock(
            api_key=KEY, aws_region="us-east-1", base_url=f"{server.url}/bedrock", max_retries=0
        )
        body = service_body("bedrock")
        del body["anthropic_version"]
        with client.messages.stream(model="global.anthropic.claude-sonnet-5-5", **body) as stream:
            message = stream.get_final_message()
        client.close()
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
    assert message.content[1].text == "Olá ✓"
