"""memory: what is known beyond this session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from chatcli.tools import InvalidArguments, Remembered, ToolContext, ToolOutput, _, ngettext, tool

Action = Literal["recall", "remember", "forget", "profile", "timeline", "map"]
Category = Literal[
    "general", "profile", "preference", "personal", "project", "architecture", "pattern", "gotcha", "episode"
]

_FOUND = 10
_IN_TIMELINE = 30
_CHANGING = frozenset({"remember", "forget"})
_TEXT = "recall: a question; remember: one sentence in the user's words; forget: an id"
_ORIGIN = "memory: notes that came from outside or were imported"


@tool(
    "memory",
    read_only=lambda arguments: arguments["action"] not in _CHANGING,
    concurrent=lambda arguments: arguments["action"] not in _CHANGING,
    summary=lambda arguments: f"{arguments['action']} {arguments['text']}".strip(),
)
async def memory(
    ctx: ToolContext,
    action: Action,
    text: Annotated[str, _TEXT] = "",
    category: Category = "general",
    tags: Annotated[list[str] | None, "one-word topics"] = None,
) -> ToolOutput:
    """Facts from earlier sessions. Recall before you ask the user what they may have told before.

    Remember only what the user wants kept and what will matter later; never secrets.
    """
    match action:
        case "remember":
            kept = await ctx.memory.remember(_needed(action, text), category, tags or ())
            return ToolOutput(text=f"Remembered as {kept.id}: {kept.text}", brief=kept.id)
        case "forget":
            gone = await ctx.memory.forget(_needed(action, text))
            return ToolOutput(text=f"Forgotten for good: {gone.text}", brief=gone.id)
        case "map":
            return ToolOutput(text=await ctx.memory.map() or "Nothing is remembered yet.")
        case "profile":
            return _told(await ctx.memory.profile(), "Nothing is known about the user.")
        case "timeline":
            return _told(await ctx.memory.timeline(_IN_TIMELINE), "Nothing is remembered yet.")
        case "recall":
            return _told(
                await ctx.memory.recall(_needed(action, text), _FOUND),
                "Nothing is remembered that has to do with it.",
            )


def _needed(action: str, text: str) -> str:
    if not text.strip():
        raise InvalidArguments(f"memory: {action} needs 'text'")
    return text


def _told(facts: Sequence[Remembered], nothing: str) -> ToolOutput:
    """One line a fact. What strangers may have written comes with an origin: it will be fenced."""
    own = "\n".join(_line(fact) for fact in facts if not fact.outside)
    foreign = "\n".join(_line(fact) for fact in facts if fact.outside)
    brief = ngettext("{n} fact", "{n} facts", len(facts)).format(n=len(facts)) if facts else _("nothing")
    if foreign:
        return ToolOutput(text=foreign, origin=_ORIGIN, preface=own, brief=brief)
    return ToolOutput(text=own or nothing, brief=brief)


def _line(fact: Remembered) -> str:
    notes = [fact.id, fact.day]
    if fact.project:
        notes.append(f"project {fact.project}")
    if fact.by:
        notes.append(fact.by)
    tags = "".join(f" #{tag}" for tag in fact.tags)
    return f"- [{fact.category}] {fact.text}{tags} ({', '.join(notes)})"
