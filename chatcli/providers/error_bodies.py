"""What services say about a request that failed: bodies of many shapes, and how long to wait."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec
from msgspec import Struct

from chatcli.providers.error_codes import QUOTA_OF_THE_DAY

_AMAZON_TYPE = "x-amzn-errortype"
_REQUEST_ID = ("request-id", "x-request-id", "x-amzn-requestid")
_MINIMAX_CODE = re.compile(r"\((\d{4})\)$")
"""On other wires than its own, MiniMax puts its code at the end of the message: `... (1008)`."""


class Failure(Struct, frozen=True, kw_only=True):
    """One failed request. `status` is 200 for an error inside a stream or in place of one."""

    status: int
    code: str = ""
    type: str = ""
    detail: str = ""
    """The service's own words."""
    request_id: str = ""
    retry_after_seconds: float | None = None


def failure_of(status: int, body: object, headers: Mapping[str, str] | None = None) -> Failure:
    """From a decoded body, or from bytes that may be JSON."""
    headers = headers or {}
    if isinstance(body, bytes):
        try:
            body = msgspec.json.decode(body)
        except msgspec.DecodeError:
            body = None
    code, type_, detail = body_parts(body)
    wait_seconds = retry_after_seconds(headers)
    return Failure(
        status=status,
        code=code,
        type=type_ or headers.get(_AMAZON_TYPE, "").partition(":")[0],
        detail=detail,
        request_id=next((headers[name] for name in _REQUEST_ID if headers.get(name)), ""),
        retry_after_seconds=retry_info_seconds(body) if wait_seconds is None else wait_seconds,
    )


def body_parts(body: object) -> tuple[str, str, str]:
    """Code, type and message of an error body, in any of the shapes that services use."""
    error: Any = body[0] if isinstance(body, list) and body else body
    if isinstance(error, Mapping) and "error" in error:
        outer, error = error, error["error"]
        if isinstance(error, str):
            return str(outer.get("code") or ""), "", error
    if not isinstance(error, Mapping):
        return "", "", ""
    details, metadata, minimax = error.get("details"), error.get("metadata"), error.get("base_resp")
    if isinstance(minimax, Mapping):
        return str(minimax.get("status_code") or ""), "", str(minimax.get("status_msg") or "")
    code, message = error.get("code"), error.get("message") or error.get("Message")
    type_ = error.get("type") or error.get("status")
    if isinstance(details, Mapping):
        code = details.get("error_code") or code
    if isinstance(details, list):
        code = google_reason(details) or code
    if isinstance(message, str) and (found := _MINIMAX_CODE.search(message)):
        code = code or found[1]
    own = "" if code is None else str(code), str(type_ or ""), str(message or "")
    return _upstream(metadata, own) if isinstance(metadata, Mapping) else own


def google_reason(details: Sequence[Any]) -> str:
    """Google's own reason, or that the quota of a day is used up: no waiting of ours helps then."""
    for detail in details:
        match detail:
            case {"violations": list(violations)} if any(
                "PerDay" in str(violation.get("quotaId", "")) for violation in violations
            ):
                return QUOTA_OF_THE_DAY
            case {"reason": str(reason)}:
                return reason
    return ""


def retry_info_seconds(body: object) -> float | None:
    """Google says in the body how long to wait: `{"@type": ".../RetryInfo", "retryDelay": "34.5s"}`."""
    match body[0] if isinstance(body, list) and body else body:
        case {"error": {"details": list(details)}}:
            delays = [detail.get("retryDelay") for detail in details if isinstance(detail, Mapping)]
            return next((_number(delay.rstrip("s")) for delay in delays if isinstance(delay, str)), None)
    return None


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
