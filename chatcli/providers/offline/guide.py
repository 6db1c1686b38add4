"""The guide: finds what was asked in the table of intents and takes the next step of its plan."""

from __future__ import annotations

from chatcli.i18n import _, language, speaking
from chatcli.providers.base import Request
from chatcli.providers.offline.draft import Call, Draft
from chatcli.providers.offline.intents import recognise
from chatcli.providers.offline.plans.talk import not_understood
from chatcli.providers.offline.situation import Situation, read_situation


def answer(request: Request) -> Draft:
    """The next reply: tool calls, or the final text in the language of the question."""
    situation = read_situation(request)
    found = recognise(situation.question)
    with speaking(found.language if found else language()):
        if found is None:
            return _say(not_understood(situation, {}))
        if stopped := _stopped(situation):
            return _say(stopped)
        step = found.intent.plan(situation, found.slots)
        if isinstance(step, str):
            return _say(step)
        if obstacle := _obstacle(situation, step):
            return _say(obstacle)
        return _call(situation, step)


def _stopped(situation: Situation) -> str:
    """Why nothing more is tried, when a call of the last round did not run; else nothing."""
    for outcome in situation.last:
        match outcome.status:
            case "ok" | "error":
                continue
            case "denied":
                return _("That was not allowed, so it was not done.") + f"\n\n> {outcome.text}"
            case "not_executed":
                return _needs_tools(situation)
            case _:
                return _("`{tool}` did not finish, so there is nothing to tell.").format(tool=outcome.tool)
    return ""


def _obstacle(situation: Situation, calls: list[Call]) -> str:
    if situation.mode == "chat":
        return _needs_tools(situation)
    missing = sorted({call.name for call in calls} - situation.tools)
    if missing:
        return _("That needs the tool `{tool}`, which is not there.").format(tool=missing[0])
    return ""


def _needs_tools(situation: Situation) -> str:
    return _("In /chat no tool runs, and this needs one. Ask again with:") + (
        f"\n\n    /agent {' '.join(situation.question.split())}"
    )


def _say(text: str) -> Draft:
    closing = _("OFFLINE: answered by rules, not by a model. `chatcli setup` connects one.")
    lines = f"{text}\n\n*{closing}*".splitlines(keepends=True)
    return Draft(pieces=tuple(lines), stop_reason="end")


def _call(situation: Situation, calls: list[Call]) -> Draft:
    number = situation.replies
    return Draft(
        calls=tuple(call.with_id(f"offline_{number}_{i}") for i, call in enumerate(calls)),
        stop_reason="tool_calls",
    )
