"""Why a cached prefix was lost.

A request is an ordered row of parts: tools, blocks of the system prompt, messages. Each is known by
a digest, never by its text. As long as a request repeats the row of the one before and adds to it,
the service can read the whole of it from its cache. When it did not, the first part that differs
names the cause; and where all are equal, time, size or the service itself is to blame.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime

import msgspec
from msgspec import Struct

from chatcli.context.tokens import estimate_message_tokens, estimate_tokens, estimate_tool_tokens
from chatcli.messages import AssistantMessage, Message, ToolResult, ToolSchema, Usage
from chatcli.providers.base import Block, CacheClass, Request, ToolForm
from chatcli.session.entries import CacheMiss, MissCause
from chatcli.session.sent import Part, PartKind, Sent, common_parts

LOOK_BACK_BLOCKS = 20
"""How far a service with explicit marks looks back for a stored prefix."""
STEP_TOKENS = 128
_NOISE = 0.05
"""A smaller share of what could be read is no loss: services count the same text differently at times."""


class Ledger(Struct, frozen=True, kw_only=True):
    """What is known about the cache of a provider."""

    cache: CacheClass
    life_seconds: float
    """What was not used for longer is surely gone."""
    minimum_tokens: int
    promised_seconds: float = 0.0
    """What was used within this time is surely there; 0: the same as `life_seconds`."""


class PartsReader:
    """Makes the row of parts of a request; remembers those of messages that did not change."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Message, Part]] = {}

    def read(self, request: Request, provider: str, at: datetime) -> Sent:
        parts, marks = self.row(request)
        return Sent(provider=provider, model=request.model, parts=parts, marks=marks, at=at)

    def row(self, request: Request) -> tuple[tuple[Part, ...], frozenset[int]]:
        """The parts, and the indexes of those behind which a mark stands."""
        parts = [_tool_part(tool, request.tool_form) for tool in request.tools]
        marks = {len(parts) - 1} if request.marks.last_tool and parts else set()
        if request.marks.system_block is not None:
            marks.add(len(parts) + request.marks.system_block)
        parts += [_block_part(block) for block in request.system]
        marks |= {len(parts) + index for index in request.marks.messages}
        parts += [self._message_part(message) for message in request.messages]
        return tuple(parts), frozenset(marks)

    def _message_part(self, message: Message) -> Part:
        known = self._known.get(message.seq)
        if known is not None and known[0] is message:
            return known[1]
        part = Part(
            "message",
            str(message.seq),
            _digest(msgspec.json.encode(_what_is_sent(message))),
            estimate_message_tokens(message),
            1 if isinstance(message, ToolResult) else len(message.parts),
        )
        self._known[message.seq] = (message, part)
        return part


def explain(
    before: Sent | None, now: Sent, usage: Usage, ledger: Ledger, rewrites: Mapping[int, str]
) -> CacheMiss | None:
    """What `now` failed to read of what `before` had left in the cache; None when nothing is missing.

    What is no longer in the request is not lost: only what had to be sent again. `usage` is that of
    `now`. `rewrites` are the decisions recorded since `before`: `seq` of the message to reason.
    """
    if before is None or ledger.cache == "none" or usage.context == 0:
        return None
    readable_tokens = _stored_tokens(before, ledger.cache)
    unread_tokens = readable_tokens - usage.cache_read
    if unread_tokens <= max(STEP_TOKENS, _NOISE * readable_tokens):
        return None
    cause, detail, expected = _cause(before, now, usage, ledger, rewrites)
    lost_tokens = min(unread_tokens, usage.context - usage.cache_read)
    return CacheMiss(cause=cause, detail=detail, lost_tokens=lost_tokens, expected=expected)


def _cause(
    before: Sent, now: Sent, usage: Usage, ledger: Ledger, rewrites: Mapping[int, str]
) -> tuple[MissCause, str, bool]:
    if (before.provider, before.model) != (now.provider, now.model):
        return "model", f"{before.provider}/{before.model} → {now.provider}/{now.model}", True
    idle_seconds = (now.at - before.at).total_seconds()
    expired: tuple[MissCause, str, bool] = "expired", f"idle for {idle_seconds / 60:.0f} min", True
    if idle_seconds > ledger.life_seconds:
        return expired  # whatever was changed since then lost nothing more
    same = common_parts(before, now)
    if same < len(before.parts):
        return _first_difference(before, now, same, rewrites)
    if idle_seconds > (ledger.promised_seconds or ledger.life_seconds):
        return expired
    stored_tokens = _stored_tokens(before, ledger.cache)
    if usage.cache_read == 0 and stored_tokens < ledger.minimum_tokens * (1 + _NOISE):
        return "minimum", f"{stored_tokens} of {ledger.minimum_tokens} tokens", True
    if ledger.cache == "explicit" and (blocks := _blocks_since_stored(before, now)) > LOOK_BACK_BLOCKS:
        return "many_blocks", f"{blocks} blocks", False
    return "service", "", False


def _first_difference(
    before: Sent, now: Sent, same: int, rewrites: Mapping[int, str]
) -> tuple[MissCause, str, bool]:
    parts = [sent.parts[same] for sent in (before, now) if same < len(sent.parts)]
    kinds = {part.kind for part in parts}
    if "tool" in kinds:
        return "tools", _changed(before, now, "tool"), False
    if "block" in kinds:
        return "block", _changed(before, now, "block"), False
    for part in parts:
        if reason := rewrites.get(int(part.name)):
            return "rewrite", f"message {part.name}: {reason}", True
    old = before.parts[same].name
    if all(part.name != old for part in now.parts):
        return "shrank", f"message {old} is gone", False
    return "changed", f"message {old}", False


def _changed(before: Sent, now: Sent, kind: PartKind) -> str:
    """The names of parts of a kind that came, went, or are not what they were."""
    old = {part.name: part.digest for part in before.parts if part.kind == kind}
    new = {part.name: part.digest for part in now.parts if part.kind == kind}
    told = [f"+{name}" for name in sorted(new.keys() - old.keys())]
    told += [f"-{name}" for name in sorted(old.keys() - new.keys())]
    return ", ".join([*told, *(name for name in sorted(old.keys() & new.keys()) if old[name] != new[name])])


def _stored_tokens(before: Sent, cache: CacheClass) -> int:
    """Tokens of the longest prefix of `before` that the service can have stored, as it counts them."""
    last = max(before.marks, default=-1) if cache == "explicit" else len(before.parts) - 1
    stored = sum(part.tokens for part in before.parts[: last + 1])
    return round(before.tokens * stored / max(1, before.estimated_tokens))


def _blocks_since_stored(before: Sent, now: Sent) -> int:
    """Blocks between the last stored prefix and the first mark that could look back to it."""
    stored = max(before.marks, default=-1)
    first_new = min((mark for mark in now.marks if mark > stored), default=len(now.parts) - 1)
    return sum(part.blocks for part in now.parts[stored + 1 : first_new + 1])


def _what_is_sent(message: Message) -> object:
    """What of a message can reach a wire: not how a result came to be shown as it is."""
    match message:
        case ToolResult():
            return message.call_id, message.is_error, message.text
        case AssistantMessage():
            return message.provider, message.model, message.parts
        case _:
            return [part.text for part in message.parts]


def _tool_part(tool: ToolSchema, form: ToolForm) -> Part:
    return Part("tool", tool.name, _digest(msgspec.json.encode(tool)), estimate_tool_tokens(tool, form))


def _block_part(block: Block) -> Part:
    return Part("block", block.name, _digest(block.text.encode("utf-8")), estimate_tokens(block.text))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
