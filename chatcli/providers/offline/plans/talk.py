"""Answers that need no tool, or one that is not there yet."""

from __future__ import annotations

from chatcli.i18n import _
from chatcli.providers.offline import calls
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import bullets, code, fenced, paragraphs, trouble
from chatcli.providers.offline.situation import Situation


def hello(situation: Situation, slots: Slots) -> Step:
    return _("Hello! Ask me about this folder: {example}").format(example=code(_("what is in this folder?")))


def thanks(situation: Situation, slots: Slots) -> Step:
    return _("You are welcome.")


def help(situation: Situation, slots: Slots) -> Step:
    return paragraphs(
        _("I am a guide made of rules: I know a few dozen kinds of request and use the real tools for them."),
        bullets(
            f"{title}: {', '.join(map(code, examples))}"
            for title, examples in (
                (
                    _("Look"),
                    (_("what is in this folder?"), _("show README.md"), _("show lines 1-20 of README.md")),
                ),
                (_("Find"), (_("where is main?"), _("search for TODO in src"), _("list *.md files"))),
                (_("Know"), (_("what kind of project is this?"), _("how many lines are there?"))),
                (_("Git"), (_("what changed?"), _("show the last 5 commits"), _("who wrote README.md?"))),
                (_("Run"), (_("run the tests"), _("run ls -la"))),
                (
                    _("Change"),
                    (_("create notes.txt with text hello"), _("replace hello by bye in notes.txt")),
                ),
            )
        ),
        _("`/help` lists the commands of chatcli itself."),
    )


def undo(situation: Situation, slots: Slots) -> Step:
    return _("`/undo` puts the files back that the last turn changed.")


def cost(situation: Situation, slots: Slots) -> Step:
    return _("`/cost` shows what this session used. OFFLINE costs nothing; its tokens are estimates.")


def fetch(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.fetch(slots["url"])]


def remember(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.remember(slots["text"])]


def recall(situation: Situation, slots: Slots) -> Step:
    return _told(situation) or [calls.recall(slots.get("text", ""))]


def not_understood() -> str:
    return paragraphs(
        _("I did not understand that: no model is connected, and no rule fits it. For instance:"),
        bullets(
            code(example)
            for example in (
                _("what is in this folder?"),
                _("where is main?"),
                _("show README.md"),
                _("search for TODO in src"),
                _("what changed?"),
            )
        ),
    )


def _told(situation: Situation) -> str:
    """What the tool returned; nothing before it was called."""
    if not situation.last:
        return ""
    return trouble(situation.last) or fenced(situation.last[0].text.splitlines())
