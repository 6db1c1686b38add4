"""What a failed request means: HTTP status and the service's own code, mapped into `chatcli.errors`.

Never the prose of a message, with one exception that is named below.
"""

from __future__ import annotations

from chatcli.errors import (
    AuthError,
    BadRequest,
    BillingError,
    ContextOverflow,
    ModelNotFound,
    Overloaded,
    ProviderError,
    RateLimited,
)
from chatcli.providers.complaints import words
from chatcli.providers.error_bodies import Failure
from chatcli.providers.error_codes import kind_of
from chatcli.providers.service import Service

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
    "ValidationException": 400,
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
_MIN_BYTES_PER_TOKEN = 2
"""A rejected request of more bytes than this for each token of the window was too long."""


def error_of(failure: Failure, service: Service, *, request_bytes: int = 0) -> ProviderError:
    """The error to raise for a failed request.

    `request_bytes` is the size of what was sent, without images: most services have no code for a
    prompt that is too long, and only its size tells it from a request of a wrong form.
    """
    status = failure.status if failure.status >= 400 else _status_inside_stream(failure)
    kind = _kind(failure, status, service)
    if kind is BadRequest and request_bytes > service.window_tokens * _MIN_BYTES_PER_TOKEN:
        kind = ContextOverflow
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


def _kind(failure: Failure, status: int, service: Service) -> type[ProviderError]:
    if kind := kind_of(service.name, {failure.code, failure.type}, status):
        return kind
    if status == 400 and failure.detail.startswith(_OVERFLOW_PREFIX):
        return ContextOverflow
    return _KINDS_BY_STATUS.get(status, Overloaded if status >= 500 else BadRequest)
