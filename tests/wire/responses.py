"""OpenAI Responses over SSE."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.chat import openai_failure, openai_rejection, require_model
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.refuse import Rejected
from tests.wire.responses_rules import (
    check_body,
    check_items,
    check_reasoning,
    items_of,
    kind_of,
    results_of,
    segments_of,
    text_of,
)
from tests.wire.script import Break, Call, Failure, Hold, Reply, Tally, Think
from tests.wire.seen import Asked, Seen
from tests.wire.wires import (
    Ids,
    Options,
    arguments_json,
    automatic_books,
    halves,
    parse_body,
    require_bearer,
    sse,
)


class Responses:
    name = "responses"
    content_type = "text/event-stream; charset=utf-8"

    def __init__(self, options: Options, ids: Ids) -> None:
        self._options = options
        self._ids = ids
        self._books = automatic_books(options)
        self._reasoned: dict[str, tuple[str, list[Mapping[str, Any]]]] = {}
        """By call id: the model and the reasoning items that stood before the call in its response."""

    def read(self, request: HttpRequest) -> Seen:
        require_bearer(request, self._options.key)
        body = parse_body(request)
        check_body(body)
        require_model(body["model"], self._options)
        items = items_of(body)
        check_items(items, tools=body.get("tools"))
        check_reasoning(items, self._reasoned, model=body["model"], store=body.get("store") is not False)
        results = results_of(items)
        calls = [i for i, item in enumerate(items) if kind_of(item) == "function_call"]
        trailing = (
            [item for item in items[calls[-1] :] if kind_of(item) == "function_call_output"] if calls else []
        )
        return Seen(
            wire="responses",
            model=body["model"],
            body=body,
            headers=request.headers,
            tools=tuple(tool["name"] for tool in body.get("tools") or []),
            user_texts=tuple(text_of(item["content"]) for item in items if item.get("role") == "user"),
            assistant_texts=tuple(
                text_of(item["content"]) for item in items if item.get("role") == "assistant"
            ),
            calls=tuple(
                Asked(name=item["name"], arguments=json.loads(item["arguments"]))
                for item in items
                if kind_of(item) == "function_call"
            ),
            results=results,
            new_results=results[len(results) - len(trailing) :],
            assistant_turns=_count_turns(items),
            segments=segments_of(body),
            cache_key=body.get("prompt_cache_key") or "",
        )

    def book(self, seen: Seen) -> Tally:
        return self._books.book(seen.model, seen.segments, seen.cache_key)

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        return _Stream(reply, seen, tally, self._ids, self._reasoned).events()

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer:
        return openai_failure(failure, seen, self._options)

    def reject(self, rejected: Rejected) -> HttpAnswer:
        return openai_rejection(rejected)


def _count_turns(items: Any) -> int:
    """Responses that the input holds: runs of the model's own items."""
    turns, inside = 0, False
    for item in items:
        own = kind_of(item) in ("reasoning", "function_call") or item.get("role") == "assistant"
        turns += own and not inside
        inside = own
    return turns


class _Stream:
    """One response on its way: numbers its events and collects its output items."""

    def __init__(
        self,
        reply: Reply,
        seen: Seen,
        tally: Tally,
        ids: Ids,
        reasoned: dict[str, tuple[str, list[Mapping[str, Any]]]],
    ) -> None:
        self._reply = reply
        self._seen = seen
        self._tally = tally
        self._ids = ids
        self._reasoned = reasoned
        self._reasoning: list[Mapping[str, Any]] = []
        self._id = ids.new("resp_", seen)
        self._output: list[dict[str, Any]] = []
        self._text: list[str] = []
        self._text_id = ""
        self._sequence = -1

    def events(self) -> Iterator[bytes | Hold]:
        yield self._event("response.created", response=self._response("in_progress"))
        yield self._event("response.in_progress", response=self._response("in_progress"))
        for part in self._reply.parts:
            if self._text and not isinstance(part, str | Hold):
                yield from self._end_text()
            match part:
                case Hold():
                    yield part
                case Break(message):
                    error = {"code": "server_error", "message": message}
                    yield self._event(
                        "response.failed", response={**self._response("failed"), "error": error}
                    )
                    return
                case str():
                    yield from self._text_piece(part)
                case Think(text):
                    yield from self._reasoning_item(text)
                case Call():
                    yield from self._function_call(part)
        if self._text:
            yield from self._end_text()
        cut = self._reply.stop == "max_tokens"
        final = self._response("incomplete" if cut else "completed")
        final |= {"usage": _usage(self._tally)} | (
            {"incomplete_details": {"reason": "max_output_tokens"}} if cut else {}
        )
        yield self._event("response.incomplete" if cut else "response.completed", response=final)

    def _event(self, kind: str, **content: Any) -> bytes:
        self._sequence += 1
        return sse({"type": kind, "sequence_number": self._sequence, **content}, kind)

    def _response(self, status: str) -> dict[str, Any]:
        body = self._seen.body
        return {
            "id": self._id,
            "object": "response",
            "created_at": 1_796_000_000,
            "status": status,
            "model": self._seen.model,
            "output": list(self._output),
            "error": None,
            "incomplete_details": None,
            "instructions": body.get("instructions"),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": body.get("tools") or [],
            "store": body.get("store", True),
            "usage": None,
        }

    def _text_piece(self, text: str) -> Iterator[bytes]:
        index = len(self._output)
        if not self._text:
            self._text_id = self._ids.new("msg_", self._seen)
            item = {
                "id": self._text_id,
                "type": "message",
                "role": "assistant",
                "status": "in_progress",
                "content": [],
            }
            yield self._event("response.output_item.added", output_index=index, item=item)
            yield self._event("response.content_part.added", **self._at(index), part=self._part(""))
        self._text.append(text)
        if self._reply.stop == "refusal":
            yield self._event("response.refusal.delta", **self._at(index), delta=text)
        else:
            yield self._event("response.output_text.delta", **self._at(index), delta=text, logprobs=[])

    def _end_text(self) -> Iterator[bytes]:
        index, text = len(self._output), "".join(self._text)
        if self._reply.stop == "refusal":
            yield self._event("response.refusal.done", **self._at(index), refusal=text)
        else:
            yield self._event("response.output_text.done", **self._at(index), text=text, logprobs=[])
        yield self._event("response.content_part.done", **self._at(index), part=self._part(text))
        content = [self._part(text)]
        item = {
            "id": self._text_id,
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
        yield self._done(item)
        self._text = []

    def _at(self, index: int) -> dict[str, Any]:
        return {"item_id": self._text_id, "output_index": index, "content_index": 0}

    def _part(self, text: str) -> dict[str, Any]:
        if self._reply.stop == "refusal":
            return {"type": "refusal", "refusal": text}
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}

    def _done(self, item: dict[str, Any]) -> bytes:
        self._output.append(item)
        return self._event("response.output_item.done", output_index=len(self._output) - 1, item=item)

    def _reasoning_item(self, text: str) -> Iterator[bytes]:
        item_id, index = self._ids.new("rs_", self._seen), len(self._output)
        at = {"item_id": item_id, "output_index": index, "summary_index": 0}
        empty: dict[str, Any] = {"id": item_id, "type": "reasoning", "summary": []}
        yield self._event("response.output_item.added", output_index=index, item=empty)
        part = {"type": "summary_text", "text": text}
        if text:
            yield self._event("response.reasoning_summary_part.added", **at, part={**part, "text": ""})
            for piece in filter(None, halves(text)):
                yield self._event("response.reasoning_summary_text.delta", **at, delta=piece)
            yield self._event("response.reasoning_summary_text.done", **at, text=text)
            yield self._event("response.reasoning_summary_part.done", **at, part=part)
        item = {**empty, "summary": [part] if text else []}
        if self._seen.body.get("store") is False:
            item["encrypted_content"] = base64.b64encode(f"{item_id}:{text}".encode()).decode()
        self._reasoning.append(item)
        yield self._done(item)

    def _function_call(self, call: Call) -> Iterator[bytes]:
        item_id, index = self._ids.new("fc_", self._seen), len(self._output)
        call_id = call.id or self._ids.new("call_", self._seen)
        self._reasoned[call_id] = (self._seen.model, list(self._reasoning))
        text = arguments_json(call)
        item = {
            "id": item_id,
            "type": "function_call",
            "call_id": call_id,
            "name": call.name,
            "arguments": "",
        }
        yield self._event(
            "response.output_item.added", output_index=index, item={**item, "status": "in_progress"}
        )
        at = {"item_id": item_id, "output_index": index}
        for piece in filter(None, halves(text)):
            yield self._event("response.function_call_arguments.delta", **at, delta=piece)
        cut = self._reply.stop == "max_tokens" and call is self._reply.parts[-1]
        if not cut:
            yield self._event("response.function_call_arguments.done", **at, arguments=text, name=call.name)
        yield self._done({**item, "arguments": text, "status": "incomplete" if cut else "completed"})


def _usage(tally: Tally) -> dict[str, Any]:
    return {
        "input_tokens": tally.prompt,
        "input_tokens_details": {"cached_tokens": tally.read, "cache_write_tokens": tally.write},
        "output_tokens": tally.output,
        "output_tokens_details": {"reasoning_tokens": tally.reasoning},
        "total_tokens": tally.prompt + tally.output,
    }
