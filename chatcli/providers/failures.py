"""What a failed request means: HTTP status and the service's own code, mapped into `chatcli.errors`.

Never the prose of a message, with one exception that is named below. What a person reads is one
line that names the provider, and a hint; vendors' own words follow where they help, without keys.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from chatcli.errors import (
    AuthError,
    BadRequest,
    BillingError,
    ContentRefused,
    ContextOverflow,
    ModelNotFound,
    NetworkError,
    Overloaded,
    ProviderError,
    RateLimited,
)
from chatcli.i18n import _

_DETAIL_CHARS = 300
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

_BILLING_CODES = frozenset(
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
)
_OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"})
_REFUSED_CODES = frozenset({"content_filter", "content_policy_violation", "cyber_policy", "invalid_prompt"})
_MISSING_MODEL_CODES = frozenset({"model_not_found"})

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


class Service(Struct, frozen=True, kw_only=True):
    """What messages about a service need to know."""

    name: str
    model: str
    base_url: str
    key: str = ""
    """Only to keep it out of messages."""
    key_variable: str = ""
    local: bool = False
    """Ollama: there is nothing to pay and nothing to log in to, but something to start."""

    @property
    def on_this_machine(self) -> bool:
        """Proxies of the environment are for the outside: they cannot reach this machine's loopback."""
        return urlsplit(self.base_url).hostname in _LOOPBACK


class Failure(Struct, frozen=True, kw_only=True):
    """What an adapter knows about a failed request. `status` is 200 for an error inside a stream."""

    status: int
    code: str = ""
    type: str = ""
    detail: str = ""
    request_id: str = ""
    retry_after_seconds: float | None = None


def error_of(failure: Failure, service: Service) -> ProviderError:
    """The error to raise for a failed request."""
    codes = {failure.code, failure.type}
    status = failure.status if failure.status >= 400 else _status_inside_stream(failure)
    kind = _kind(status, codes, failure.detail)
    message, hint = _words(kind, status, service, _shown(failure.detail, service))
    return kind(
        message,
        hint=hint,
        provider=service.name,
        status=status,
        code=failure.code or failure.type,
        request_id=failure.request_id,
        retry_after_seconds=failure.retry_after_seconds,
    )


def no_connection(service: Service) -> NetworkError:
    """Nothing answers at the address of the service."""
    hint = _("Is it running? Start it with: ollama serve") if service.local else _("Is the network up?")
    return NetworkError(
        _("{provider}: no connection to {address}").format(provider=service.name, address=service.base_url),
        hint=hint,
        provider=service.name,
    )


def silent(provider: str, seconds: float) -> NetworkError:
    """The service sent nothing for too long."""
    return NetworkError(
        _("{provider} has sent nothing for {seconds:g} seconds.").format(provider=provider, seconds=seconds),
        hint=_("CHATCLI_STREAM_IDLE_TIMEOUT_SECONDS sets how long to wait."),
        provider=provider,
    )


def cut(service: Service) -> NetworkError:
    """The stream ended before the reply did."""
    return NetworkError(
        _("{provider}: the connection was lost in the middle of the reply.").format(provider=service.name),
        hint=_("Send the message again."),
        provider=service.name,
    )


def window_full(service: Service) -> ContextOverflow:
    """The model stopped because its window was full."""
    message, hint = _words(ContextOverflow, 0, service, "")
    return ContextOverflow(message, hint=hint, provider=service.name)


def missing_key(service: Service) -> AuthError:
    """No credentials for a service that needs them."""
    return AuthError(
        _("{provider} needs a key, and there is none.").format(provider=service.name),
        hint=_("Run `chatcli setup`, or set {variable}.").format(variable=service.key_variable),
        provider=service.name,
    )


def unusable_key(service: Service) -> AuthError:
    """The key holds characters that no header can carry: something else was pasted."""
    return AuthError(
        _("What is stored as the key of {provider} cannot be one.").format(provider=service.name),
        hint=_("Run `chatcli setup`, or check {variable}.").format(variable=service.key_variable),
        provider=service.name,
    )


def body_parts(body: object) -> tuple[str, str, str]:
    """Code, type and message of an error body, in any of the shapes that services use."""
    error: Any = body
    if isinstance(error, Mapping) and "error" in error:
        error = error["error"]
        if isinstance(error, str):
            return "", "", error
    if not isinstance(error, Mapping):
        return "", "", ""
    details, metadata = error.get("details"), error.get("metadata")
    code, type_, message = error.get("code"), error.get("type"), error.get("message")
    if isinstance(details, Mapping):
        code = details.get("error_code") or code
    own = "" if code is None else str(code), str(type_ or ""), str(message or "")
    return _upstream(metadata, own) if isinstance(metadata, Mapping) else own


def _upstream(metadata: Mapping[str, Any], own: tuple[str, str, str]) -> tuple[str, str, str]:
    """OpenRouter's own words are often only that the provider behind it failed: its answer is quoted."""
    if "flagged_input" in metadata:
        return "content_policy_violation", own[1], own[2]
    raw = metadata.get("raw")
    if not isinstance(raw, str):
        return own
    try:
        code, type_, message = body_parts(msgspec.json.decode(raw))
    except msgspec.DecodeError:
        return own[0], own[1], raw
    return (code, type_, message) if code or type_ else (own[0], own[1], message or own[2])


def retry_after_seconds(headers: Mapping[str, str], now_seconds: float | None = None) -> float | None:
    """How long the service asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        moment_seconds = parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
    return max(0.0, moment_seconds - (time.time() if now_seconds is None else now_seconds))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _status_inside_stream(failure: Failure) -> int:
    for code in (failure.code, failure.type):
        if code in _STATUS_OF_CODE:
            return _STATUS_OF_CODE[code]
        if code.isdecimal() and 400 <= int(code) < 600:
            return int(code)
    return 500


def _kind(status: int, codes: set[str], detail: str) -> type[ProviderError]:  # noqa: PLR0911
    if codes & _BILLING_CODES or status == 402:
        return BillingError
    if codes & _OVERFLOW_CODES or status == 413:
        return ContextOverflow
    if status == 400 and detail.startswith(_OVERFLOW_PREFIX):
        return ContextOverflow
    if codes & _REFUSED_CODES:
        return ContentRefused
    if codes & _MISSING_MODEL_CODES:
        return ModelNotFound
    match status:
        case 401 | 403:
            return AuthError
        case 404 | 410:
            return ModelNotFound
        case 429:
            return RateLimited
        case 408 | 409 | 425:
            return Overloaded
        case _:
            return Overloaded if status >= 500 else BadRequest


def _words(kind: type[ProviderError], status: int, service: Service, detail: str) -> tuple[str, str]:
    """The line and the hint for a person."""
    line, hint = _texts(kind, forbidden=status == 403, local=service.local)
    names = {
        "provider": service.name,
        "model": service.model,
        "status": status,
        "address": service.base_url,
        "variable": service.key_variable,
        "detail": detail or _("no reason given"),
    }
    return line.format(**names), hint.format(**names)


def _texts(kind: type[ProviderError], *, forbidden: bool, local: bool) -> tuple[str, str]:
    """Line and hint before their names are filled in; looked up now, in the language chosen by now."""
    if kind is AuthError and forbidden:
        line = _("{provider} does not allow this key to do that ({status}).")
        hint = _("Check what the key {variable} may do.")
    elif kind is AuthError:
        line = _("{provider} does not accept the key ({status}).")
        hint = _("Run `chatcli setup`, or check {variable}.")
    elif kind is BillingError:
        line = _("{provider}: no credit or quota is left ({status}).")
        hint = _("Add credit there, or use another provider with --provider.")
    elif kind is ContextOverflow:
        line = _("{provider}: the conversation does not fit the window of {model}.")
        hint = _("Start a new session with /clear, or use a model with a larger window.")
    elif kind is ModelNotFound:
        line = _("{provider} does not know the model {model} ({status} from {address}).")
        hint = _("Get it with: ollama pull {model}") if local else _("Choose another with --model or /model.")
    elif kind is ContentRefused:
        line, hint = _("{provider} refused the content: {detail}"), _("Put the request differently.")
    elif kind is RateLimited:
        line, hint = _("{provider}: too many requests ({status})."), _("Wait a little.")
    elif kind is Overloaded:
        line, hint = _("{provider} is failing or busy ({status})."), _("Try again in a moment.")
    else:
        line, hint = _("{provider} rejected the request ({status}): {detail}"), ""
    return line, hint


def _shown(detail: str, service: Service) -> str:
    """A vendor's words on one short line, without the key."""
    if service.key:
        detail = detail.replace(service.key, "***")
    line = "".join(char if char.isprintable() else " " for char in detail)
    line = " ".join(line.split())
    return line if len(line) <= _DETAIL_CHARS else line[: _DETAIL_CHARS - 1] + "…"
