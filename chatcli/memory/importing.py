"""Takes over what an earlier chatcli remembered: its JSON files, or one file of another memory.

Known shapes: the folder or its files (`memory_index.json`, `user_profile.json`, `projects.json`,
`topics.json`, `episodes.json`), this memory's own export, and any list of texts. What is imported may have
been written by anybody: it is marked as from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.memory.fact import CATEGORIES, CONFIDENCE, MAX_FACT_CHARS, Category, Fact, clean_text
from chatcli.session.files import storage_errors

FILES = ("user_profile.json", "memory_index.json", "projects.json", "topics.json", "episodes.json")
_TEXT_FIELDS = ("content", "text", "summary", "description", "title")
_PROFILE_FIELDS = {
    "name": "Name",
    "role": "Role",
    "company": "Company",
    "location": "Location",
    "expertise_level": "Expertise",
    "preferred_language": "Preferred language",
    "communication_style": "Communication style",
    "certifications": "Certifications",
    "skills": "Skills",
    "goals": "Goals",
}
_CATEGORY_OF_FILE = {"episodes.json": "episode", "projects.json": "project"}
_MAX_FILE_BYTES = 50_000_000


class Imported(Struct, frozen=True, kw_only=True):
    facts: tuple[Fact, ...]
    refused: tuple[str, ...] = ()
    """Why something was left out: one line for each."""


def read_memory(path: Path, batch: str) -> Imported:
    """The facts of a file, or of the files of a folder, as drafts of one batch.

    Raises `UsageError` and `StorageError`.
    """
    files = [path / name for name in FILES if (path / name).is_file()] if path.is_dir() else [path]
    if not files:
        raise UsageError(_("There is no memory in {path}.").format(path=path))
    facts: list[Fact] = []
    refused: list[str] = []
    for file in files:
        for draft in _drafts(file):
            try:
                clean_text(draft.text)
            except UsageError as error:
                refused.append(f"{draft.text[:60]}: {error.message}")
                continue
            facts.append(msgspec.structs.replace(draft, batch=batch))
    return Imported(facts=tuple(facts), refused=tuple(refused))


def _drafts(file: Path) -> Iterator[Fact]:
    with storage_errors(file):
        if file.stat().st_size > _MAX_FILE_BYTES:
            raise UsageError(_("{path} is too large for a memory.").format(path=file))
        data = file.read_bytes()
    try:
        content = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(_("{path} is no JSON: {why}").format(path=file, why=error)) from error
    match content:
        case {"facts": facts}:
            yield from _rows(facts, "")
        case {"episodes": episodes}:
            yield from _rows(episodes, "episode")
        case dict() if content.keys() & _PROFILE_FIELDS.keys() and "content" not in content:
            yield from _profile(content)
        case _:
            yield from _rows(content, _CATEGORY_OF_FILE.get(file.name, ""))


def _rows(rows: object, category: str) -> Iterator[Fact]:
    """Facts of a list, or of an object whose values they are."""
    if isinstance(rows, Mapping):
        rows = list(rows.values())
    for row in rows if isinstance(rows, Sequence) and not isinstance(rows, str) else []:
        if isinstance(row, str):
            yield _draft(row, category)
        elif isinstance(row, Mapping):
            yield from _row(row, category)


def _row(row: Mapping[str, Any], category: str) -> Iterator[Fact]:
    parts = [_first(row, ("name",)), _first(row, _TEXT_FIELDS)]
    if not parts[1]:
        return
    outcome = _first(row, ("outcome",))
    confidence, tags = row.get("confidence"), row.get("tags")
    scope = _first(row, ("scope", "source_project", "path"))
    yield _draft(
        ": ".join(filter(None, parts)) + (f" ({outcome})" if outcome else ""),
        str(row.get("category") or category),
        tags=tuple(filter(_is_text, tags)) if isinstance(tags, list) else (),
        scope=scope if scope.startswith("/") and scope.isprintable() else "",
        confidence=float(confidence) if isinstance(confidence, int | float) and 0 < confidence <= 1 else None,
        created=_first(row, ("created", "date", "created_at", "first_seen")),
    )


def _first(row: Mapping[str, Any], fields: Sequence[str]) -> str:
    """The first of these fields that holds a text, else nothing."""
    return next((row[field] for field in fields if _is_text(row.get(field))), "")


def _profile(profile: Mapping[str, Any]) -> Iterator[Fact]:
    for field, label in _PROFILE_FIELDS.items():
        value = profile.get(field)
        said = ", ".join(filter(_is_text, value)) if isinstance(value, list) else value
        if _is_text(said):
            yield _draft(f"{label}: {said}", "profile")
    preferences = profile.get("preferences")
    for name, value in preferences.items() if isinstance(preferences, dict) else ():
        if _is_text(value):
            yield _draft(f"{name}: {value}", "preference")


def _draft(
    text: str,
    category: str,
    *,
    tags: tuple[str, ...] = (),
    scope: str = "",
    confidence: float | None = None,
    created: str = "",
) -> Fact:
    named: Category = next((known for known in CATEGORIES if known == category), "general")
    return Fact(
        text=text[: MAX_FACT_CHARS + 1],
        category=named,
        tags=tags,
        scope=scope,
        said_by="import",
        outside=True,
        confidence=CONFIDENCE["import"] if confidence is None else confidence,
        created=created,
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
