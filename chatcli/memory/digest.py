"""What of the memory stands in every request: what there is, not what it says.

The digest is bounded however much is remembered, holds no clock, and is the same for the same facts. It
stands in the system prompt, so it holds nothing but counts, what the user said of themselves, and names
that do not come from outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from chatcli.memory.database import Tally
from chatcli.memory.fact import Fact

MAX_CHARS = 600
_PROFILE_CHARS = 200
_MAX_NAME_CHARS = 24
_NAMES = 6
_NAMES_IN_MAP = 100

_DIRECTIVE = (
    "This is an index, not the content. When the answer may depend on any of it, call memory with action"
    " recall and a question first."
)


def digest(tally: Tally, profile: Sequence[Fact], scope: str) -> str:
    """The block of the system prompt; empty without facts. At most `MAX_CHARS`."""
    if not tally.categories:
        return ""
    facts = sum(count for category, count in tally.categories.items() if category != "episode")
    here = tally.scopes.get(scope, 0)
    lines = [
        "# Memory",
        f"Facts: {facts}, {here} of them about this project; episodes: {tally.categories.get('episode', 0)}.",
    ]
    if about := _profile(profile):
        lines.append(f"User: {about}")
    if tags := _names(tally.tags, _NAMES):
        lines.append(f"Topics: {tags}")
    others = _projects(tally, besides=scope)
    if others and sum(map(len, lines)) + len(_DIRECTIVE) < MAX_CHARS - _NAMES * (_MAX_NAME_CHARS + 9):
        lines.append(f"Other projects: {_names(others, _NAMES)}")
    return "\n".join([*lines, _DIRECTIVE])


def overview(tally: Tally) -> str:
    """Everything that there is, by name; empty without facts."""
    if not tally.categories:
        return ""
    parts = {
        "Categories": _names(tally.categories, _NAMES_IN_MAP),
        "Projects": _names(_projects(tally), _NAMES_IN_MAP),
        "Topics": _names(tally.tags, _NAMES_IN_MAP),
    }
    return "\n".join(f"{title}: {names}" for title, names in parts.items() if names)


def project_name(scope: str) -> str:
    """The last part of a folder, as a name that can hold no sentence."""
    return re.sub(r"[^\w.+-]+", "-", PurePath(scope).name)[:_MAX_NAME_CHARS] or "/"


def _projects(tally: Tally, besides: str = "") -> dict[str, int]:
    """How many facts are about each project, by its name."""
    projects: dict[str, int] = {}
    for scope, count in tally.scopes.items():
        if scope != besides and scope not in tally.strange:
            projects[project_name(scope)] = projects.get(project_name(scope), 0) + count
    return projects


def _profile(profile: Iterable[Fact]) -> str:
    """What the user said of themselves, as much as fits: whole facts, the shortest first."""
    own = sorted(
        (fact.text for fact in profile if _is_own(fact)),
        key=lambda t: (len(t), t),
    )
    said = ""
    for text in own:
        longer = f"{said}; {text}" if said else text
        if len(longer) > _PROFILE_CHARS:
            break
        said = longer
    return said


def _is_own(fact: Fact) -> bool:
    """Whether it is the user's own, or rests on their words."""
    return (fact.said_by == "user" or bool(fact.quote)) and not fact.outside and not fact.scope


def _names(counts: Mapping[str, int], most: int) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{name} ({count})" for name, count in ranked[:most])
    return f"{named}, {len(ranked) - most} more" if len(ranked) > most else named
