"""Causes of lost cache prefixes, in words for a person."""

from __future__ import annotations

from chatcli.i18n import _
from chatcli.session.entries import CacheMiss


def cause_text(miss: CacheMiss) -> str:
    """One line: what happened, and to which part of the request."""
    told = _cause(miss)
    return told.format(detail=miss.detail)


def _cause(miss: CacheMiss) -> str:
    match miss.cause:
        case "model":
            return _("another model: {detail}")
        case "tools":
            return _("the tools changed: {detail}")
        case "block":
            return _("the system prompt changed: {detail}")
        case "rewrite":
            return _("rewritten on purpose: {detail}")
        case "changed":
            return _("changed without a reason on record: {detail}")
        case "shrank":
            return _("the history became shorter: {detail}")
        case "expired":
            return _("the cache expired: {detail}")
        case "minimum":
            return _("too small for this model's cache: {detail}")
        case "many_blocks":
            return _("more blocks than the service looks back: {detail}")
        case "service":
            return _("the service did not find it, though nothing had changed")
