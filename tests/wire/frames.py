"""Amazon's framing of streams, written by hand, and its errors.

A message: length of all, length of the headers, checksum of both, headers, payload, checksum of all.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from tests.wire.http1 import HttpAnswer
from tests.wire.refuse import Rejected
from tests.wire.script import Failure

_FAILURES = {
    "rate_limit": (429, "ThrottlingException", "Too many requests, please wait before trying again."),
    "overloaded": (503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
    "server_error": (500, "InternalServerException", "The system encountered an unexpected error."),
    "overflow": (400, "ValidationException", "Input is too long for requested model."),
    "no_credit": (400, "ServiceQuotaExceededException", "Your account has used up its quota."),
    "other": (400, "ValidationException", "Bad request"),
}
_KINDS = {400: "ValidationException", 401: "UnrecognizedClientException", 404: "ResourceNotFoundException"}


def frame(event: str, payload: Any) -> bytes:
    """One event."""
    return _message(
        {":event-type": event, ":content-type": "application/json", ":message-type": "event"}, payload
    )


def exception(kind: str, message: str) -> bytes:
    """A failure inside the stream."""
    return _message({":exception-type": kind, ":message-type": "exception"}, {"message": message})


def _message(headers: dict[str, str], payload: Any) -> bytes:
    head = b"".join(_header(name, value) for name, value in headers.items())
    body = json.dumps(payload, ensure_ascii=False).encode()
    total = 12 + len(head) + len(body) + 4
    prelude = total.to_bytes(4, "big") + len(head).to_bytes(4, "big")
    message = prelude + zlib.crc32(prelude).to_bytes(4, "big") + head + body
    return message + zlib.crc32(message).to_bytes(4, "big")


def _header(name: str, value: str) -> bytes:
    text = value.encode()
    return bytes([len(name)]) + name.encode() + b"\x07" + len(text).to_bytes(2, "big") + text


def amazon_failure(failure: Failure) -> HttpAnswer:
    """The kind of an error stands in a header, with more behind a colon."""
    status, kind, message = _FAILURES[failure.kind]
    headers = {"x-amzn-errortype": f"{kind}:http://internal.amazon.com/coral/", "x-amzn-requestid": "req-1"}
    if failure.retry_after_seconds is not None:
        headers["retry-after"] = f"{failure.retry_after_seconds:g}"
    return HttpAnswer.of_json(failure.status or status, {"message": failure.message or message}, headers)


def amazon_rejection(rejected: Rejected) -> HttpAnswer:
    kind = _KINDS.get(rejected.status, "ValidationException")
    return HttpAnswer.of_json(rejected.status, {"message": rejected.message}, {"x-amzn-errortype": kind})
