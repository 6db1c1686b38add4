"""StackSpot's agents: one text in, a stream in either of two shapes out. No tools, no cache figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.refuse import Rejected, fields, require, require_fields
from tests.wire.script import Break, Call, Failure, Hold, Reply, Tally, Think
from tests.wire.seen import Seen, Segment
from tests.wire.wires import Ids, Options, parse_body, sse

CLIENT_ID = "client-0123"
TOKEN = "stackspot-token"
TOP = fields(
    "streaming user_prompt stackspot_knowledge return_ks_in_response conversation_id use_conversation"
    " upload_ids deep_search_ks"
)
_STATUSES = {
    "rate_limit": 429,
    "overloaded": 503,
    "server_error": 500,
    "overflow": 400,
    "no_credit": 402,
    "other": 400,
}
_STOPS = {"end": "stop", "tool_calls": "stop", "max_tokens": "length", "refusal": "content_filter"}


class StackSpot:
    """The agent `flat-agent` streams flat messages, any other the chunks of OpenAI."""

    name = "stackspot"
    content_type = "text/event-stream"

    def __init__(self, options: Options, ids: Ids) -> None:
        self._options = options
        self._ids = ids

    def read(self, request: HttpRequest) -> Seen:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            raise Rejected("", "Invalid or expired token", status=401)
        agent = request.path.split("/")[-2]
        require(agent in self._options.models, "", f"Agent {agent} not found", status=404)
        body = parse_body(request)
        require_fields(body, "", TOP, fields("user_prompt streaming"))
        prompt = body["user_prompt"]
        require(isinstance(prompt, str) and prompt.strip(), "empty_text", "user_prompt must not be empty")
        said = [text.strip() for text in re.split(r"(?m)^# (?=User$|Assistant$)", prompt)[1:]]
        return Seen(
            wire=self.name,
            model=agent,
            body=body,
            headers=request.headers,
            tools=(),
            user_texts=tuple(text.removeprefix("User\n") for text in said if text.startswith("User\n")),
            assistant_texts=tuple(
                text.removeprefix("Assistant\n") for text in said if text.startswith("Assistant\n")
            ),
            calls=(),
            results=(),
            new_results=(),
            assistant_turns=sum(text.startswith("Assistant\n") for text in said),
            segments=tuple(
                Segment(where=f"user_prompt.{i}", data=text.rstrip().encode())
                for i, text in enumerate(re.split(r"(?m)^(?=# )", prompt))
            ),
        )

    def book(self, seen: Seen) -> Tally:
        return Tally(plain=seen.prompt_tokens)

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        flat = seen.model == "flat-agent"
        for part in reply.parts:
            match part:
                case Hold():
                    yield part
                case Break(message):
                    yield sse({"message": message}, "error")
                    return
                case str() if flat:
                    yield sse({"message": part, "knowledge_source_id": []})
                case str():
                    yield sse({"choices": [{"index": 0, "delta": {"content": part}}]})
                case Call():
                    raise ValueError("an agent of StackSpot calls in words alone")
                case Think():
                    pass  # it keeps them to itself
        tokens = {"user": tally.plain, "enrichment": 0, "output": tally.output}
        if flat:
            yield sse({"message": "", "stop_reason": _STOPS[reply.stop], "tokens": tokens})
            yield sse({"type": "done"}, "done")
            return
        usage: dict[str, Any] = {"prompt_tokens": tally.plain, "completion_tokens": tally.output}
        yield sse(
            {"choices": [{"index": 0, "delta": {}, "finish_reason": _STOPS[reply.stop]}], "usage": usage}
        )
        yield b"data: [DONE]\n\n"

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer:
        headers = {}
        if failure.retry_after_seconds is not None:
            headers["retry-after"] = f"{failure.retry_after_seconds:g}"
        status = failure.status or _STATUSES[failure.kind]
        return HttpAnswer.of_json(status, {"message": failure.message or failure.kind}, headers)

    def reject(self, rejected: Rejected) -> HttpAnswer:
        return HttpAnswer.of_json(rejected.status, {"message": rejected.message})


def grant(request: HttpRequest, key: str) -> HttpAnswer:
    """OAuth: client credentials for a token."""
    given = dict(pair.split("=", 1) for pair in request.body.decode().split("&"))
    expected = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": key}
    if given != expected:
        return HttpAnswer.of_json(401, {"error": "unauthorized_client"})
    return HttpAnswer.of_json(200, {"access_token": TOKEN, "expires_in": 1199, "token_type": "Bearer"})
