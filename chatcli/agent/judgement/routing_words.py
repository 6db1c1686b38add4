"""The vocabulary of routing, from its data file, and the little grammar that goes with it."""

from __future__ import annotations

from importlib.resources import files

_SOURCE = files("chatcli.agent.judgement").joinpath("routing_words.txt")


def _read() -> dict[str, str]:
    """The text of each `[section]`, on one line, without comments."""
    sections: dict[str, list[str]] = {}
    for line in _SOURCE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            sections[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            sections[[*sections][-1]].append(line)
    return {name: " ".join(lines) for name, lines in sections.items()}


_SECTIONS = _read()


def _words(section: str) -> frozenset[str]:
    return frozenset(_SECTIONS[section].split())


LINKS, VERBS, GENERIC = _words("links"), _words("verbs"), _words("generic")
NAMES, CONCEPTS, UNIQUE = _words("names"), _words("concepts"), _words("unique")
ABILITIES, THINGS = _words("abilities"), _words("things")
TERMS = tuple(_SECTIONS["terms"].split(", "))
UNIQUE_TERMS = tuple(_SECTIONS["unique terms"].split(", "))

ENGLISH, POINTERS = _words("english"), _words("pointers")
ARTICLES_EN, DEFINITE_EN = frozenset({"a", "an"}), frozenset({"the"})
ARTICLES_PT, DEFINITE_PT = frozenset({"um", "uma"}), _words("definite portuguese")
