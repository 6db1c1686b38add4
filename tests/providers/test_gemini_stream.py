"""Gemini's stream: parts with and without signatures, ends of many kinds, errors."""

from __future__ import annotations

import pytest

from chatcli.errors import AuthError, BillingError, NetworkError, Overloaded, RateLimited
from chatcli.messages import Reasoning, Text, ToolCall, Usage
from chatcli.providers.gemini_native import GeminiNative
from tests.providers.conversation import receive, request, service, user
from tests.providers.loopback import in_pieces, loopback, refusal, sse

USAGE = {"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 9}


def provider(url: str) -> GeminiNative:
    return GeminiNative(service("GOOGLEAI", "gemini-3.8-flash", f"{url}/v1beta"))


def chunk(*parts, **candidate):
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, **candidate}],
        "usageMetadata": USAGE,
        "modelVersion": "gemini-3.8-flash",
    }


async def received(*chunks):
    async with loopback(sse(*chunks)) as server:
        _, reply = await receive(provider(server.url), request(user(1, "Hi."), model="gemini-3.8-flash"))
        got = server.received[0]
    assert got.path == "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse"
    assert got.headers["x-goog-api-key"] == "sk-secret"
    return reply


async def test_neighbours_are_one_part_and_a_signature_parts_them():
    reply = await received(
        chunk({"text": "H", "thought": True}),
        chunk({"text": "m.", "thought": True, "thoughtSignature": "s1"}),
        chunk({"text": "Olá, "}, {"text": "você"}),
        chunk({"text": ".", "thoughtSignature": "s2"}),
        chunk({"text": "", "thoughtSignature": "s3"}, finishReason="STOP"),
    )
    assert reply.parts == (
        Reasoning(text="Hm.", opaque={"thoughtSignature": "s1"}),
        Text("Olá, você"),
        Text("."),
        Reasoning(opaque={"thoughtSignature": "s2", "signs_text": True}),
        Reasoning(opaque={"thoughtSignature": "s3"}),
    )
    assert reply.usage == Usage(input=40, cache_read=60, output=9)


async def test_calls_with_and_without_ids():
    reply = await received(
        chunk({"functionCall": {"name": "tree"}, "thoughtSignature": "s"}),
        chunk({"functionCall": {"id": "given", "name": "read", "args": {"file": "é"}}}, finishReason="STOP"),
    )
    assert reply.stop_reason == "tool_calls"
    assert reply.parts == (
        ToolCall(id="call_1_1", name="tree", extra={"thoughtSignature": "s"}),
        ToolCall(id="given", name="read", arguments_json='{"file":"é"}', extra={"id": "given"}),
    )


@pytest.mark.parametrize("reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT"])
async def test_refused_answers(reason):
    assert (await received(chunk({"text": "I"}, finishReason=reason))).stop_reason == "refusal"


async def test_a_refused_prompt_has_no_candidates():
    reply = await received({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": USAGE})
    assert (reply.parts, reply.stop_reason) == ((), "refusal")


async def test_a_call_that_cannot_be_read_is_worth_another_try():
    with pytest.raises(Overloaded) as caught:
        await received(chunk(finishReason="MALFORMED_FUNCTION_CALL"))
    assert caught.value.retryable


async def test_a_stream_without_an_end_was_cut():
    with pytest.raises(NetworkError):
        await received(chunk({"text": "I"}))


async def test_bytes_may_be_cut_anywhere():
    answer = in_pieces(sse(chunk({"text": "日本é🙂"}, finishReason="STOP")), 3)
    async with loopback(answer) as server:
        _, reply = await receive(provider(server.url))
    assert reply.parts == (Text("日本é🙂"),)


def failure(status, code, *details):
    return refusal(status, {"error": {"code": status, "message": "no", "status": code, "details": details}})


QUOTA = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}
MINUTE = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateContentInputTokensPerModelPerMinute"}],
}
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("answer", "kind", "retry_after_seconds"),
    [
        (failure(429, "RESOURCE_EXHAUSTED", MINUTE, RETRY), RateLimited, 34.5),
        (failure(429, "RESOURCE_EXHAUSTED", QUOTA, RETRY), BillingError, 34.5),
        (failure(400, "INVALID_ARGUMENT", BAD_KEY), AuthError, None),
        (failure(503, "UNAVAILABLE"), Overloaded, None),
        (failure(400, "FAILED_PRECONDITION"), BillingError, None),
        (sse({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}), Overloaded, None),
    ],
)
async def test_failures_by_status_reason_and_quota(answer, kind, retry_after_seconds):
    async with loopback(answer) as server:
        with pytest.raises(kind) as caught:
            await receive(provider(server.url))
    assert type(caught.value) is kind
    assert caught.value.retry_after_seconds == retry_after_seconds
