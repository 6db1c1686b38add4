"""Transcripts of other agents: JSON lines as Claude Code keeps them and as the Go chatcli exports them.

What they do not tell is assumed: which tools only read follows from their names, and no result was
limited by its tool. Lines of other kinds are left out.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from chatcli.agent.recording import Recording
from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.messages import (
    Archived,
    AssistantMessage,
    AssistantPart,
    Message,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from chatcli.session.files import storage_errors
from chatcli.session.measure import Measure, to_utf8

_READING = frozenset(
    {"read", "search", "tree", "grep", "glob", "ls", "webfetch", "websearch", "recall", "notebookread"}
)
"""Names of tools, in lower case, whose calls change nothing."""
_CALL = re.compile(r'<tool_call name="([^"]*)">(.*?)</tool_call>', re.DOTALL)
_ANSWER = re.compile(r"<tool_response>(.*)</tool_response>", re.DOTALL)
_CAP_CHARS = 80_000


class Originals:
    """Results in memory, by their SHA-256."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def put(self, text: str) -> Archived:
        measure = Measure()
        measure.update(to_utf8(text))
        original = measure.archived()
        self._texts[original.sha256] = text
        return original

    def text(self, original: Archived) -> str:
        return self._texts[original.sha256]

    def open(self, original: Archived) -> BinaryIO:
        return io.BytesIO(to_utf8(self.text(original)))

    def save(self, call_id: str, original: Archived) -> str | None:
        return f"/tmp/tool-results/{call_id}_{original.sha256[:8]}.txt"


class _Story:
    """The messages so far."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.seconds: dict[int, float] = {}
        self.originals = Originals()
        self._names: dict[str, tuple[str, bool]] = {}
        """By call id: the tool, and whether the call only reads."""
        self._open: list[str] = []
        """Calls without a result, in order."""

    def user(self, text: str, at: str = "") -> None:
        self._add(UserMessage(seq=self._next, parts=(Text(text),)), at)

    def assistant(self, parts: Sequence[AssistantPart], model: str = "", at: str = "") -> None:
        provider = "CLAUDEAI" if model.startswith("claude") else ""
        message = AssistantMessage(seq=self._next, parts=tuple(parts), provider=provider, model=model)
        for call in message.calls:
            self._names[call.id] = call.name, _only_reads(call)
            self._open.append(call.id)
        self._add(message, at)

    def result(self, call_id: str, text: str, *, failed: bool = False, at: str = "") -> None:
        """`call_id` is empty where only the order tells what is answered."""
        call_id = call_id or (self._open[0] if self._open else "")
        if call_id in self._open:
            self._open.remove(call_id)
        name, reads = self._names.get(call_id, ("", False))
        result = ToolResult(
            seq=self._next,
            call_id=call_id,
            name=name,
            status="error" if failed else "ok",
            original=self.originals.put(text),
            read_only=reads,
            cap_chars=_CAP_CHARS,
        )
        self._add(result, at)

    @property
    def _next(self) -> int:
        return len(self.messages) + 1

    def _add(self, message: Message, at: str) -> None:
        self.messages.append(message)
        if at:
            self.seconds[message.seq] = datetime.fromisoformat(at).timestamp()


def read_foreign(path: Path) -> Recording:
    """Raises `UsageError` when there is no conversation in the file, `StorageError` without one."""
    with storage_errors(path):
        lines = list(_objects(path.read_bytes()))
    story = _Story()
    if any("from" in line and "value" in line for line in lines):
        _read_go_chatcli(lines, story)
    else:
        _read_claude_code(lines, story)
    if not any(isinstance(message, AssistantMessage) for message in story.messages):
        raise UsageError(
            _("{path} holds no conversation that can be replayed.").format(path=path),
            hint=_("A session of chatcli, or JSON lines of Claude Code or of the Go chatcli (/export)."),
        )
    return Recording(
        name=path.name, messages=tuple(story.messages), store=story.originals, seconds=story.seconds
    )


def _objects(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.splitlines():
        try:
            value = msgspec.json.decode(line)
        except msgspec.DecodeError:
            continue
        if isinstance(value, dict):
            yield value


def _read_go_chatcli(lines: Sequence[Mapping[str, Any]], story: _Story) -> None:
    for number, line in enumerate(lines):
        text = str(line.get("value", ""))
        match line.get("from"):
            case "human":
                story.user(text)
            case "gpt":
                calls = _CALL.findall(text)
                said = _CALL.sub("", text).strip()
                parts: list[AssistantPart] = [Text(said)] if said else []
                for index, (name, arguments) in enumerate(calls):
                    parts.append(ToolCall(id=f"call_{number}_{index}", name=name, arguments_json=arguments))
                story.assistant(parts)
            case "tool":
                answer = _ANSWER.search(text)
                story.result("", answer[1] if answer else text)
            case _:
                pass


def _read_claude_code(lines: Sequence[Mapping[str, Any]], story: _Story) -> None:
    """One reply may be spread over several lines, one a block, with the same id."""
    reply_id, parts, model, at = "", list[AssistantPart](), "", ""
    for line in lines:
        message = line.get("message")
        if line.get("isSidechain") or not isinstance(message, dict):
            continue
        same_reply = line.get("type") == "assistant" and message.get("id") == reply_id
        if parts and not same_reply:
            story.assistant(parts, model, at)
            parts = []
        when = str(line.get("timestamp", "")).replace("Z", "+00:00")
        if line.get("type") == "assistant":
            reply_id, model, at = str(message.get("id", "")), str(message.get("model", "")), when
            parts += _parts(message.get("content"))
        elif line.get("type") == "user":
            _read_user(message.get("content"), story, when)
    if parts:
        story.assistant(parts, model, at)


def _parts(content: object) -> Iterator[AssistantPart]:
    for block in _blocks(content):
        match block.get("type"):
            case "text":
                yield Text(str(block.get("text", "")))
            case "tool_use":
                arguments = msgspec.json.encode(block.get("input", {})).decode()
                yield ToolCall(id=str(block["id"]), name=str(block["name"]), arguments_json=arguments)
            case _:
                pass


def _read_user(content: object, story: _Story, at: str) -> None:
    said = [str(block.get("text", "")) for block in _blocks(content) if block.get("type") == "text"]
    for block in _blocks(content):
        if block.get("type") == "tool_result":
            inside = _blocks(block.get("content"))
            text = "\n".join(str(part.get("text", "")) for part in inside if part.get("type") == "text")
            story.result(str(block.get("tool_use_id", "")), text, failed=bool(block.get("is_error")), at=at)
    if said:
        story.user("\n".join(said), at)


def _blocks(content: object) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _only_reads(call: ToolCall) -> bool:
    """By its name; the Go chatcli's `@coder` names its real tool in `cmd`."""
    name = call.name.removeprefix("@").lower()
    if name == "coder":
        command = re.search(r'"cmd"\s*:\s*"([^"]*)"', call.arguments_json)
        name = command[1].lower() if command else name
    return name in _READING
