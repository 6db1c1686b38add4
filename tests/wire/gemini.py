"""Google's Gemini over server-sent events."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.gemini_rules import (
    Part,
    calls_of,
    check_body,
    check_pairing,
    results_of,
    segments_of,
    texts_of,
)
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.refuse import Rejected, require
from tests.wire.script import Break, Call, Failure, Hold, Reply, Tally, Think
from tests.wire.seen import Seen, canonical
from tests.wire.wires import Ids, Options, automatic_books, parse_body, sse

UNSIGNED = "skip_thought_signature_validator"
_SECRET = b"the service signs its thoughts"
_STOPS = {"end": "STOP", "tool_calls": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_FAILURES = {
    "rate_limit": (429, "Resource has been exhausted (e.g. check quota)."),
    "overloaded": (503, "The model is overloaded. Please try again later."),
    "server_error": (500, "An internal error has occurred."),
    "overflow": (
        400,
        "The input token count ({prompt}) exceeds the maximum number of tokens allowed ({window}).",
    ),
    "no_credit": (429, "You exceeded your current quota, please check your plan and billing details."),
    "other": (400, "Request contains an invalid argument."),
}
_TYPE = "type.googleapis.com/google.rpc."


class Gemini:
    name = "gemini"
    content_type = "text/event-stream"

    def __init__(self, options: Options, ids: Ids) -> None:
        self._options = options
        self._ids = ids
        self._books = automatic_books(options)
        self._issued: dict[str, tuple[str, str]] = {}
        """By call id: the model and the signature that came with the call."""

    def read(self, request: HttpRequest) -> Seen:
        if request.headers.get("x-goog-api-key") != self._options.key:
            raise Rejected("", "API key not valid. Please pass a valid API key.", code="API_KEY_INVALID")
        model = request.path.rsplit("/", 1)[-1].removesuffix(":streamGenerateContent")
        body = parse_body(request)
        require(
            model in self._options.models,
            "",
            f"models/{model} is not found for API version v1beta",
            status=404,
        )
        check_body(body)
        contents = body["contents"]
        check_pairing(contents)
        self._check_signatures(contents, model)
        results, new = results_of(contents)
        return Seen(
            wire=self.name,
            model=model,
            body=body,
            headers=request.headers,
            tools=tuple(
                made["name"] for tool in body.get("tools", []) for made in tool["functionDeclarations"]
            ),
            user_texts=texts_of(contents, "user"),
            assistant_texts=texts_of(contents, "model"),
            calls=calls_of(contents),
            results=results,
            new_results=new,
            assistant_turns=sum(content["role"] == "model" for content in contents),
            segments=segments_of(body),
        )

    def _check_signatures(self, contents: list[Mapping[str, Any]], model: str) -> None:
        """A signature stands in its own part; the first call of a turn has one, whoever made it."""
        for i, content in enumerate(contents):
            calls = [part for part in content["parts"] if "functionCall" in part]
            for part in content["parts"]:
                made_by, expected = self._issued.get(part.get("functionCall", {}).get("id", ""), ("", ""))
                given = part.get("thoughtSignature", "")
                if made_by == model:
                    require(given == expected, "signature", f"contents[{i}]: Thought signature is not valid.")
                elif given and given != UNSIGNED:
                    require(
                        given == _sign(part, model),
                        "signature",
                        f"contents[{i}]: Thought signature is not valid.",
                    )
            require(
                not calls or calls[0].get("thoughtSignature"),
                "signature_missing",
                f"Function call in contents[{i}] is missing a thought_signature in functionCall parts.",
            )

    def book(self, seen: Seen) -> Tally:
        return self._books.book(seen.model, seen.segments)

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        def chunk(*parts: Part, **candidate: Any) -> bytes:
            content = {"parts": list(parts), "role": "model"}
            return sse(
                {
                    "candidates": [{"content": content, "index": 0, **candidate}],
                    "usageMetadata": _usage(tally),
                    "modelVersion": seen.model,
                    "responseId": "scripted",
                }
            )

        thought = called = False
        for part in reply.parts:
            match part:
                case Hold():
                    yield part
                case Break(message):
                    yield sse({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})
                    return
                case str():
                    yield chunk({"text": part})
                case Think(text):
                    thought = True
                    yield chunk({"text": text, "thought": True})
                case Call(raw=None):
                    yield chunk(self._call(part, seen, first=not called))
                    called = True
                case Call() if reply.stop != "max_tokens":
                    yield chunk(finishReason="MALFORMED_FUNCTION_CALL")
                    return
        last: list[Part] = []
        if thought and not called:
            last = [{"text": "", "thoughtSignature": _sign({"text": ""}, seen.model)}]
        yield chunk(*last, finishReason=_STOPS[reply.stop])

    def _call(self, call: Call, seen: Seen, *, first: bool) -> Part:
        call_id = call.id or self._ids.new("fc-", seen)
        part: dict[str, Any] = {"functionCall": {"id": call_id, "name": call.name, "args": call.arguments}}
        signature = _sign(part, seen.model) if first else ""
        self._issued[call_id] = (seen.model, signature)
        return {**part, "thoughtSignature": signature} if first else part

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer:
        status, message = _FAILURES[failure.kind]
        message = failure.message or message.format(
            prompt=seen.prompt_tokens, window=self._options.window_tokens
        )
        details: list[dict[str, Any]] = []
        if failure.kind == "no_credit":
            quota = "GenerateRequestsPerDayPerProjectPerModel"
            details.append({"@type": f"{_TYPE}QuotaFailure", "violations": [{"quotaId": quota}]})
        if failure.retry_after_seconds is not None:
            delay = f"{failure.retry_after_seconds:g}s"
            details.append({"@type": f"{_TYPE}RetryInfo", "retryDelay": delay})
        return _error(failure.status or status, message, details)

    def reject(self, rejected: Rejected) -> HttpAnswer:
        details = [{"@type": f"{_TYPE}ErrorInfo", "reason": rejected.code}] if rejected.code else []
        return _error(rejected.status, rejected.message, details)


def _error(status: int, message: str, details: list[dict[str, Any]]) -> HttpAnswer:
    error = {"code": status, "message": message, "status": _STATUSES.get(status, "UNKNOWN")}
    return HttpAnswer.of_json(status, {"error": {**error, **({"details": details} if details else {})}})


def _usage(tally: Tally) -> dict[str, Any]:
    """Nothing that is zero is told."""
    counts = {
        "promptTokenCount": tally.prompt,
        "cachedContentTokenCount": tally.read,
        "candidatesTokenCount": tally.output - tally.reasoning,
        "thoughtsTokenCount": tally.reasoning,
        "totalTokenCount": tally.prompt + tally.output,
    }
    return {name: count for name, count in counts.items() if count}


def _sign(part: Mapping[str, Any], model: str) -> str:
    """The signature holds for the part, its signature and id aside, and for one model."""
    bare = {key: value for key, value in part.items() if key != "thoughtSignature"}
    if call := bare.get("functionCall"):
        bare = {"name": call["name"], "args": call.get("args", {})}
    made = hmac.new(_SECRET, model.encode() + canonical(bare), hashlib.sha256).digest()
    return base64.b64encode(made).decode()
