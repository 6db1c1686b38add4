"""What a failed request means, and what a person reads about it."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from chatcli.errors import (
    AuthError,
    BadRequest,
    BillingError,
    ContentRefused,
    ContextOverflow,
    ModelNotFound,
    Overloaded,
    RateLimited,
)
from chatcli.providers.complaints import missing_key
from chatcli.providers.error_bodies import Failure, body_parts, failure_of, retry_after_seconds
from chatcli.providers.failures import error_of
from tests.providers.conversation import service

CLAUDE = service("CLAUDEAI", "claude-sonnet-5-5", key="sk-ant-secret")


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (Failure(status=400), BadRequest),
        (Failure(status=422), BadRequest),
        (Failure(status=401), AuthError),
        (Failure(status=403), AuthError),
        (Failure(status=402), BillingError),
        (Failure(status=429), RateLimited),
        (Failure(status=429, code="insufficient_quota"), BillingError),
        (Failure(status=400, type="billing_error"), BillingError),
        (Failure(status=404), ModelNotFound),
        (Failure(status=400, code="model_not_found"), ModelNotFound),
        (Failure(status=413), ContextOverflow),
        (Failure(status=400, code="context_length_exceeded"), ContextOverflow),
        (Failure(status=400, type="exceed_context_size_error"), ContextOverflow),
        (Failure(status=400, detail="prompt is too long: 9 tokens > 8 maximum"), ContextOverflow),
        (Failure(status=400, detail="the prompt is too long"), BadRequest),
        (Failure(status=400, code="content_policy_violation"), ContentRefused),
        *((Failure(status=status), Overloaded) for status in (408, 409, 425, 500, 502, 503, 504, 529)),
        (Failure(status=200, type="overloaded_error"), Overloaded),
        (Failure(status=200, type="rate_limit_error"), RateLimited),
        (Failure(status=200, code="429"), RateLimited),
        (Failure(status=200, code="402"), BillingError),
        (Failure(status=200, code="rate_limit_exceeded"), RateLimited),
        (Failure(status=200, type="invalid_request_error"), BadRequest),
        (Failure(status=200, detail="what?"), Overloaded),
    ],
)
def test_status_and_code_decide(failure, kind):
    assert type(error_of(failure, CLAUDE)) is kind


@pytest.mark.parametrize(
    ("provider", "failure", "kind"),
    [
        ("ZAI", Failure(status=429, code="1113"), BillingError),
        ("ZAI", Failure(status=429, code="1302"), RateLimited),
        ("ZAI", Failure(status=429, code="1305"), Overloaded),
        ("ZAI", Failure(status=400, code="1261"), ContextOverflow),
        ("ZAI", Failure(status=400, code="1211"), ModelNotFound),
        ("ZAI", Failure(status=400, code="1301"), ContentRefused),
        ("MINIMAX", failure_of(500, {"error": {"message": "insufficient balance (1008)"}}), BillingError),
        ("MINIMAX", failure_of(200, {"base_resp": {"status_code": 1002, "status_msg": "rpm"}}), RateLimited),
        ("MINIMAX", Failure(status=401, type="authorized_error"), AuthError),
        ("MOONSHOT", Failure(status=429, type="exceeded_current_quota_error"), BillingError),
        ("MOONSHOT", Failure(status=429, type="engine_overloaded_error"), Overloaded),
        ("MOONSHOT", Failure(status=429, type="rate_limit_reached_error"), RateLimited),
        ("MOONSHOT", Failure(status=403), BillingError),
        ("COPILOT", Failure(status=402, code="quota_exceeded"), BillingError),
        ("COPILOT", Failure(status=400, code="model_max_prompt_tokens_exceeded"), ContextOverflow),
        ("COPILOT", Failure(status=403), AuthError),
        ("BEDROCK", failure_of(400, b"{}", {"x-amzn-errortype": "ValidationException:http://x"}), BadRequest),
        ("BEDROCK", Failure(status=429, type="ModelNotReadyException"), Overloaded),
        ("BEDROCK", Failure(status=403, type="ExpiredTokenException"), AuthError),
        ("XAI", failure_of(404, {"code": "not-found", "error": "no such model"}), ModelNotFound),
        ("OPENAI", Failure(status=429, code="1113"), RateLimited),
    ],
)
def test_codes_mean_what_their_vendor_says(provider, failure, kind):
    assert type(error_of(failure, service(provider, "m"))) is kind


@pytest.mark.parametrize(("request_bytes", "kind"), [(10_000, BadRequest), (300_000, ContextOverflow)])
def test_without_a_code_the_size_tells_an_overflow(request_bytes, kind):
    asked = service("XAI", "m", window_tokens=128_000)
    assert type(error_of(Failure(status=400), asked, request_bytes=request_bytes)) is kind
    assert type(error_of(Failure(status=429), asked, request_bytes=request_bytes)) is RateLimited


def test_an_error_carries_what_is_known():
    failure = Failure(status=429, type="rate_limit_error", request_id="req_1", retry_after_seconds=3.0)
    error = error_of(failure, CLAUDE)
    assert (error.provider, error.status, error.code, error.request_id, error.retry_after_seconds) == (
        "CLAUDEAI",
        429,
        "rate_limit_error",
        "req_1",
        3.0,
    )


def test_a_person_reads_one_line_without_the_key():
    detail = "messages.0:\n\x1b[31m bad \x07 sk-ant-secret " + "x" * 1000
    message = error_of(Failure(status=400, detail=detail), CLAUDE).message
    assert message.startswith("CLAUDEAI rejected the request (400): messages.0: [31m bad *** xxx")
    assert message.isprintable()
    assert len(message) < 400


def test_braces_in_foreign_words_are_no_placeholders():
    assert "{provider} {0}" in error_of(Failure(status=400, detail="{provider} {0}"), CLAUDE).message


def test_a_page_of_a_proxy_is_no_reason():
    failure = failure_of(502, b"<html>Bad gateway</html>", {"x-request-id": "req_2"})
    assert failure == Failure(status=502, request_id="req_2")
    assert error_of(failure, CLAUDE).message == "CLAUDEAI is failing or busy (502)."


def test_a_key_that_may_not_do_this_is_not_called_wrong():
    assert "does not allow" in error_of(Failure(status=403), CLAUDE).message


def test_the_key_is_not_in_what_a_traceback_shows():
    assert "sk-ant-secret" not in repr(CLAUDE)


def test_what_a_person_can_do_is_said():
    assert "chatcli setup" in missing_key(CLAUDE).hint
    assert "THE_KEY" in missing_key(CLAUDE).hint
    unknown = error_of(Failure(status=404), CLAUDE)
    assert "claude-sonnet-5-5" in unknown.message
    assert "/model" in unknown.hint


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ({"type": "error", "error": {"type": "api_error", "message": "m"}}, ("", "api_error", "m")),
        ({"error": {"code": 502, "message": "m"}}, ("502", "", "m")),
        ({"code": "c", "type": "t", "message": "m"}, ("c", "t", "m")),
        (
            {"error": {"type": "billing_error", "details": {"error_code": "organization_on_hold"}}},
            ("organization_on_hold", "billing_error", ""),
        ),
        (
            {
                "error": {
                    "code": 400,
                    "message": "Provider returned error",
                    "metadata": {
                        "raw": '{"error":{"code":"context_length_exceeded","message":"too long"}}',
                        "provider_name": "OpenAI",
                    },
                }
            },
            ("context_length_exceeded", "", "too long"),
        ),
        (
            {"error": {"code": 400, "message": "Provider returned error", "metadata": {"raw": "no JSON"}}},
            ("400", "", "no JSON"),
        ),
        (
            {"error": {"code": 403, "message": "flagged", "metadata": {"flagged_input": "..."}}},
            ("content_policy_violation", "", "flagged"),
        ),
        ({"error": "model not found"}, ("", "", "model not found")),
        ({"code": "c", "error": "said by xAI"}, ("c", "", "said by xAI")),
        (
            [{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "m"}}],
            ("400", "INVALID_ARGUMENT", "m"),
        ),
        ({"error": {"code": 429, "details": [{"reason": "R"}]}}, ("R", "", "")),
        ({"Message": "of Amazon"}, ("", "", "of Amazon")),
        ({"error": None}, ("", "", "")),
        ("<html>", ("", "", "")),
        (None, ("", "", "")),
    ],
)
def test_error_bodies_of_any_shape_are_understood(body, parts):
    assert body_parts(body) == parts


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": formatdate(1_000_030, usegmt=True)}, 30.0),
        ({"retry-after": formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers, seconds):
    assert retry_after_seconds(headers, now_seconds=1_000_000) == seconds
