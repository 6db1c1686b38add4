"""Causes of lost cache prefixes, in words for a person."""

from __future__ import annotations

import re

from chatcli.i18n import _, filled, ngettext
from chatcli.messages import AssistantMessage, Message, ToolResult
from chatcli.session.entries import CacheMiss, MissCause

_MESSAGE = re.compile(r"message (\d+)(?:: (.+)| is gone)?")
"""How the detail of a miss names a message, and what was decided about it."""


def message_seq(miss: CacheMiss) -> int:
    """The message at which the request began to differ; 0 where it was not a message."""
    named = _MESSAGE.fullmatch(miss.detail)
    return int(named[1]) if named else 0


def reason_of(miss: CacheMiss) -> str:
    """Of the decision that a rewrite follows from, as it stands in the journal; empty where there is none."""
    named = _MESSAGE.fullmatch(miss.detail)
    return (named[2] or "") if named else ""


def cause_text(miss: CacheMiss, message: Message | None = None) -> str:
    """One line: what happened, and to which part of the request. `message` is the one that is named."""
    match miss.cause:
        case "rewrite":
            detail = _rewritten(miss, message)
        case "changed" | "shrank":
            detail = _named(miss, message)
        case "expired" | "minimum" | "many_blocks":
            detail = _measured(miss)
        case _:
            detail = miss.detail
    return _texts()[miss.cause].format(detail=detail)


def _texts() -> dict[MissCause, str]:
    return {
        "model": _("another model: {detail}"),
        "tools": _("the tools changed: {detail}"),
        "block": _("the system prompt changed: {detail}"),
        "rewrite": _("rewritten on purpose: {detail}"),
        "changed": _("changed without a reason on record: {detail}"),
        "shrank": _("the history became shorter: {detail} is gone"),
        "expired": _("the cache expired: {detail}"),
        "minimum": _("too small for this model's cache: {detail}"),
        "many_blocks": _("more blocks than the service looks back: {detail}"),
        "service": _("the service did not find it, though nothing had changed"),
    }


def _measured(miss: CacheMiss) -> str:
    """The figures of a detail, in the language of the reader."""
    match miss.cause, [int(digits) for digits in re.findall(r"\d+", miss.detail)]:
        case "expired", [minutes]:
            return _("idle for {n} min").format(n=minutes)
        case "minimum", [stored, least]:
            return filled(_("{n:,} of {least:,} tokens"), n=stored, least=least)
        case "many_blocks", [blocks]:
            return ngettext("{n} block", "{n} blocks", blocks).format(n=blocks)
    return miss.detail


def _rewritten(miss: CacheMiss, message: Message | None) -> str:
    reason = reason_of(miss)
    if reason.startswith("summary"):
        return _reason(reason)
    return f"{_named(miss, message)}, {_reason(reason)}"


def _named(miss: CacheMiss, message: Message | None) -> str:
    text = _("message {n}").format(n=message_seq(miss))
    match message:
        case ToolResult():
            return _("{message} (result of @{tool})").format(message=text, tool=message.name)
        case AssistantMessage():
            return _("{message} (a reply)").format(message=text)
        case None:
            return text
        case _:
            return _("{message} (yours)").format(message=text)


def _reason(reason: str) -> str:
    """What was decided, as it stands in the journal, in words."""
    words = {
        "age": _("because of its age"),
        "rent": _("because carrying it had cost as much as that"),
        "pressure": _("because the window was filling up"),
        "overflow": _("because the request did not fit"),
        "cold": _("while the cache was lost anyway"),
        "deleted": _("because you deleted it"),
        "user": _("dropped by you"),
        "summary, asked": _("the summary that you asked for"),
        "summary, pressure": _("a summary, because the window was filling up"),
        "summary, overflow": _("a summary, because the request did not fit"),
        "summary undone": _("the summary was undone"),
    }
    return words.get(reason, reason)
