"""Causes of lost cache prefixes, in words for a person."""

from __future__ import annotations

from chatcli.i18n import _
from chatcli.session.entries import CacheMiss, MissCause


def cause_text(miss: CacheMiss) -> str:
    """One line: what happened, and to which part of the request."""
    return _texts()[miss.cause].format(detail=miss.detail)


def _texts() -> dict[MissCause, str]:
    return {
        "model": _("another model: {detail}"),
        "tools": _("the tools changed: {detail}"),
        "block": _("the system prompt changed: {detail}"),
        "rewrite": _("rewritten on purpose: {detail}"),
        "changed": _("changed without a reason on record: {detail}"),
        "shrank": _("the history became shorter: {detail}"),
        "expired": _("the cache expired: {detail}"),
        "minimum": _("too small for this model's cache: {detail}"),
        "many_blocks": _("more blocks than the service looks back: {detail}"),
        "service": _("the service did not find it, though nothing had changed"),
    }
