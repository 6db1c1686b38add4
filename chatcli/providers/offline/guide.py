"""The guide: finds what was asked in the table of intents and takes the next step of its plan."""

from __future__ import annotations

from chatcli.i18n import _, language, speaking
from chatcli.providers.base import Request
from chatcli.providers.offline.calls import fits
from chatcli.providers.offline.draft import Call, Draft
from chatcli.providers.offline.intents import recognise
from chatcli.providers.offline.plans.talk import not_understood
from chatcli.providers.offline.quoting import code, fenced, paragraphs
from chatcli.providers.offline.situation import Situation, read_situation
from chatcli.providers.offline.table import INTENTS
from chatcli.providers.offline.tongue import guess_language


def answer(request: Request) -> Draft:
    """The next reply: tool calls, or the final text in the language of the question."""
    situation = read_situation(request)
    found = recognise(situation.question, INTENTS)
    if found is None:
        with speaking(guess_language(situation.question) or language()):
            return _say(not_understood())
    with speaking(found.language or language()):
        if stopped := _stopped(situation):
            return _say(stopped)
        step = found.intent.plan(situation, found.slots)
        if isinstance(step, str):
            return _say(step)
        return _say(obstacle) if (obstacle := _obstacle(situation, step)) else _call(situation, step)


def _stopped(situation: Situation) -> str:
    """Why nothing more is tried, when a call of the last round did not run; else nothing."""
    for outcome in situation.last:
        match outcome.status:
            case "ok" | "error":
                continue
            case "denied":
                return paragraphs(
                    _("That was not allowed, so it was not done:"), fenced(outcome.text.splitlines())
                )
            case "not_executed":
                return _needs_tools(situation)
            case _:
                return _("{tool} did not finish, so there is nothing to tell.").format(
                    tool=code(outcome.tool)
                )
    return ""


def _obstacle(situation: Situation, calls: list[Call]) -> str:
    """Why these calls cannot be made; nothing when they can."""
    if situation.mode == "chat":
        return _needs_tools(situation)
    for call in calls:
        if not fits(call, situation.tools):
            return _("That needs the tool {tool}, which is not there.").format(tool=code(call.name))
    return ""


def _needs_tools(situation: Situation) -> str:
    return paragraphs(
        _("In /chat no tool runs, and this needs one. Ask again with:"),
        code(f"/agent {situation.question}"),
    )


def _say(text: str) -> Draft:
    closing = _("OFFLINE: answered by rules, not by a model. `chatcli setup` connects one.")
    lines = f"{text}\n\n*{closing}*\n".splitlines(keepends=True)
    return Draft(pieces=tuple(lines), stop_reason="end")


def _call(situation: Situation, calls: list[Call]) -> Draft:
    seq = situation.last_seq
    return Draft(
        calls=tuple(call.with_id(f"offline_{seq}_{i}") for i, call in enumerate(calls)),
        stop_reason="tool_calls",
    )
