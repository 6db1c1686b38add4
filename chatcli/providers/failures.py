"""What a failed request means: HTTP status and the service's own code, mapped into `chatcli.errors`.

Never the prose of a message, with one exception that is named below.
"""

from __future__ import annotations

from chatcli.errors import (
    AuthError,
    BadRequest,
    BillingError,
    ContentRefused,
    ContextOverflow,
    ModelNotFound,
    Overloaded,
    ProviderError,
    RateLimited,
)
from chatcli.providers.complaints import words
from chatcli.providers.error_bodies import Failure
from chatcli.providers.service import Service

_KINDS_BY_CODE: dict[type[ProviderError], frozenset[str]] = {
    BillingError: frozenset(
        {
            "insufficient_quota",
            "billing_hard_limit_reached",
            "billing_not_active",
            "billing_error",
            "contract_spend_limit_reached",
            "enforced_spend_limit_reached",
            "linked_organization_spend_limit_reached",
            "linked_organization_billing_unavailable",
            "organization_on_hold",
        }
    ),
    ContextOverflow: frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"}),
    ContentRefused: frozenset(
        {"content_filter", "content_policy_violation", "cyber_policy", "bio_policy", "invalid_prompt"}
    ),
    ModelNotFound: frozenset({"model_not_found"}),
}
"""Codes say more than statuses: services give 400 and 429 for many things."""

_KINDS_BY_STATUS: dict[int, type[ProviderError]] = {
    401: AuthError,
    402: BillingError,
    403: AuthError,
    404: ModelNotFound,
    408: Overloaded,
    409: Overloaded,
    410: ModelNotFound,
    413: ContextOverflow,
    425: Overloaded,
    429: RateLimited,
}

_STATUS_OF_CODE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""For errors inside a stream, whose HTTP status was 200. OpenRouter's codes are statuses themselves."""

_OVERFLOW_PREFIX = "prompt is too long"
"""Anthropic has no code for it: its documentation gives this beginning of the message, with status 400."""


def error_of(failure: Failure, service: Service) -> ProviderError:
    """The error to raise for a failed request."""
    codes = {failure.code, failure.type}
    status = failure.status if failure.status >= 400 else _status_inside_stream(failure)
    kind = _kind(status, codes, failure.detail)
    message, hint = words(kind, status, service, failure.detail)
    return kind(
        message,
        hint=hint,
        provider=service.name,
        status=status,
        code=failure.code or failure.type,
        request_id=failure.request_id,
        retry_after_seconds=failure.retry_after_seconds,
    )


def _status_inside_stream(failure: Failure) -> int:
    for code in (failure.code, failure.type):
        if code in _STATUS_OF_CODE:
            return _STATUS_OF_CODE[code]
        if code.isdecimal() and 400 <= int(code) < 600:
            return int(code)
    return 500


def _kind(status: int, codes: set[str], detail: str) -> type[ProviderError]:
    for kind, known in _KINDS_BY_CODE.items():
        if codes & known:
            return kind
    if status == 400 and detail.startswith(_OVERFLOW_PREFIX):
        return ContextOverflow
    return _KINDS_BY_STATUS.get(status, Overloaded if status >= 500 else BadRequest)
