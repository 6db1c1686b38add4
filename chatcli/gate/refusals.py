"""What a refusal says: to the model why, shortly, and what to do now; to the person how to allow it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from chatcli.errors import CancelledByUser, ChatcliError, Denied
from chatcli.gate.questions import Answer
from chatcli.gate.reasons import Reason
from chatcli.gate.rules import Rule
from chatcli.i18n import _

_REASONS = 2


def few(why: Sequence[Reason]) -> str:
    """The first reason of each kind, at most two: what a call does wrong, not everything it touches."""
    kinds = list({reason.text: reason for reason in reversed(why)}.values())[::-1]
    named = "; ".join(map(str, kinds[:_REASONS]))
    left = len(why) - len(kinds[:_REASONS])
    return f"{named}; and {left} more" if left else named


def in_plan_mode(why: Sequence[Reason] = ()) -> Denied:
    return Denied(
        f"Plan mode: only reading runs, so this was not done{_because(why)}. "
        "Go on reading, or present your plan to the user.",
        brief=_("plan mode: only reading runs"),
    )


def unattended(why: Sequence[Reason], rule: Rule | None, level: str) -> Denied:
    """`level` is the autonomy at which it would not be asked about; empty: it always is."""
    flags = [f"--approve {level}"] if level else []
    flags += [allow_flag(rule)] if rule else []
    how = f" Only the user can allow it, by starting with {' or '.join(flags)}." if flags else ""
    brief = _("nobody is here to approve it")
    if flags:
        brief = _("{nobody}; start with {flags}").format(nobody=brief, flags=_(" or ").join(flags))
    return Denied(f"Not done: nobody is here to approve it{_because(why)}.{how}", brief=brief)


def answered(answer: Answer) -> ChatcliError:
    """For an answer that allows nothing."""
    if answer.choice == "cancel":
        return CancelledByUser("The user cancelled the run when asked about this call: it did not run.")
    why = f'with these words: "{answer.reason}"' if answer.reason else "without giving a reason"
    return Denied(f"The user denied this {why}. Do not try the same again.")


def allow_flag(rule: Rule) -> str:
    return f"--allow {shlex.quote(str(rule))}"


def _because(why: Sequence[Reason]) -> str:
    return f" ({few(why)})" if why else ""
