"""What services say about a request that failed: bodies of many shapes, and how long to wait."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec
from msgspec import Struct


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
    return Failure(
        status=status,
        code=code,
        type=type_,
        detail=detail,
        request_id=headers.get("request-id") or headers.get("x-request-id") or "",
        retry_after_seconds=retry_after_seconds(headers),
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
