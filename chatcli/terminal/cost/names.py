"""What things in a cost report are called."""

from __future__ import annotations

from chatcli.agent.cost.attribution import Share
from chatcli.events import Purpose
from chatcli.gate.screen import one_line
from chatcli.i18n import _


def purpose_name(purpose: Purpose) -> str:
    match purpose:
        case "answer":
            return _("answers")
        case "summary":
            return _("summaries")
        case "title":
            return _("titles")
        case "memory":
            return _("memory")
        case "subagent":
            return _("sub-agents")


def share_name(share: Share) -> str:
    match share.kind:
        case "tool":
            return f"@{one_line(share.name)} ×{share.count}"
        case "system":
            return _("system prompt")
        case "tools":
            return _("tool descriptions")
        case "words":
            return _("your words and files")
        case "replies":
            return _("replies")
        case "side":
            return _("other requests")
        case "unknown":
            return _("not known")
