"""Services that speak Chat Completions in a dialect of their own, and are strict about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.chat import Chat
from tests.wire.http1 import HttpRequest
from tests.wire.refuse import Rejected, fields, require
from tests.wire.script import Call, Hold, Reply, Tally
from tests.wire.seen import Seen
from tests.wire.wires import Ids, Options

Message = Mapping[str, Any]


class ChatService(Chat):
    """Chat Completions with more fields than OpenAI's: those are judged here, the rest as everywhere."""

    body_fields: frozenset[str] = frozenset()
    """Fields of the request that this service has beyond OpenAI's."""
    message_fields: frozenset[str] = frozenset()
    """Fields of an assistant message that it has beyond OpenAI's."""
    no_fields: frozenset[str] = frozenset()
    """Fields of OpenAI that it does not have."""

    def __init__(self, options: Options, ids: Ids) -> None:
        super().__init__(options, ids)
        self._thought: dict[str, str] = {}
        """By call id: the reasoning of the message that made the call."""

    def judge(self, request: HttpRequest, body: dict[str, Any]) -> None:
        for name in sorted(self.no_fields & body.keys()):
            raise Rejected("extraneous", f"Unrecognized request argument supplied: {name}")
        self.check(body)
        messages = [_without(message, self.message_fields) for message in body["messages"]]
        super().judge(request, {**_without(body, self.body_fields), "messages": messages})

    def check(self, body: Message) -> None:
        """What only this service refuses."""

    def think(self, text: str, seen: Seen, details: list[dict[str, Any]]) -> dict[str, Any]:
        details.append({"text": text})
        return {"reasoning_content": text}

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        yield from super().stream(reply, seen, tally)
        for call_id, details in self._details.items():
            self._thought[call_id] = "".join(detail["text"] for detail in details)
        self._details.clear()

    def require_reasoning(self, messages: Sequence[Message], *, always: bool) -> None:
        """`reasoning_content` goes back as it came; `always`: every message with calls must have it."""
        for i, message in enumerate(messages):
            calls = message.get("tool_calls") or []
            require(
                not (always and calls) or "reasoning_content" in message,
                "reasoning_missing",
                "thinking is enabled but reasoning_content is missing in assistant tool call message at"
                f" index {i}",
            )
            for call in calls:
                expected = self._thought.get(call["id"], "")
                require(
                    message.get("reasoning_content", "") == expected,
                    "reasoning_missing",
                    f"messages[{i}].reasoning_content is not what the model thought",
                )


class Zai(ChatService):
    name = "zai"
    body_fields = fields("thinking tool_stream max_tokens do_sample request_id")
    message_fields = fields("reasoning_content")
    no_fields = fields("max_completion_tokens prompt_cache_key store")

    def check(self, body: Message) -> None:
        limit = body.get("max_tokens", 1)
        require(1 <= limit <= 131_072, "max_tokens", "max_tokens: out of range [1, 131072]")
        thinking = body.get("thinking")
        require(
            thinking is None or thinking.get("type") in ("enabled", "disabled"),
            "thinking_type",
            "thinking.type: enabled or disabled",
        )
        self.require_reasoning(body["messages"], always=False)


class Moonshot(ChatService):
    name = "moonshot"
    message_fields = fields("reasoning_content")
    no_fields = fields("max_tokens store thinking")

    def check(self, body: Message) -> None:
        limit = body.get("max_completion_tokens", 0)
        require(
            limit >= 32_768, "max_tokens", "with less, thinking uses up the reply and it comes back empty"
        )
        require(
            body.get("temperature", 1) == 1,
            "temperature",
            "invalid temperature: only 1 is allowed for this model",
        )
        require(
            body.get("tool_choice", "auto") in ("auto", "none"),
            "tool_choice",
            "tool_choice 'required' is incompatible with thinking enabled",
        )
        self.require_reasoning(body["messages"], always=True)


class GithubModels(ChatService):
    name = "github_models"


CLIENT_HEADERS = ("editor-version", "editor-plugin-version", "copilot-integration-id", "openai-intent")


def check_copilot_headers(request: HttpRequest, *, by_user: bool) -> None:
    """The client names itself, and does not say that the user asks where a tool has answered."""
    for name in CLIENT_HEADERS:
        require(request.headers.get(name), "client_header", f"bad request: missing required header {name}")
    possible = ("user", "agent") if by_user else ("agent",)
    found = request.headers.get("x-initiator")
    require(found in possible, "initiator", f"X-Initiator: {found} should be {possible[-1]}")


class CopilotChat(ChatService):
    """The text of a reply stands in one choice, its calls in another, as Copilot does for some models."""

    name = "copilot"
    message_fields = fields("reasoning_text reasoning_opaque")
    no_fields = fields("max_tokens max_completion_tokens prompt_cache_key")

    def judge(self, request: HttpRequest, body: dict[str, Any]) -> None:
        super().judge(request, body)
        check_copilot_headers(request, by_user=body["messages"][-1]["role"] == "user")
        for i, message in enumerate(body["messages"]):
            for call in message.get("tool_calls") or []:
                expected = self._thought.get(call["id"])
                require(
                    not expected or message.get("reasoning_opaque") == f"opaque:{expected}",
                    "reasoning_missing",
                    f"messages[{i}].reasoning_opaque must be returned as it was received",
                )

    def think(self, text: str, seen: Seen, details: list[dict[str, Any]]) -> dict[str, Any]:
        details.append({"text": text})
        return {"reasoning_text": text, "reasoning_opaque": f"opaque:{text}"}

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        split = any(isinstance(part, Call) for part in reply.parts)
        for piece in super().stream(reply, seen, tally):
            if split and isinstance(piece, bytes) and b'"tool_calls": [' in piece:
                yield piece.replace(b'"choices": [{"index": 0', b'"choices": [{"index": 1', 1)
            else:
                yield piece


def _without(value: Message, names: frozenset[str]) -> dict[str, Any]:
    return {key: inner for key, inner in value.items() if key not in names}
