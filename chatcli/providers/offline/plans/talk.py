"""Answers that need no tool."""

from __future__ import annotations

from collections.abc import Mapping

from chatcli.i18n import _
from chatcli.providers.offline.situation import Situation

Slots = Mapping[str, str]


def help(situation: Situation, slots: Slots) -> str:
    return (
        _("I am a guide made of rules: I know a few dozen kinds of request and use the real tools for them.")
        + "\n\n"
        + _examples()
        + "\n\n"
        + _("`/help` lists the commands of chatcli itself.")
    )


def hello(situation: Situation, slots: Slots) -> str:
    return _("Hello! Ask me about this folder, for instance `what is in this folder?`.")


def thanks(situation: Situation, slots: Slots) -> str:
    return _("You are welcome.")


def undo(situation: Situation, slots: Slots) -> str:
    return _("`/undo` puts the files back that the last turn changed.")


def cost(situation: Situation, slots: Slots) -> str:
    return _("`/cost` shows what this session used. OFFLINE costs nothing; its tokens are estimates.")


def not_understood(situation: Situation, slots: Slots) -> str:
    return _("I did not understand that: no model is connected, and no rule fits it.") + "\n\n" + _examples()


def _examples() -> str:
    examples = (
        _("what is in this folder?"),
        _("where is main?"),
        _("show README.md"),
        _("search for TODO in src"),
        _("what changed?"),
    )
    return _("For instance:") + "\n\n" + "\n".join(f"- `{example}`" for example in examples)
