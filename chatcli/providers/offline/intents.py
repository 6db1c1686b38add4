"""What an intent is, and finding the one that a request has."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from chatcli.providers.offline.patterns import match_any
from chatcli.providers.offline.plans.plan import Plan

_MAX_CHARS = 2_000
"""Matching takes time that grows with the square of the length; no rule needs more."""


class Intent(Struct, frozen=True, kw_only=True):
    """One kind of request. `same` are patterns that are spelled alike in both languages."""

    name: str
    plan: Plan
    en: tuple[str, ...] = ()
    pt: tuple[str, ...] = ()
    same: tuple[str, ...] = ()


class Recognised(Struct, frozen=True):
    """`language` is empty when the pattern is spelled alike in both."""

    intent: Intent
    slots: Mapping[str, str]
    language: str


def recognise(question: str, intents: tuple[Intent, ...]) -> Recognised | None:
    """The first row that fits, what was named in it, and the language in which it was asked."""
    if len(question) > _MAX_CHARS:
        return None
    for intent in intents:
        for language, patterns in (("en", intent.en), ("pt_BR", intent.pt), ("", intent.same)):
            if (slots := match_any(patterns, question)) is not None:
                return Recognised(intent, slots, language)
    return None
