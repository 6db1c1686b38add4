"""Ollama's native /api/chat: one JSON object a line, and the service's own quiet mistakes made loud.

The real service ignores what it does not know and cuts a prompt that is longer than `num_ctx`
without a word. Here both are recorded as violations, and so is broken pairing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.pictures import check_any_picture
from tests.wire.refuse import Rejected, fields, require
from tests.wire.script import Break, Call, Failure, Hold, Reply, Tally, Think
from tests.wire.seen import Asked, Result, Seen, Segment, canonical
from tests.wire.wires import Ids, Options, arguments_json, automatic_books, parse_body

TOP = fields(
    "model messages tools stream format options keep_alive think truncate shift logprobs top_logprobs"
)
MODEL_OPTIONS = fields(
    "num_ctx num_predict num_keep num_batch num_gpu num_thread seed temperature top_k top_p min_p typical_p"
    " repeat_last_n repeat_penalty presence_penalty frequency_penalty stop use_mmap main_gpu"
)
MESSAGE = fields("role content thinking images tool_calls tool_name tool_call_id")
DEFAULT_NUM_CTX = 4096
_STOPS = {"end": "stop", "tool_calls": "stop", "max_tokens": "length", "refusal": "stop"}
_FAILURES = {
    "rate_limit": (429, "too many requests"),
    "overloaded": (503, "server busy, please try again. maximum pending requests exceeded"),
    "server_error": (500, "llama runner process has terminated: exit status 2"),
    "overflow": (400, "the input length exceeds the context length"),
    "no_credit": (402, "you have reached your usage limit"),
    "other": (400, "bad request"),
}

Message = Mapping[str, Any]


class Ollama:
    name = "ollama"
    content_type = "application/x-ndjson"

    def __init__(self, options: Options, _ids: Ids) -> None:
        self._options = options
        self._books = automatic_books(options)

    def read(self, request: HttpRequest) -> Seen:
        body = parse_body(request)
        require(body.get("model"), "missing_field", "model is required")
        require(body["model"] in self._options.models, "", f"model '{body['model']}' not found", status=404)
        messages: Any = body.get("messages")
        require(isinstance(messages, list) and messages, "no_messages", "messages are required")
        remarks = [("extraneous", f"ignored field: {name}") for name in sorted(body.keys() - TOP)]
        options = body.get("options") or {}
        remarks += [
            ("extraneous", f"ignored option: {name}") for name in sorted(options.keys() - MODEL_OPTIONS)
        ]
        for i, message in enumerate(messages):
            _check_message(message, i)
        _check_tools(body.get("tools") or [])
        if body.get("tools") and body["model"] in self._options.without_tools:
            raise Rejected("tools", f"registry.ollama.ai/library/{body['model']} does not support tools")
        results = _pair(messages)
        last = max((i for i, m in enumerate(messages) if m["role"] == "assistant"), default=-1)
        seen = Seen(
            wire="ollama",
            model=body["model"],
            body=body,
            headers=request.headers,
            tools=tuple(tool["function"]["name"] for tool in body.get("tools") or []),
            user_texts=tuple(m["content"] for m in messages if m["role"] == "user"),
            assistant_texts=tuple(
                m["content"] for m in messages if m["role"] == "assistant" and m["content"]
            ),
            calls=tuple(
                Asked(name=made["function"]["name"], arguments=made["function"]["arguments"])
                for m in messages
                for made in m.get("tool_calls") or []
            ),
            results=results,
            new_results=results[len(results) - sum(m["role"] == "tool" for m in messages[last + 1 :]) :],
            assistant_turns=sum(m["role"] == "assistant" for m in messages),
            segments=_segments(body),
            remarks=tuple(remarks),
        )
        num_ctx = options.get("num_ctx", DEFAULT_NUM_CTX)
        if seen.prompt_tokens > num_ctx:
            if body.get("truncate") is False:
                raise Rejected("", _FAILURES["overflow"][1])
            raise Rejected(
                "num_ctx", f"{seen.prompt_tokens} tokens would be cut silently to num_ctx {num_ctx}"
            )
        return seen

    def book(self, seen: Seen) -> Tally:
        return self._books.book(seen.model, seen.segments)

    def stream(self, reply: Reply, seen: Seen, tally: Tally) -> Iterator[bytes | Hold]:
        for part in reply.parts:
            match part:
                case Hold():
                    yield part
                case Break(message):
                    yield _line({"error": message})
                    return
                case str():
                    yield _message(seen, content=part)
                case Think(text):
                    yield _message(seen, thinking=text)
                case Call(name=name, raw=None):
                    function = {"name": name, "arguments": part.arguments}
                    yield _message(seen, tool_calls=[{"function": function}])
                case Call() if reply.stop != "max_tokens":
                    yield _line({"error": f"error parsing tool call: raw='{arguments_json(part)}'"})
                    return
        yield _line(
            {
                **_head(seen),
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": _STOPS[reply.stop],
                "total_duration": 1_000_000,
                "load_duration": 1_000,
                "prompt_eval_count": tally.prompt,
                "prompt_eval_duration": 1_000,
                "eval_count": tally.output,
                "eval_duration": 1_000,
            }
        )

    def fail(self, failure: Failure, seen: Seen) -> HttpAnswer:
        status, message = _FAILURES[failure.kind]
        headers = {}
        if failure.retry_after_seconds is not None:
            headers["retry-after"] = f"{failure.retry_after_seconds:g}"
        return HttpAnswer.of_json(failure.status or status, {"error": failure.message or message}, headers)

    def reject(self, rejected: Rejected) -> HttpAnswer:
        return HttpAnswer.of_json(rejected.status, {"error": rejected.message})


def _check_message(message: Any, i: int) -> None:
    where = f"messages[{i}]"
    require(isinstance(message, dict), "type", f"json: cannot unmarshal {where} into type api.Message")
    for name in message.keys() - MESSAGE:
        raise Rejected("extraneous", f"{where}: unknown field {name}")
    require(message.get("role") in ("system", "user", "assistant", "tool"), "role", f"{where}: invalid role")
    content = message.get("content")
    require(
        isinstance(content, str),
        "content",
        f"json: cannot unmarshal {type(content).__name__} into Go struct field"
        " ChatRequest.messages.content of type string",
    )
    for data in message.get("images") or []:
        require(message["role"] == "user", "block_place", f"{where}: images are the user's")
        check_any_picture(data, where)
    if message["role"] == "user":
        require(content or message.get("images"), "empty_message", f"{where}: empty")
    if message["role"] == "assistant":
        require(
            content or message.get("tool_calls") or message.get("thinking"),
            "empty_message",
            f"{where}: empty",
        )
    for call in message.get("tool_calls") or []:
        function = call.get("function") or {}
        require(function.get("name"), "tool_name", f"{where}: a tool call without a name")
        require(
            isinstance(function.get("arguments"), dict),
            "arguments_type",
            "json: cannot unmarshal string into Go struct field ToolCallFunction.arguments of type"
            " api.ToolCallFunctionArguments",
        )


def _check_tools(tools: Sequence[Any]) -> None:
    names = []
    for i, tool in enumerate(tools):
        function = tool.get("function") or {}
        require(
            tool.get("type") == "function" and function.get("name"), "tool_name", f"tools[{i}]: invalid tool"
        )
        schema = function.get("parameters") or {}
        require(schema.get("type") == "object", "tool_schema", f"tools[{i}]: parameters must be an object")
        names.append(function["name"])
    require(len(set(names)) == len(names), "tool_duplicate", "tool names must be unique")


def _pair(messages: Sequence[Message]) -> tuple[Result, ...]:
    """The results, in order. Each call must be answered, by name and in call order, before anything else."""
    results: list[Result] = []
    waiting: list[str] = []
    for i, message in enumerate(messages):
        if message["role"] == "tool":
            name: Any = message.get("tool_name")
            require(name, "tool_name", f"messages[{i}]: a tool result without tool_name")
            require(waiting, "orphan_result", f"messages[{i}]: the result of {name} answers no call")
            require(
                name == waiting[0], "result_order", f"messages[{i}]: {name} answers a call of {waiting[0]}"
            )
            waiting.pop(0)
            results.append(Result(call_id=f"{i}", name=name, text=message["content"]))
            continue
        require(not waiting, "orphan_call", f"messages[{i}]: no result for the call of {', '.join(waiting)}")
        waiting = [call["function"]["name"] for call in message.get("tool_calls") or []]
    require(not waiting, "orphan_call", f"no result for the call of {', '.join(waiting)}")
    require(
        messages[-1]["role"] in ("user", "tool"),
        "prefill",
        "the last message must come from the user or a tool",
    )
    return tuple(results)


def _segments(body: Message) -> tuple[Segment, ...]:
    tools = [Segment(where=f"tools[{i}]", data=canonical(t)) for i, t in enumerate(body.get("tools") or [])]
    messages = [Segment(where=f"messages[{i}]", data=canonical(m)) for i, m in enumerate(body["messages"])]
    return (*tools, *messages)


def _head(seen: Seen) -> dict[str, Any]:
    return {"model": seen.model, "created_at": "2026-11-30T12:00:00.000000Z"}


def _message(seen: Seen, **content: Any) -> bytes:
    return _line({**_head(seen), "message": {"role": "assistant", "content": "", **content}, "done": False})


def _line(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"
