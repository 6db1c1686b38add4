"""Services that speak Anthropic's wire: MiniMax, Bedrock in its two forms, Copilot for Claude."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from msgspec import structs

from tests.wire.anthropic import Anthropic
from tests.wire.anthropic_rules import blocks_of
from tests.wire.chat_services import check_copilot_headers
from tests.wire.frames import amazon_failure, amazon_rejection, exception, frame
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.refuse import Rejected, require
from tests.wire.script import Break, Failure, Hold, Reply, Tally
from tests.wire.seen import Seen
from tests.wire.wires import parse_body

_RUNTIME_VERSIONS = ("bedrock-2023-05-31", "2026-10-21")
"""As documented, and as Anthropic's own client says it."""


class _ByBearer(Anthropic):
    """The key comes as a bearer token alone."""

    def read(self, request: HttpRequest) -> Seen:
        require("x-api-key" not in request.headers, "two_keys", "one way to say who asks, not two")
        return structs.replace(super().read(request), wire=self.name)


class MiniMax(_ByBearer):
    name = "minimax"


class Mantle(_ByBearer):
    name = "mantle"


class CopilotClaude(_ByBearer):
    name = "copilot"

    def read(self, request: HttpRequest) -> Seen:
        seen = super().read(request)
        last = blocks_of(seen.body["messages"][-1])
        check_copilot_headers(request, by_user=last[-1]["type"] != "tool_result")
        return seen


class BedrockClaude(Anthropic):
    """InvokeModelWithResponseStream: the model in the path, Anthropic's events in binary messages."""

    name = "bedrock"
    content_type = "application/vnd.amazon.eventstream"

    def read(self, request: HttpRequest) -> Seen:
        body = parse_body(request)
        for name in ("model", "stream"):
            require(name not in body, "extraneous", f"{name}: Extra inputs are not permitted")
        version = body.pop("anthropic_version", None)
        require(version in _RUNTIME_VERSIONS, "version_field", "anthropic_version: Field required")
        model = model_of(request)
        whole = json.dumps({"model": model, **body, "stream": True}, ensure_ascii=False).encode()
        headers = {**request.headers, "anthropic-version": version}
        seen = super().read(structs.replace(request, body=whole, headers=headers))
        return structs.replace(seen, wire=self.name)

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        broken = next((part for part in reply.parts if isinstance(part, Break)), None)
        for piece in super().stream(reply, seen, tally):
            if isinstance(piece, Hold):
                yield piece
                continue
            event = piece.partition(b"data: ")[2].strip()
            if broken and event.startswith(b'{"type": "error"'):
                yield exception("throttlingException", broken.message)
                return
            payload: dict[str, Any] = {"bytes": base64.b64encode(event).decode()}
            yield frame("chunk", payload)

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer:
        return amazon_failure(failure)

    def reject(self, rejected: Rejected) -> HttpAnswer:
        return amazon_rejection(rejected)


def model_of(request: HttpRequest) -> str:
    """The model in the path of a request to Bedrock's runtime."""
    return unquote(request.path.rsplit("/", 2)[1])
