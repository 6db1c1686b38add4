"""Bedrock: which surface, who asks, and Amazon's framing."""

from __future__ import annotations

import json
import sys

import pytest

from chatcli.errors import AuthError, BadRequest, NetworkError, Overloaded, RateLimited
from chatcli.providers import amazon
from chatcli.providers.bedrock import BedrockClaude, BedrockConverse, BedrockMantle, connect
from chatcli.providers.eventstream import messages
from tests.providers.conversation import receive, request, service
from tests.providers.loopback import Answer, loopback
from tests.wire.frames import exception, frame

OWN = "https://bedrock-runtime.{region}.amazonaws.com"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token"}


def connected(model, base_url=OWN, key="bearer", **environment):
    return connect(service("BEDROCK", model, base_url, key=key, cache="explicit"), environment)


@pytest.mark.parametrize(
    ("model", "environment", "adapter", "url"),
    [
        ("global.anthropic.claude-sonnet-5-5", {}, BedrockClaude, "bedrock-runtime.us-east-1.amazonaws.com"),
        (
            "us.anthropic.claude-opus-4-6-v1",
            {"AWS_REGION": "eu-west-1"},
            BedrockClaude,
            "bedrock-runtime.eu-west-1",
        ),
        ("anthropic.claude-sonnet-5-5", {}, BedrockMantle, "bedrock-mantle.us-east-1.api.aws"),
        ("global.anthropic.claude-sonnet-5", {}, BedrockMantle, "bedrock-mantle"),
        ("global.anthropic.claude-fable-5-2", {}, BedrockMantle, "bedrock-mantle"),
        (
            "global.anthropic.claude-sonnet-5-5",
            {"BEDROCK_ANTHROPIC_ENDPOINT": "mantle", "BEDROCK_MANTLE_BASE_URL": "https://m/anthropic"},
            BedrockMantle,
            "https://m",
        ),
        ("anthropic.claude-x", {"BEDROCK_ANTHROPIC_ENDPOINT": "invoke"}, BedrockClaude, "bedrock-runtime"),
        ("global.amazon.nova-2-lite-v1:0", {"BEDROCK_REGION": "sa-east-1"}, BedrockConverse, "sa-east-1"),
        ("meta.llama4-maverick-v1:0", {}, BedrockConverse, "bedrock-runtime"),
    ],
)
def test_the_model_decides_the_surface(model, environment, adapter, url):
    provider = connected(model, **environment)
    assert type(provider) is adapter
    assert url in provider._service.base_url


def test_mantle_knows_bare_ids_alone():
    assert connected("global.anthropic.claude-fable-5-2").model == "anthropic.claude-fable-5-2"


def test_only_nova_takes_breakpoints_on_converse():
    assert connected("us.amazon.nova-2-lite-v1:0").cache == "explicit"
    assert connected("meta.llama4-maverick-v1:0").cache == "none"


def test_the_region_of_the_profile_counts_when_the_environment_names_none(tmp_path):
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "config").write_text(
        "[default]\nregion = ap-south-1\n[profile work]\nregion = eu-central-1\n", encoding="utf-8"
    )
    assert amazon.region({"HOME": str(tmp_path)}) == "ap-south-1"
    assert amazon.region({"HOME": str(tmp_path), "AWS_PROFILE": "work"}) == "eu-central-1"
    assert amazon.region({"HOME": str(tmp_path / "no")}) == "us-east-1"
    (tmp_path / "broken").write_text("region", encoding="utf-8")
    assert amazon.region({"AWS_CONFIG_FILE": str(tmp_path / "broken")}) == "us-east-1"


async def test_a_key_needs_no_package_of_amazon(monkeypatch):
    monkeypatch.setitem(sys.modules, "botocore", None)
    async with loopback(Answer(pieces=(frame("messageStop", {"stopReason": "end_turn"}),))) as server:
        await receive(connected("amazon.nova-2-lite-v1:0", server.url))
        got = server.received[0]
    assert got.headers["authorization"] == "Bearer bearer"
    assert got.path == "/model/amazon.nova-2-lite-v1%3A0/converse-stream"


def test_without_a_key_and_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(amazon, "find_spec", lambda name: None)
    with pytest.raises(AuthError) as caught:
        connected("amazon.nova-2-lite-v1:0", key="")
    assert "chatcli[bedrock]" in caught.value.hint


async def test_requests_are_signed_with_credentials_of_the_environment():
    pytest.importorskip("botocore")
    answer = Answer(pieces=(frame("messageStop", {"stopReason": "end_turn"}),))
    async with loopback(answer) as server:
        await receive(
            connected("amazon.nova-2-lite-v1:0", server.url, key="", AWS_REGION="eu-west-1", **KEYS)
        )
        headers = server.received[0].headers
    proof = headers["authorization"]
    assert proof.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert "/eu-west-1/bedrock/aws4_request" in proof
    assert headers["x-amz-security-token"] == "token"


async def test_without_credentials_it_says_how_to_get_some(monkeypatch, tmp_path):
    pytest.importorskip("botocore")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    with pytest.raises(AuthError, match="no AWS credentials"):
        await receive(connected("amazon.nova-2-lite-v1:0", "http://127.0.0.1:9", key=""))


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (exception("throttlingException", "slow"), RateLimited),
        (exception("serviceUnavailableException", "busy"), Overloaded),
        (exception("modelStreamErrorException", "broke"), Overloaded),
        (exception("validationException", "wrong"), BadRequest),
    ],
)
@pytest.mark.parametrize("model", ["amazon.nova-2-lite-v1:0", "us.anthropic.claude-sonnet-5-5"])
async def test_failures_inside_the_stream(failure, kind, model):
    async with loopback(Answer(pieces=(failure,))) as server:
        with pytest.raises(kind) as caught:
            await receive(connected(model, server.url))
    assert type(caught.value) is kind


async def pieces(data, size):
    for i in range(0, len(data), size):
        yield data[i : i + size]


async def read(data, size=7):
    asked = service("BEDROCK", "m")
    return [message async for message in messages(pieces(data, size), asked)]


@pytest.mark.parametrize("size", [1, 5, 10_000])
async def test_messages_come_whole_however_they_are_cut(size):
    data = frame("contentBlockDelta", {"delta": {"text": "日本"}}) + exception("throttlingException", "slow")
    first, second = await read(data, size)
    assert first.headers[":event-type"] == "contentBlockDelta"
    assert json.loads(first.payload) == {"delta": {"text": "日本"}}
    assert second.headers[":exception-type"] == "throttlingException"


@pytest.mark.parametrize("broken_at", [3, 9, 20, -6, -1])
async def test_a_wrong_byte_is_noticed(broken_at):
    data = bytearray(frame("messageStop", {"stopReason": "end_turn"}))
    data[broken_at] ^= 1
    with pytest.raises(NetworkError):
        await read(bytes(data))


async def test_half_a_message_is_a_cut_stream():
    with pytest.raises(NetworkError):
        await read(frame("messageStop", {"stopReason": "end_turn"})[:-3])


async def test_amazons_own_reader_and_ours_agree_on_the_framing():
    eventstream = pytest.importorskip("botocore.eventstream")
    data = frame("metadata", {"usage": {"inputTokens": 3}}) + exception("throttlingException", "slow")
    buffer = eventstream.EventStreamBuffer()
    buffer.add_data(data)
    theirs = [(message.headers, message.payload) for message in buffer]
    assert [(message.headers, message.payload) for message in await read(data)] == theirs


async def test_a_model_that_stops_for_a_broken_call_is_asked_again():
    stop = frame("messageStop", {"stopReason": "malformed_tool_use"})
    async with loopback(Answer(pieces=(stop,))) as server:
        with pytest.raises(Overloaded):
            await receive(connected("amazon.nova-2-lite-v1:0", server.url), request(model="m"))
